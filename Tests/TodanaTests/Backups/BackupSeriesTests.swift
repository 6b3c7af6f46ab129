import Foundation
import TestSupport
import Testing
import Todana

@Suite struct BackupSeriesTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var series: BackupSeries { BackupSeries(at: directory.path("series")) }

  private var configuration: StoreConfiguration {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.tuning.directThresholdByteCount = 16 << 10
    configuration.tuning.logLimitByteCount = 64 << 10
    return configuration
  }

  private func open(_ name: String) throws -> Store {
    try Store(.directory(directory.path(name)), classes: SaveWorkload.classes, configuration: configuration)
  }

  /// Restores a backup, verifies it, and returns its state; the restored files are removed.
  private func state(of number: Int?) throws -> SaveWorkload.State {
    let path = directory.path("restored")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try series.restore(number, to: path)
    let store = try open("restored")
    #expect(try store.verify().problemCount == 0)
    let state = try SaveWorkload.State(of: store)
    try SaveWorkload.save(state.saveCount + 1, to: store)
    try store.close()
    return state
  }

  private func names(_ name: String = "series") throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path(name)).sorted()
  }

  /// Returns the bytes that the series occupies on the device.
  private func allocatedByteCount() throws -> Int {
    try names().reduce(0) { total, name in
      let url = URL(filePath: series.path + "/" + name)
      return total + (try url.resourceValues(forKeys: [.totalFileAllocatedSizeKey]).totalFileAllocatedSize ?? 0)
    }
  }

  @Test func `each backup has the state of its commit despite concurrent saves`() throws {
    let store = try open("store")
    var number = 0
    func save() throws {
      number += 1
      try SaveWorkload.save(number, to: store)
    }
    #expect(try series.backups().isEmpty)
    var saveCounts: [Int] = []
    let rounds = LongTests.areEnabled ? 40 : 8
    for round in 1...rounds {
      for _ in 0..<Int.random(in: 1...9) { try save() }
      saveCounts.append(number)
      var before = 0
      let info = try store.backUp(into: series) { progress in
        #expect(progress.copiedByteCount >= before && progress.newByteCount >= 0)
        before = progress.copiedByteCount
        try save()
        if round % 2 == 0 { try (store.backend as? KyotoBackend)?.checkpoint() }
      }
      #expect(info.number == round && info.byteCount == before && info.storeID == store.backend.storeID)
      #expect(abs(info.date.timeIntervalSinceNow) < 600)
      #expect(try series.backups().last == info)
    }
    // Saves during a backup come after the commit that is copied.
    for (index, saveCount) in saveCounts.enumerated() {
      #expect(try state(of: index + 1) == SaveWorkload.State(after: saveCount))
    }
    #expect(try state(of: nil) == SaveWorkload.State(after: #require(saveCounts.last)))
    let report = try series.verify()
    #expect(report.isSound && report.backupCount == rounds && report.damages.isEmpty)
    #expect(report.byteCount == (try series.backups().reduce(0) { $0 + $1.byteCount }))
    #expect(try series.verify(2).backupCount == 1)
    let sizes = try series.backups().map(\.newByteCount)
    print("new bytes: \(sizes) of \(try series.backups().map(\.byteCount))")
    try store.close()
  }

  @Test func `a backup writes only changed pieces`() throws {
    let store = try open("store")
    let songCount = 20_000
    for index in 0..<songCount {
      try store.insert(Song("\(index) " + String(repeating: "x", count: 1_000), seconds: 1))
    }
    try store.saveChanges()
    let full = try store.backUp(into: series)
    #expect(full.newByteCount > songCount * 1_000 && full.newByteCount < full.byteCount * 102 / 100)
    let unchanged = try store.backUp(into: series)
    #expect(unchanged.newByteCount < 64 << 10)
    #expect(unchanged.byteCount <= full.byteCount)
    // Change one song in a hundred, spread over the file: each change affects a page of four records.
    let songs = try store.fetch(Song.self)
    for index in stride(from: 7, to: songCount, by: 100) { try store.update(songs[index]) { $0.seconds = 2 } }
    try store.saveChanges()
    let scattered = try store.backUp(into: series)
    #expect(scattered.newByteCount < full.newByteCount * 8 / 100)
    // Change the same number of songs, next to each other.
    for song in songs[5_000..<5_200] { try store.update(song) { $0.seconds = 3 } }
    try store.saveChanges()
    let dense = try store.backUp(into: series)
    #expect(dense.newByteCount < full.newByteCount * 3 / 100)
    print("new bytes: \([full, unchanged, scattered, dense].map(\.newByteCount))")
    try store.close()
    for number in 1...4 {
      let path = directory.path("restored \(number)")
      try series.restore(number, to: path)
      let copy = try open("restored \(number)")
      let seconds = try copy.fetch(Song.self).map(\.seconds)
      #expect(seconds.filter { $0 == 2 }.count == (number > 2 ? songCount / 100 - (number > 3 ? 2 : 0) : 0))
      #expect(seconds.filter { $0 == 3 }.count == (number > 3 ? 200 : 0))
      #expect(seconds.count == songCount)
      try copy.close()
    }
  }

  @Test func `pruning keeps the pieces that other backups need, and frees the rest`() throws {
    let store = try open("store")
    let blocks = try (0..<40).map { _ in
      let node = Node()
      node.name = String(repeating: "x", count: 200_000)
      try store.insert(node)
      return node
    }
    try store.saveChanges()
    for round in 1...10 {
      try store.update(blocks[round]) { $0.name = String(repeating: "\(round % 10)", count: 200_000) }
      try SaveWorkload.save(round, to: store)
      try store.backUp(into: series)
    }
    let before = try allocatedByteCount()
    var steps = 0
    try series.prune(keeping: 3) { progress in
      steps += 1
      #expect(progress.doneByteCount <= progress.byteCount)
    }
    #expect(steps > 1)
    #expect(try series.backups().map(\.number) == [8, 9, 10])
    #expect(try series.verify().isSound)
    #expect(try allocatedByteCount() < before)
    for number in 8...10 {
      let path = directory.path("restored")
      try series.restore(number, to: path)
      let copy = try open("restored")
      let nodes = try copy.fetch(Node.self)
      for round in 1...10 {
        let character: Character = round <= number ? Character("\(round % 10)") : "x"
        #expect(nodes[round].name == String(repeating: character, count: 200_000))
      }
      try copy.close()
      try FileManager.default.removeItem(atPath: path)
    }
    #expect(throws: StoreError.self) { try series.restore(7, to: directory.path("restored")) }
    // Numbering continues, and the next backup still finds the pieces that it shares with the last one.
    let next = try store.backUp(into: series)
    #expect(next.number == 11 && next.newByteCount < 64 << 10)
    try series.prune(keeping: 1)
    #expect(try series.backups() == [next])
    #expect(try series.verify().isSound)
    try series.prune(keeping: 5)
    #expect(try series.backups() == [next])
    #expect(throws: StoreError.self) { try series.prune(keeping: 0) }
    try store.close()
  }

  @Test func `invalid uses of a series are refused`() throws {
    let store = try open("store")
    try SaveWorkload.save(1, to: store)
    for work in [
      { _ = try series.verify() }, { try series.restore(to: directory.path("copy")) }, { try series.prune(keeping: 1) },
    ] {
      let error = #expect(throws: StoreError.self) { try work() }
      #expect(error?.backendError?.code == .notFound)
    }
    try store.backUp(into: series)
    let other = try open("other")
    let foreign = #expect(throws: StoreError.self) { try other.backUp(into: series) }
    #expect(foreign?.backendError?.code == .otherStore)
    let notOne = #expect(throws: StoreError.self) {
      try store.backUp(into: BackupSeries(at: directory.path("other")))
    }
    #expect(notOne?.backendError?.code == .notAStore)
    let occupied = #expect(throws: StoreError.self) { try series.restore(to: directory.path("other")) }
    #expect(occupied?.backendError?.code == .invalidArgument)
    for number in [-1, 0, 2, 1 << 40] {
      let missing = #expect(throws: StoreError.self) { try series.restore(number, to: directory.path("copy")) }
      #expect(missing?.backendError?.code == .notFound)
    }
    let memory = try Store(.inMemory, classes: SaveWorkload.classes)
    #expect(throws: StoreError.self) { try memory.backUp(into: BackupSeries(at: directory.path("memory"))) }
    #expect(throws: StoreError.self) { try store.backUp(into: BackupSeries(at: directory.path("no/such"))) }
    #expect(throws: StoreError.self) { try store.backUp(into: BackupSeries(at: directory.path("a\0b"))) }
    try Data().write(to: URL(filePath: directory.path("file")))
    #expect(throws: StoreError.self) { try store.backUp(into: BackupSeries(at: directory.path("file"))) }
    #expect(try names() == ["000001.manifest", "000001.pieces", "lock", "reading"])
    #expect(try names(".") == ["file", "other", "series", "store"])
    #expect(try state(of: 1) == SaveWorkload.State(after: 1))
    try other.close()
    try store.close()
  }

  @Test func `an unfinished backup leaves earlier ones intact, and a concurrent one is refused`() throws {
    let store = try open("store")
    try SaveWorkload.save(1, to: store)
    let first = try store.backUp(into: series)
    try SaveWorkload.save(2, to: store)
    let namesBefore = try names()
    var backup: (any BackendSeriesBackup)? = try store.backend.engine.openBackup(into: series.path)
    let second = #expect(throws: StoreError.self) { try store.backUp(into: series) }
    #expect(second?.backendError?.code == .inUse)
    #expect(second?.backendError?.processID == Int(getpid()))
    let pruning = #expect(throws: StoreError.self) { try series.prune(keeping: 1) }
    #expect(pruning?.backendError?.code == .inUse)
    // Readers and a backup can run at the same time.
    #expect(try series.verify().isSound)
    #expect(try state(of: nil) == SaveWorkload.State(after: 1))
    #expect(backup?.info == nil)
    backup = nil
    #expect(try names() == namesBefore)
    // Readers and pruning cannot run at the same time.
    let beside = #expect(throws: StoreError.self) {
      _ = try series.verify { _ in try series.prune(keeping: 1) }
    }
    #expect(beside?.backendError?.code == .inUse)
    // Files left behind by a killed process do not prevent a backup.
    for name in ["000002.pieces", "000002.manifest.new", "000003.pieces"] {
      try Data(repeating: 1, count: 100_000).write(to: URL(filePath: series.path + "/" + name))
    }
    let next = try store.backUp(into: series)
    #expect(try series.backups() == [first, next])
    #expect(try names().count == 6 && state(of: 2) == SaveWorkload.State(after: 2))
    #expect(try series.verify().isSound)
    let late = try store.backend.engine.openBackup(into: series.path)
    try store.close()
    let interrupted = #expect(throws: BackendError.self) { try late.next() }
    #expect(interrupted?.code == .interrupted)
  }

  @Test func `stores opened for reading and temporary stores are backed up into a series`() throws {
    let store = try open("store")
    for number in 1...5 { try SaveWorkload.save(number, to: store) }
    // A copy of an open store is like one left by a killed process: the log holds the saves.
    try store.backUp(to: directory.path("killed"))
    try store.close()
    var reading = configuration
    reading.access = .read
    let reader = try Store(.directory(directory.path("killed")), classes: SaveWorkload.classes, configuration: reading)
    try reader.backUp(into: series)
    try reader.close()
    #expect(try state(of: nil) == SaveWorkload.State(after: 5))
    let temporary = try Store(.temporary, classes: SaveWorkload.classes, configuration: configuration)
    try SaveWorkload.save(1, to: temporary)
    let other = BackupSeries(at: directory.path("temporary") + "/")
    try temporary.backUp(into: other)
    try temporary.close()
    try other.restore(to: directory.path("restored"))
    let copy = try open("restored")
    #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: 1))
    try copy.close()
  }
}
