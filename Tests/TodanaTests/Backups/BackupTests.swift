import Foundation
import TestSupport
import Testing
import Todana

@Suite struct BackupTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private var configuration: StoreConfiguration {
    var configuration = StoreConfiguration(detectsUnannouncedChanges: false)
    configuration.tuning.directThresholdByteCount = 16 << 10
    configuration.tuning.logLimitByteCount = 64 << 10
    return configuration
  }

  private func open(_ name: String) throws -> Store {
    try Store(.directory(directory.path(name)), classes: SaveWorkload.classes, configuration: configuration)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  @Test func `no backup is made within the store, and foreign files in the store are not copied`() throws {
    let store = try open("store")
    try SaveWorkload.save(1, to: store)
    let inner = directory.path("store") + "/inner"
    let manager = FileManager.default
    try manager.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: directory.path("store"))
    for target in [inner, inner + "/deeper/", directory.path("link/inner")] {
      let error = #expect(throws: StoreError.self) { try store.backUp(to: target) }
      #expect(error?.backendError?.code == .invalidArgument)
      #expect(throws: StoreError.self) { try store.backUp(into: BackupSeries(at: target)) }
      #expect(!manager.fileExists(atPath: inner))
    }
    #expect(throws: StoreError.self) { try store.backUp(to: directory.path("cut\0off")) }
    #expect(try names == ["link", "store"])

    try manager.createDirectory(atPath: inner, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(filePath: directory.path("store") + "/notes.txt"))
    try store.backUp(to: directory.path("backup"))
    try store.backUp(into: BackupSeries(at: directory.path("series")))
    #expect(
      try !manager.contentsOfDirectory(atPath: directory.path("backup")).contains { $0 == "inner" || $0 == "notes.txt" }
    )
    try BackupSeries(at: directory.path("series")).restore(to: directory.path("restored"))
    for name in ["backup", "restored"] {
      let copy = try open(name)
      #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: 1))
      try copy.close()
    }
    try store.close()
  }

  /// Saves during each step of the copy, among them large ones and some with checkpoints.
  @Test func `a copy has the state of one commit despite concurrent saves`() throws {
    let store = try open("store")
    var number = 0
    func save() throws {
      number += 1
      try SaveWorkload.save(number, to: store)
    }
    for round in 0..<(LongTests.areEnabled ? 60 : 8) {
      for _ in 0..<Int.random(in: 1...9) { try save() }
      if round % 3 == 0 { try (store.backend as? KyotoBackend)?.checkpoint() }
      let copied = number
      let backup = try store.backend.engine.openBackup(at: directory.path("backup"))
      while true {
        try save()
        if round % 2 == 0 { try (store.backend as? KyotoBackend)?.checkpoint() }
        guard try backup.next() else { break }
      }
      #expect(backup.copiedByteCount == backup.byteCount && backup.byteCount > 0)
      try save()
      #expect(try names == ["backup", "store"])
      let copy = try open("backup")
      #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: copied))
      #expect(try copy.verify().problemCount == 0)
      try SaveWorkload.save(copied + 1, to: copy)
      try copy.close()
      try FileManager.default.removeItem(atPath: directory.path("backup"))
      #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: number))
    }
    try store.close()
    let reopened = try open("store")
    #expect(try SaveWorkload.State(of: reopened) == SaveWorkload.State(after: number))
    try reopened.close()
  }

  @Test func `read-only, temporary and empty stores are copied`() throws {
    let empty = try open("empty")
    try empty.backUp(to: directory.path("copy of empty"))
    try empty.close()
    let store = try open("store")
    for number in 1...5 { try SaveWorkload.save(number, to: store) }
    // A copy of an open store is like one left by a killed process: the log holds the saves.
    try store.backUp(to: directory.path("killed"))
    try store.close()
    var reading = configuration
    reading.access = .read
    let reader = try Store(
      .directory(directory.path("killed")), classes: SaveWorkload.classes, configuration: reading)
    #expect(try reader.verify().problemCount == 0)
    try reader.backUp(to: directory.path("copy of killed"))
    try reader.close()
    let temporary = try Store(.temporary, classes: SaveWorkload.classes, configuration: configuration)
    for number in 1...5 { try SaveWorkload.save(number, to: temporary) }
    try temporary.backUp(to: directory.path("copy of temporary") + "/")
    try temporary.close()
    for name in ["copy of empty", "copy of killed", "copy of temporary"] {
      let copy = try open(name)
      #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: name == "copy of empty" ? 0 : 5))
      try copy.close()
    }
  }

  @Test func `an unfinished copy leaves nothing`() throws {
    let store = try open("store")
    for number in 1...5 { try SaveWorkload.save(number, to: store) }
    struct Enough: Error {}
    // A store this small is copied in one step, so the copy is complete when the callback throws.
    #expect(throws: Enough.self) { try store.backUp(to: directory.path("backup")) { _ in throw Enough() } }
    var begun: (any BackendBackup)? = try store.backend.engine.openBackup(at: directory.path("other"))
    #expect(begun != nil)
    #expect(try names.contains("other.partial"))
    begun = nil
    #expect(try names.filter { $0 != "backup" } == ["store"])
    // Files left behind by a killed process do not prevent a backup; a foreign file does.
    try FileManager.default.removeItem(atPath: directory.path("backup"))
    try FileManager.default.createDirectory(
      atPath: directory.path("backup.partial"), withIntermediateDirectories: false)
    try Data([1]).write(to: URL(filePath: directory.path("backup.partial/superblock")))
    let foreign = directory.path("backup.partial/letters")
    try Data([1]).write(to: URL(filePath: foreign))
    #expect(throws: StoreError.self) { try store.backUp(to: directory.path("backup")) }
    #expect(FileManager.default.fileExists(atPath: foreign))
    try FileManager.default.removeItem(atPath: foreign)
    try store.backUp(to: directory.path("backup"))
    let error = #expect(throws: StoreError.self) { try store.backUp(to: directory.path("backup")) }
    #expect(error?.backendError?.code == .invalidArgument)
    #expect(throws: StoreError.self) { try store.backUp(to: directory.path("no/such/directory")) }
    let memory = try Store(.inMemory, classes: SaveWorkload.classes)
    #expect(throws: StoreError.self) { try memory.backUp(to: directory.path("memory")) }
    #expect(try names == ["backup", "store"])
    let late = try store.backend.engine.openBackup(at: directory.path("late"))
    try store.close()
    let interrupted = #expect(throws: BackendError.self) { try late.next() }
    #expect(interrupted?.code == .interrupted)
  }

  @Test func `concurrent copies to one path do not disturb each other`() throws {
    let store = try open("store")
    for number in 1...5 { try SaveWorkload.save(number, to: store) }
    let first = try store.backend.engine.openBackup(at: directory.path("backup"))
    let second = #expect(throws: StoreError.self) { try store.backUp(to: directory.path("backup")) }
    #expect(second?.backendError?.code == .inUse)
    #expect(second?.backendError?.processID == Int(getpid()))
    // Another path is not locked.
    try store.backUp(to: directory.path("other"))
    while try first.next() {}
    let third = #expect(throws: StoreError.self) { try store.backUp(to: directory.path("backup")) }
    #expect(third?.backendError?.code == .invalidArgument)
    #expect(try names == ["backup", "other", "store"])
    let copy = try open("backup")
    #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: 5))
    try copy.close()
    // Many backups to one path at once: one makes the copy, the others are refused.
    let backend = store.backend
    let path = directory.path("contended")
    try onThreads(8) { _ in
      do {
        let backup = try backend.engine.openBackup(at: path)
        while try backup.next() {}
      } catch let error as BackendError {
        #expect(error.code == .inUse || error.code == .invalidArgument || error.code == .inputOutput, "\(error)")
      }
    }
    let contended = try open("contended")
    #expect(try SaveWorkload.State(of: contended) == SaveWorkload.State(after: 5))
    try contended.close()
    try store.close()
  }
}
