// Commands of the child that use a Store.
import Foundation
import Synchronization
import TestSupport
import Todana

extension CrashChild {
  /// Continues the workload from the state of the store, and prints the number of each save after it.
  static func saveForEver(_ path: String, _ settings: Set<String>) throws {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    if settings.contains("encrypted") { configuration.encryption = SaveWorkload.encryption }
    if settings.contains("checkpoints") { configuration.tuning.logLimitByteCount = 64 << 10 }
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    var number = try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
    report("\(number)")
    while true {
      number += 1
      try SaveWorkload.save(number, to: store)
      report("\(number)")
    }
  }

  /// Continues the workload while the store is alternately encrypted and decrypted, or its keys are renewed
  /// (`rotating`).
  ///
  /// Prints the number of each save after it.
  static func migrateForEver(_ path: String, _ settings: Set<String>) throws {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.resumingMigration = true
    configuration.tuning.logLimitByteCount = 64 << 10
    let isRotating = settings.contains("rotating")
    while true {
      let isEncrypted = FileManager.default.fileExists(atPath: path + "/keys")
      configuration.encryption = isEncrypted ? SaveWorkload.encryption : .none
      let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
      let backend = store.backend
      let isDone = DispatchSemaphore(value: 0)
      let thread = Thread {
        do {
          if try backend.operations?.unfinishedMigration() != nil {
            _ = try backend.operations?.migrate { _ in true }
          } else if isRotating {
            try backend.operations?.keyManagement?.rotate(keeping: [SaveWorkload.secret])
          } else if isEncrypted {
            try backend.operations?.beginDecryption()
            _ = try backend.operations?.migrate { _ in true }
          } else {
            try backend.operations?.beginEncryption(SaveWorkload.secret)
            _ = try backend.operations?.migrate { _ in true }
          }
        } catch {
          report("error in the migration: \(error)")
        }
        isDone.signal()
      }
      thread.start()
      var number = try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
      repeat {
        number += 1
        try SaveWorkload.save(number, to: store)
        report("\(number)")
      } while isDone.wait(timeout: .now()) == .timedOut
      try store.close()
    }
  }

  /// Saves the workload and backs it up into a series next to the store, which it sometimes prunes.
  ///
  /// Prints `backup <number> <save count>` after each backup, and `kept <count>` before each pruning.
  static func backUpForEver(_ path: String) throws {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.tuning.directThresholdByteCount = 16 << 10
    configuration.tuning.logLimitByteCount = 64 << 10
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    let series = BackupSeries(at: path + ".series")
    var number = try store.readNamedBuffer("save count") { Int(try $0.readUInt64()) } ?? 0
    report("open")
    while true {
      number += 1
      try SaveWorkload.save(number, to: store)
      let info = try store.backUp(into: series)
      report("backup \(info.number) \(number)")
      if info.number % 5 == 0 {
        report("kept 3")
        try series.prune(keeping: 3)
      }
    }
  }

  /// Saves an object of `byteCount` bytes, backs it up twice, verifies the backup and restores it.
  ///
  /// Prints the growth of memory during these four operations in bytes, and whether the object is restored. Then prints
  /// the speed of each operation in MB of files per second.
  static func backUpLargeObject(_ path: String, _ byteCount: Int) throws {
    let name = String(repeating: "0123456789abcdef", count: byteCount / 16)
    func save() throws {
      let store = try Store(.directory(path), classes: [Node.self])
      let node = Node()
      node.name = name
      try store.insert(node)
      try store.saveChanges()
      try store.close()
    }
    try save()
    let store = try Store(.directory(path), classes: [Node.self])
    let series = BackupSeries(at: path + ".series")
    var speeds: [Int] = []
    let start = ProcessMemory.anonymousByteCount
    let (peak, _) = try ProcessMemory.peakAnonymousByteCount {
      for work in [
        { _ = try store.backUp(into: series) }, { _ = try store.backUp(into: series) },
        { _ = try series.verify(1) }, { try series.restore(1, to: path + ".restored") },
      ] {
        let duration = try ContinuousClock().measure(work)
        speeds.append(Int(Double(try series.backups()[0].byteCount) / 1e6 / (duration / .seconds(1))))
      }
    }
    try store.close()
    let restored = try Store(.directory(path + ".restored"), classes: [Node.self])
    let isEqual = try restored.fetch(Node.self).map(\.name) == [name]
    report("\(peak - start) \(isEqual) \(speeds.map { "\($0)" }.joined(separator: " "))")
    try restored.close()
  }

  /// Ends the process while some threads write to an encrypted store and others end.
  static func exitWhileThreadsWork(_ path: String) throws {
    let store = try Store(
      .directory(path), classes: [], configuration: StoreConfiguration(encryption: SaveWorkload.encryption))
    let backend = store.backend
    let keyspaces = try CrashWorkload.Keyspaces(of: backend)
    let number = Mutex<UInt64>(0)
    @Sendable func commitNext() {
      number.withLock { number in
        number += 1
        do {
          try CrashWorkload.commit(number, to: backend, keyspaces, durability: .relaxed)
        } catch {
          report("error \(error)")
        }
      }
    }
    commitNext()
    Thread { while true { commitNext() } }.start()
    Thread {
      let hasCommitted = DispatchSemaphore(value: 0)
      while true {
        Thread {
          commitNext()
          hasCommitted.signal()
        }.start()
        hasCommitted.wait()
      }
    }.start()
    usleep(50_000)
    report("exit")
    exit(0)
  }

  /// Writes a store of 30 saves.
  ///
  /// With `sealed`, the store is encrypted from the start, with padding. With `rekeyed`, it is encrypted afterwards,
  /// and its records keep the tokens that they had before. With `decrypted`, it is also decrypted again.
  static func writeStore(_ path: String, _ settings: Set<String>) throws {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    if settings.contains("sealed") {
      configuration.encryption = SaveWorkload.encryption
      configuration.recordPadding = 64
    }
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    for number in 1...30 { try SaveWorkload.save(number, to: store) }
    if settings.contains("rekeyed") || settings.contains("decrypted") { try store.encrypt(with: SaveWorkload.secret) }
    if settings.contains("decrypted") { try store.decrypt() }
    try store.close()
    report("written")
  }

  /// Keeps a store open until standard input ends.
  static func holdStore(_ path: String) throws {
    let store = try Store(.directory(path), classes: SaveWorkload.classes)
    report("open")
    while readLine() != nil {}
    try store.close()
    report("closed")
  }

  static func openStoreAsNobody(_ path: String, reading: Bool) throws {
    guard becomeNobody() else { return report("skip: cannot become another user") }
    var configuration = StoreConfiguration()
    configuration.access = reading ? .read : .write
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    report("open \(try store.count(Song.self))")
    try store.close()
  }

  /// Saves until the disk is full, during a save or in a checkpoint, then continues with more room.
  static func fillStore(_ path: String, checkpoint: Bool) throws {
    var configuration = StoreConfiguration()
    if checkpoint { configuration.tuning.directThresholdByteCount = 1 << 40 }
    let store = try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
    var titles: Set<String> = []
    func save() throws {
      let title = "\(titles.count) " + String(repeating: "x", count: 100_000)
      try store.insert(Song(title))
      try store.saveChanges()
      titles.insert(title)
    }
    func check(_ store: Store, _ what: String) throws {
      let found = Set(try store.fetch(Song.self, includingPending: false).map(\.title))
      report(found.isSuperset(of: titles) && found.count <= titles.count + 1 ? "intact" : "lost \(what)")
    }
    for _ in 0..<(checkpoint ? 60 : 1) { try save() }
    try limitFiles(to: checkpoint ? 1 << 20 : try largestFile(in: path) + (256 << 10))
    do {
      if checkpoint {
        try (store.backend as? KyotoBackend)?.checkpoint()
      } else {
        for _ in 0..<2000 { try save() }
      }
      report("nothing failed")
    } catch let error as StoreError {
      report("error \(error.code) \(error.backendError.map { "\($0.code)" } ?? "-"): \(error)")
      report("pending \(store.hasUnsavedChanges)")
    } catch let error as BackendError {
      report("error \(error.code) -: \(error)")
    }
    try check(store, "with the full disk")
    try limitFiles(to: nil)
    // The next call saves the pending objects, too.
    if store.hasUnsavedChanges { titles.formUnion(try store.fetch(Song.self).map(\.title)) }
    try store.saveChanges()
    try save()
    try check(store, "with more room")
    try store.close()
    report("closed \(titles.count)")
  }

  /// Prints the growth of memory in bytes while all objects are streamed, and whether their sum is right.
  static func stream(_ path: String, _ count: Int) throws {
    let store = try Store(
      .directory(path), classes: [Song.self], configuration: StoreConfiguration(detectsUnannouncedChanges: false))
    let start = ProcessMemory.anonymousByteCount
    var seconds = 0
    let (peak, _) = try ProcessMemory.peakAnonymousByteCount {
      try store.forEach(Song.self) { song, _ in seconds += Int(song.seconds) }
    }
    report("\(peak - start) \(seconds == count * (count - 1) / 2)")
    try store.close()
  }

  /// Prints the growth of memory in bytes while `count` objects, made before, are inserted and saved.
  static func insert(_ path: String, _ count: Int) throws {
    let store = try Store(
      .directory(path), classes: [Song.self], configuration: StoreConfiguration(detectsUnannouncedChanges: false))
    let songs = (0..<count).map { Song("Test Song", seconds: UInt32($0)) }
    let start = ProcessMemory.anonymousByteCount
    let (peak, _) = try ProcessMemory.peakAnonymousByteCount {
      for song in songs { try store.insert(song) }
      try store.saveChanges()
    }
    report("\(peak - start)")
    try store.close()
  }

  /// Opens, reads, changes and closes a cyclic graph again and again.
  ///
  /// Prints the growth of memory in bytes after the first tenth of the rounds.
  static func openAndClose(_ path: String, _ rounds: Int) throws {
    var settled = 0
    for round in 0..<rounds {
      let store = try Store(.directory(path), classes: [Node.self])
      let nodes = try store.fetch(Node.self)
      if nodes.isEmpty {
        let ring = (0..<100).map { _ in Node() }
        for (index, node) in ring.enumerated() {
          node.next = ring[(index + 1) % ring.count]
          node.others = [node, ring[0]]
          try store.insert(node)
        }
        try store.saveChanges()
      } else {
        try store.update(nodes[3]) { $0.name = "\(round)" }
        try store.saveChanges()
        try store.insert(Node())
      }
      try store.close(discarding: true)
      if round == rounds / 10 { settled = ProcessMemory.anonymousByteCount }
    }
    report("\(ProcessMemory.anonymousByteCount - settled)")
  }
}
