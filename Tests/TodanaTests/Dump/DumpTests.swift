import TestSupport
import Testing
import Todana

/// Dumps and raw records through the library's own functions; `ToolDumpTests` covers the rest.
@Suite struct DumpTests {
  private func store() throws -> Store {
    let store = try Store(.inMemory, classes: [Song.self])
    for index in 0..<30 { try store.insert(Song("song \(index)")) }
    try store.writeNamedBuffer("a") { $0.writeUInt8(1) }
    try store.saveChanges()
    return store
  }

  @Test func `pending changes are not in a dump`() throws {
    let store = try store()
    try store.insert(Song("pending"))
    try store.writeNamedBuffer("b") { $0.writeUInt8(2) }
    #expect(try store.writeDump { _ in } == DumpCounts(recordCount: 30, namedBufferCount: 1))
    #expect(try store.rawNamedBuffer("b") == nil)
    #expect(try store.rawNamedBuffer("a") == RawNamedBuffer(name: "a", version: 1, content: [1]))
  }

  @Test func `a dump has the state of one commit despite concurrent saves`() throws {
    let store = try store()
    let other = try Store(backend: store.backend, classes: [Song.self])
    var lines = 0
    let counts = try store.writeDump { _ in
      lines += 1
      try other.insert(Song("meanwhile"))
      try other.saveChanges()
    }
    #expect(counts.recordCount == 30 && lines == 35)
    try other.close()
  }

  @Test func `an error of the caller ends a dump and an import`() throws {
    struct Enough: Error {}
    let store = try store()
    #expect(throws: Enough.self) { try store.writeDump { _ in throw Enough() } }
    let directory = try TemporaryDirectory(isInMemory: true)
    #expect(throws: Enough.self) { try Store.make(at: directory.path("new")) { throw Enough() } }
    #expect(throws: DumpError.self) { try Store.make(at: directory.path("new")) { nil } }
  }

  @Test func `a mistake in a dump is reported with its line`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    var lines = [#"{"kind":"store","format":1}"#, "", "nonsense"].map { Array($0.utf8) }[...]
    let error = #expect(throws: DumpError.self) {
      try Store.make(at: directory.path("new")) { lines.popFirst() }
    }
    #expect(error?.code == .notJSON && error?.line == 3)
  }

  @Test func `raw records are read in order after a given row, until the caller stops`() throws {
    let store = try store()
    var rows: [RowID] = []
    try store.rawRecords(ofClassNamed: "Song", after: 7) { record, stop in
      rows.append(record.rowID)
      stop = rows.count == 5
    }
    #expect(rows == [8, 9, 10, 11, 12])
    try store.rawRecords(ofClassNamed: "Song", after: .max) { _, _ in Issue.record("There are no such rows") }
    #expect(try store.rawRecord(ofClassNamed: "Song", rowID: 31) == nil)
    #expect(try store.rawRecord(ofClassNamed: "Song", rowID: 30)?.version == 2)
    let error = #expect(throws: StoreError.self) { try store.rawRecord(ofClassNamed: "Sing", rowID: 1) }
    #expect(error?.code == .unknownClass)
  }
}
