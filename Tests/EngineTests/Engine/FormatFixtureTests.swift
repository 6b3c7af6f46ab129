import Foundation
import TestSupport
import Testing
import Todana

/// Stores in all format versions, written by `Scripts/write-format-fixture`.
struct FormatFixtureTests {
  static let kinds = ["plain", "sealed", "rekeyed", "decrypted"]

  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test(arguments: kinds)
  func `a store of this version's format opens`(_ kind: String) throws {
    try extract(2)
    let store = try open(directory.path(kind), as: kind)
    #expect(try SaveWorkload.State(of: store) == state(after: 30))
    let report = try store.verify()
    #expect(report.isSound, "\(report)")
    try SaveWorkload.save(31, to: store)
    try store.close()
    let again = try open(directory.path(kind), as: kind)
    #expect(try SaveWorkload.State(of: again) == state(after: 31))
    try again.close()
  }

  @Test(arguments: kinds)
  func `a store of the first format is refused and left as it is`(_ kind: String) throws {
    try extract(1)
    let path = directory.path(kind)
    let before = try contents(of: path)
    #expect(!before.isEmpty)
    for access in [KyotoBackend.Access.read, .write] as [KyotoBackend.Access] {
      let error = #expect(throws: StoreError.self) { try open(path, as: kind, access) }
      #expect(error?.backendError?.code == .olderFormat)
      #expect("\(try #require(error))".contains("older version"))
    }
    let salvaged = #expect(throws: StoreError.self) {
      try Store.salvage(
        from: path, to: directory.path("salvaged"), encryption: Self.encryption(of: kind))
    }
    #expect(salvaged?.backendError?.code == .olderFormat)
    #expect(try contents(of: path) == before)
  }

  /// Returns the state of the fixtures, which are older than the subclass in the workload.
  private func state(after saveCount: Int) -> SaveWorkload.State {
    var state = SaveWorkload.State(after: saveCount)
    state.places = []
    return state
  }

  private static func encryption(of kind: String) -> StoreEncryption {
    kind == "sealed" || kind == "rekeyed" ? SaveWorkload.encryption : .none
  }

  private func open(
    _ path: String, as kind: String, _ access: KyotoBackend.Access = .write
  ) throws -> Store {
    var configuration = StoreConfiguration(encryption: Self.encryption(of: kind))
    configuration.access = access
    return try Store(.directory(path), classes: SaveWorkload.classes, configuration: configuration)
  }

  /// Returns the files of a store and their bytes, without the lock, which every opening creates.
  private func contents(of path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      contents[name] = try Data(contentsOf: URL(filePath: "\(path)/\(name)"))
    }
    return contents
  }

  private func extract(_ format: Int) throws {
    let fixture = Checkout.file("Tests/Fixtures/format-\(format).tar.gz")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["tar", "-xzf", fixture.path, "-C", directory.path]
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }
}
