import Foundation
import TestSupport
import Testing
import Todana

/// Backups that are passed to the caller in parts.
@Suite struct BackupPartTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ name: String, _ encryption: StoreEncryption = .none) throws -> Store {
    var configuration = StoreConfiguration(encryption: encryption, detectsUnannouncedChanges: false)
    configuration.tuning.logLimitByteCount = 64 << 10
    return try Store(.directory(directory.path(name)), classes: SaveWorkload.classes, configuration: configuration)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
  }

  private func parts(of store: Store) throws -> [BackupPart] {
    var parts: [BackupPart] = []
    try store.writeBackup { parts.append($0) }
    return parts
  }

  @discardableResult
  private func make(_ name: String, _ parts: [BackupPart]) throws -> BackupSummary {
    var iterator = parts.makeIterator()
    return try Store.restore(at: directory.path(name), fromParts: { iterator.next() })
  }

  @Test(arguments: [StoreEncryption.none, .key([UInt8](repeating: 5, count: 16))])
  func `a store made of parts has the state of one commit despite concurrent saves`(
    _ encryption: StoreEncryption
  ) throws {
    let store = try open("store", encryption)
    for number in 1...6 { try SaveWorkload.save(number, to: store) }
    try (store.backend as? KyotoBackend)?.checkpoint()
    for number in 7...9 { try SaveWorkload.save(number, to: store) }
    var number = 9
    var parts: [BackupPart] = []
    let summary = try store.writeBackup { part in
      parts.append(part)
      guard number < 40 else { return }
      number += 1
      try SaveWorkload.save(number, to: store)
      if number % 3 == 0 { try (store.backend as? KyotoBackend)?.checkpoint() }
    }
    #expect(number > 12 && parts.first == .summary(summary))
    try store.close()
    #expect(try make("copy", parts) == summary && names == ["copy", "store"])
    let isEncrypted = FileManager.default.fileExists(atPath: directory.path("copy/keys"))
    #expect(FileManager.default.fileExists(atPath: directory.path("copy/copied")) == isEncrypted)
    let copy = try open("copy", encryption)
    #expect(copy.backend.storeID == summary.storeID)
    #expect(try SaveWorkload.State(of: copy) == SaveWorkload.State(after: 9))
    #expect(try copy.verify().problemCount == 0)
    try SaveWorkload.save(10, to: copy)
    #expect(!FileManager.default.fileExists(atPath: directory.path("copy/copied")))
    try copy.close()
  }

  @Test func `invalid parts of a backup are refused, and nothing is left`() throws {
    let store = try open("store")
    try SaveWorkload.save(1, to: store)
    try store.close()
    let sound = try parts(of: open("store"))
    guard case .summary(var summary) = sound[0] else { throw CocoaError(.coderInvalidValue) }
    func refused(_ parts: [BackupPart], _ text: String) throws {
      let error = #expect(throws: StoreError.self) { try make("copy", parts) }
      #expect(
        error?.code == .damagedRecord && error?.description.contains(text) == true, "\(String(describing: error))")
      #expect(try names == ["store"])
    }
    try refused([], "begin with a summary")
    try refused(Array(sound.dropFirst()), "begin with a summary")
    try refused(Array(sound.dropLast()), "fewer files or bytes")
    try refused([sound[0]] + sound, "second summary")
    try refused(sound + [.bytes([1])], "longer")
    try refused(sound + [.file(name: "0099.kch", byteCount: 0)], "more files or bytes")
    try refused([sound[0], .bytes([1])] + sound.dropFirst(), "longer")
    try refused([sound[0], .file(name: "0099.kch", byteCount: -1)], "more files or bytes")
    try refused([sound[0], .file(name: "0099.kch", byteCount: 1), .file(name: "0098.kch", byteCount: 0)], "truncated")
    for name in ["..", "../x", "/x", "a/b", "", "lock", "keys.new", "0001-a\u{0}.kch", "0001.kch\n"] {
      try refused([sound[0], .file(name: name, byteCount: 0)], "not belong to a store")
    }
    try refused([sound[0], .file(name: "commits", byteCount: 0), .file(name: "commits", byteCount: 0)], "twice")
    summary.fileCount = 0
    summary.byteCount = 0
    try refused([.summary(summary)], "superblock")
    struct Enough: Error {}
    #expect(throws: Enough.self) {
      var iterator = sound.prefix(2).makeIterator()
      try Store.restore(at: directory.path("copy")) {
        guard let part = iterator.next() else { throw Enough() }
        return part
      }
    }
    #expect(try names == ["store"])
    try make("copy", sound)
    let error = #expect(throws: StoreError.self) { try make("copy", sound) }
    #expect(error?.backendError?.code == .invalidArgument)
  }

  @Test func `a reader ends with its store`() throws {
    let store = try open("store")
    try SaveWorkload.save(1, to: store)
    let reader = try store.backend.engine.openBackupReader()
    #expect(try reader.next() != nil)
    try store.close()
    let error = #expect(throws: BackendError.self) { while try reader.next() != nil {} }
    #expect(error?.code == .interrupted)
    let memory = try Store(.inMemory, classes: SaveWorkload.classes)
    #expect(throws: StoreError.self) { try memory.writeBackup { _ in } }
  }
}
