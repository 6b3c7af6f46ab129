// A store whose directory is deleted while it is open.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DeletedDirectoryTests {
  private func makeStore(_ path: String) throws -> Store {
    let store = try Store(.directory(path), classes: [Song.self, Playlist.self])
    try store.insert(Song("saved", seconds: 1))
    try store.saveChanges()
    try FileManager.default.removeItem(atPath: path)
    return store
  }

  private func expectReport(_ body: () throws -> Void) {
    let error = #expect(throws: StoreError.self, performing: body)
    #expect(error.map { "\($0)".contains("were deleted while it was open") } ?? false, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func `a save of an object throws`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(directory.path("store"))
    try store.insert(Song("lost", seconds: 2))
    expectReport { try store.saveChanges() }
    expectReport { try store.close(discarding: true) }
  }

  @Test func `the first save of a class throws`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(directory.path("store"))
    try store.insert(Playlist())
    expectReport { try store.saveChanges() }
    expectReport { try store.close(discarding: true) }
  }

  @Test func `closing after saves of relaxed durability throws`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(directory.path("store"))
    try store.insert(Song("lost", seconds: 2))
    try store.saveChanges(durability: .relaxed)
    expectReport { try store.close() }
  }

  @Test func `closing without further saves throws`() throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(directory.path("store"))
    expectReport { try store.close() }
  }

  @Test func `a store whose directory was renamed goes on`() throws {
    let directory = try TemporaryDirectory()
    let store = try Store(.directory(directory.path("store")), classes: [Song.self])
    try store.insert(Song("before", seconds: 1))
    try store.saveChanges()
    try FileManager.default.moveItem(atPath: directory.path("store"), toPath: directory.path("renamed"))
    try store.insert(Song("after", seconds: 2))
    try store.saveChanges()
    try store.close()
    let opened = try Store(.directory(directory.path("renamed")), classes: [Song.self])
    #expect(try opened.fetch(Song.self).map(\.title) == ["before", "after"])
    try opened.close()
  }

  /// Deletes all files, or only the logs, which have the acknowledged saves.
  @Test(arguments: [false, true], [StoreEncryption.none, SaveWorkload.encryption])
  func `a store whose files were deleted does not reopen as an empty one`(
    _ onlyLogs: Bool, _ encryption: StoreEncryption
  ) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let configuration = StoreConfiguration(encryption: encryption)
    let store = try Store(.directory(path), classes: [Song.self], configuration: configuration)
    try store.insert(Song("saved", seconds: 1))
    try store.saveChanges()
    if onlyLogs {
      for name in ["log-a", "log-b"] { try? FileManager.default.removeItem(atPath: "\(path)/\(name)") }
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    try store.insert(Song("lost", seconds: 2))
    expectReport { try store.saveChanges() }
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try store.reopen() }
      #expect(error?.backendError?.code == (onlyLogs ? .rolledBack : .notFound), "\(error.map { "\($0)" } ?? "")")
    }
    try? store.close(discarding: true)
  }
}
