// A closed store with one file lost, emptied or cut. Opening either reports the loss or finds all records. No other
// file is changed.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct LostFileTests {
  private static let saveCount = 12

  enum Loss: String, CaseIterable {
    case missing, empty, zeros, oneByte, half

    func apply(to file: URL, _ content: Data) throws {
      switch self {
      case .missing: try FileManager.default.removeItem(at: file)
      case .empty: try Data().write(to: file)
      case .zeros: try Data(count: content.count).write(to: file)
      case .oneByte: try content.prefix(1).write(to: file)
      case .half: try content.prefix(content.count / 2).write(to: file)
      }
    }
  }

  private func configuration(_ isEncrypted: Bool, _ access: KyotoBackend.Access) -> StoreConfiguration {
    var configuration = StoreConfiguration()
    if isEncrypted { configuration.encryption = SaveWorkload.encryption }
    configuration.access = access
    return configuration
  }

  private func open(_ path: String, _ isEncrypted: Bool, _ access: KyotoBackend.Access) throws -> Store {
    try Store(
      .directory(path), classes: SaveWorkload.classes, configuration: configuration(isEncrypted, access))
  }

  private func makeStore(_ path: String, _ isEncrypted: Bool) throws {
    let store = try open(path, isEncrypted, .write)
    for number in 1...Self.saveCount { try SaveWorkload.save(number, to: store) }
    try store.close()
  }

  private func names(of path: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "lock" }.sorted()
  }

  @Test(arguments: Loss.allCases, [false, true])
  func `the loss of any file is reported or harmless, and putting it back restores everything`(
    _ loss: Loss, _ isEncrypted: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    try makeStore(path, isEncrypted)
    let expected = SaveWorkload.State(after: Self.saveCount)
    let files = try names(of: path)
    #expect(files.count > (isEncrypted ? 20 : 18), "\(files)")
    for name in files {
      let content = try Data(contentsOf: URL(filePath: path + "/" + name))
      for access in [KyotoBackend.Access.read, .writeExisting, .write] {
        let problem = "\(name) \(loss), \(access)"
        let copy = directory.path("copy")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let file = URL(filePath: copy + "/" + name)
        try loss.apply(to: file, content)
        do {
          let store = try open(copy, isEncrypted, access)
          defer { try? store.close() }
          #expect(try SaveWorkload.State(of: store) == expected, "\(problem): content is missing")
        } catch let error as StoreError {
          #expect(
            [.damagedRecord, .damagedKeys, .backend].contains(error.code), "\(problem): \(error)")
          #expect(
            error.backendError.map { [.damaged, .notAStore, .damagedKeys].contains($0.code) } ?? true,
            "\(problem): \(error)")
        } catch let error as BackendError {
          #expect([.damaged, .notAStore, .damagedKeys].contains(error.code), "\(problem): \(error)")
        }
        // Opening for writing may have repaired some files.
        try content.write(to: file)
        let store = try open(copy, isEncrypted, .write)
        #expect(try SaveWorkload.State(of: store) == expected, "\(problem), put back: content is missing")
        try store.close()
        try FileManager.default.removeItem(atPath: copy)
      }
    }
  }

  @Test(arguments: Loss.allCases, [false, true])
  func `a lost list of commits is an error that changes nothing, and salvage finds everything`(
    _ loss: Loss, _ isEncrypted: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    try makeStore(path, isEncrypted)
    // The file has two copies of the list of commits. A file cut in half still contains one of them.
    if loss == .half { return }
    let list = URL(filePath: path + "/commits")
    try loss.apply(to: list, try Data(contentsOf: list))
    let before = try contents(of: path)
    for access in [KyotoBackend.Access.read, .writeExisting, .write] {
      let error = #expect(throws: StoreError.self) { try open(path, isEncrypted, access) }
      #expect(error?.backendError?.code == .damaged && error?.backendError?.file == "commits", "\(error as Any)")
    }
    #expect(try contents(of: path) == before)
    let encryption = isEncrypted ? SaveWorkload.encryption : .none
    let report = try Store.salvage(from: path, to: directory.path("salvaged"), encryption: encryption)
    #expect(report.lostCount == 0)
    let store = try open(directory.path("salvaged"), isEncrypted, .write)
    #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: Self.saveCount))
    try store.close()
  }

  /// Changes one copy of the list of commits, which the file has twice.
  enum ListDamage: CaseIterable {
    case firstCopy, secondCopy, cut

    func apply(to file: URL) throws {
      var content = try Data(contentsOf: file)
      switch self {
      case .firstCopy: for index in 40..<48 { content[index] ^= 0xff }
      case .secondCopy: for index in 40..<48 { content[32_768 + index] ^= 0xff }
      case .cut: content.removeSubrange(32_768...)
      }
      try content.write(to: file)
    }
  }

  @Test(arguments: ListDamage.allCases, [1, Self.saveCount])
  func `a damaged copy of the list of commits loses nothing, is reported, and is repaired by a close`(
    _ damage: ListDamage, _ saveCount: Int
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let made = try open(path, false, .write)
    for number in 1...saveCount { try SaveWorkload.save(number, to: made) }
    try made.close()
    try damage.apply(to: URL(filePath: path + "/commits"))
    for access in [KyotoBackend.Access.read, .write] {
      let store = try open(path, false, access)
      #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: saveCount))
      #expect(try store.verify().problems.map(\.kind) == [.damagedCopy])
      try store.close()
    }
    let store = try open(path, false, .read)
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `a store that was created and never saved to opens as an empty one`(_ isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    // The backend alone commits nothing.
    let secret = isEncrypted ? SaveWorkload.secret : nil
    for _ in 0..<2 { try KyotoBackend(.directory(path), secret: secret).close() }
    #expect(try names(of: path).allSatisfy { ["superblock", "keys", "keys-copy"].contains($0) })
    let store = try open(path, isEncrypted, .write)
    #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: 0))
    try store.close()
  }

  private func contents(of path: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try names(of: path) { files[name] = try Data(contentsOf: URL(filePath: path + "/" + name)) }
    return files
  }
}
