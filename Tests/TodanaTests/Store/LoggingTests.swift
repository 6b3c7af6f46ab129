import Foundation
import Logging
import Synchronization
import TestSupport
import Testing
import Todana

/// The messages that a store logs.
@Suite struct LoggingTests {
  let directory: TemporaryDirectory
  private let log = Log()

  init() throws { directory = try TemporaryDirectory() }

  @Test func `every way to open is logged`() throws {
    let path = directory.path("store")
    var store = try open(path)
    for title in ["a", "b", "c"] {
      try store.insert(Song(title))
      try store.saveChanges()
    }
    let killed = directory.path("killed")
    try FileManager.default.copyItem(atPath: path, toPath: killed)
    try store.close()
    store = try open(path)
    try store.close()
    store = try open(path, .read)
    try store.close()
    store = try open(killed)
    #expect("\(store.backend.openReport)".hasPrefix("opened at commit 3, 3 commits recovered in "))
    try store.close()
    #expect(throws: StoreError.self) { try open(directory.path("nowhere"), .read) }
    let lines = log.lines
    try #require(lines.count == 5)
    #expect(lines[0] == "info store created")
    #expect(lines[1].hasPrefix("info store opened at commit ") && lines[1].hasSuffix(", closed cleanly"))
    #expect(lines[2].hasSuffix("closed cleanly, read-only"))
    #expect(lines[3].hasPrefix("notice store opened at commit 3, 3 commits recovered in "))
    #expect(lines[4].hasPrefix("error store not opened: "))
  }

  @Test func `a store that is released with unsaved changes says how many are lost`() throws {
    do {
      let store = try open(directory.path("store"))
      try store.insert(Song("a"))
      try store.insert(Song("b"))
      try store.writeNamedBuffer("b") { $0.writeInt(1) }
    }
    #expect(
      log.lines.last
        == "warning A store was released with unsaved changes, which are lost: 2 inserts, 1 named buffer")
    let count = log.lines.count
    let store = try open(directory.path("other"))
    try store.insert(Song("a"))
    try store.close(discarding: true)
    #expect(log.lines.count == count + 1)
  }

  private func open(_ path: String, _ access: KyotoBackend.Access = .write) throws -> Store {
    var configuration = StoreConfiguration(logger: Logger(label: "test") { _ in log })
    configuration.access = access
    return try Store(.directory(path), classes: [Song.self], configuration: configuration)
  }
}
