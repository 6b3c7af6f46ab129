import Foundation
import TestSupport
import Testing

@testable import Todana

/// The listing, emptying and verification of stored text indexes.
@Suite struct StoredTextIndexTests {
  private func saveNotes(_ count: Int, in store: Store) throws -> [TitledNote] {
    var notes: [TitledNote] = []
    for number in 0..<count {
      let note = TitledNote()
      note.title = "note \(number)"
      try store.insert(note)
      notes.append(note)
    }
    try store.saveChanges()
    return notes
  }

  @Test func `text indexes are listed and emptied without the class, while another store uses them`() throws {
    let backend = try KyotoBackend(.inMemory)
    let store = try Store(backend: backend, classes: [TitledNote.self])
    let notes = try saveNotes(50, in: store)
    try store.buildIndexes()
    try store.update(notes[3]) { $0.title = "changed" }
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [])
    let listed = try other.storedIndexes
    #expect(listed.map(\.name) == ["title"] && listed.allSatisfy { $0.isTextIndex && $0.isComplete && !$0.isDamaged })
    #expect(listed.map(\.entryCount) == [50] && listed.map(\.pendingCount) == [1])
    #expect(try other.verify().problems.isEmpty)
    try other.emptyStoredIndex(named: "title", ofClassNamed: "TitledNote")
    #expect(try other.storedIndexes.map(\.entryCount) == [0])
    #expect(try other.storedIndexes.map(\.pendingCount) == [50])
    // The store that has the class must not search the dropped segments.
    #expect(try store.count(TitledNote.where { $0.title.matches("note") }) == 49)
    try store.update(notes[4]) { $0.title = "changed, too" }
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try other.storedIndexes.map(\.entryCount) == [50])
    #expect(try store.count(TitledNote.where { $0.title.matches("changed") }) == 2)
    #expect(try store.verify().problems.isEmpty)
    #expect(throws: StoreError.self) { try other.emptyStoredIndex(named: "title", ofClassNamed: "Note") }
    try backend.close()
  }

  @Test func `an index with segments of an older version is built again`() throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    let path = directory.path("store")
    var store = try Store(.directory(path), classes: [TitledNote.self])
    _ = try saveNotes(300, in: store)
    try store.buildIndexes()
    let tree = try #require(store.registry.tables[0].textIndexes[0].tree)
    let header = try #require(store.session.textIndexes.header(of: tree))
    var bytes = header.bytes
    let layout = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("layout 2".utf8)) })
    bytes[layout + 7] = UInt8(ascii: "1")
    for segment in header.segments {
      let place = try #require(bytes.indices.first { bytes[$0...].starts(with: segment.info.bytes) })
      bytes[place] = 1
    }
    try store.backend.commit { batch in
      let key = batch.arena.append(TextIndexKey.header)
      let value = batch.arena.append(bytes)
      batch.append(.init(keyspace: tree, kind: .put, expectation: .anything, key: .bytes(key), value: value))
    }
    try store.close()
    let query = TitledNote.where { $0.title.matches("note") }
    store = try Store(.directory(path), classes: [TitledNote.self])
    try store.buildIndexes()
    #expect(try store.explain(TitledNote.where { $0.title.matches("77") }).access == .text)
    #expect(try store.count(query) == 300)
    let segments = try store.sealing.keyspaces().filter { $0.textName?.segment != nil }
    #expect(segments.count == 1)
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  @Test(arguments: [false, true])
  func `a verification finds texts that differ, are missing, or are of no record`(_ isEncrypted: Bool) throws {
    let directory = try TemporaryDirectory(isInMemory: true)
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    if isEncrypted { configuration.encryption = .key(Array(repeating: 7, count: 32)) }
    let store = try Store(
      .directory(directory.path("store")), classes: [TitledNote.self], configuration: configuration)
    let notes = try saveNotes(5000, in: store)
    try store.buildIndexes()
    #expect(try store.verify().problems.isEmpty)
    let tree = try #require(store.registry.tables[0].textIndexes[0].tree)

    try store.update(notes[7]) { $0.title = "changed" }
    try store.delete(notes[9])
    try store.saveChanges()
    #expect(try store.verify().problems.isEmpty)
    // The index forgets that two rows have changed.
    try commit(in: store) { batch in
      for rowID in [RowID(8), 10] {
        let key = batch.arena.append(TextIndexKey.pending(rowID))
        batch.append(.init(keyspace: tree, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
      }
    }
    let report = try store.verify()
    #expect(report.problems.map(\.kind) == [.wrongIndex, .wrongIndex])
    #expect(Set(report.problems.map(\.rowID)) == [8, 10])
    #expect(report.problems.contains { $0.message.contains("other texts") }, "\(report.problems)")
    #expect(report.problems.contains { $0.message.contains("does not exist") }, "\(report.problems)")

    // The index loses its segments.
    var header = try #require(store.session.textIndexes.header(of: tree))
    header.segments = []
    header.renewToken()
    try commit(in: store) { batch in store.append(header, to: tree, &batch) }
    store.session.textIndexes.note(header, of: tree)
    let missing = try store.verify()
    #expect(missing.problemCount == 1000 && missing.problems.allSatisfy { $0.message.contains("lacks") })

    try store.rebuildIndexes(of: TitledNote.self)
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  @Test func `a damaged segment is reported as part of its index`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    var configuration = StoreConfiguration()
    configuration.indexBuilding = .manual
    var store = try Store(.directory(path), classes: [TitledNote.self], configuration: configuration)
    _ = try saveNotes(5000, in: store)
    try store.buildIndexes()
    try store.close()
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: path).first { $0.hasSuffix("title_1.kch") })
    let file = URL(filePath: "\(path)/\(name)")
    var bytes = try Data(contentsOf: file)
    for place in stride(from: bytes.count / 4, to: bytes.count, by: 9000) { bytes[place] ^= 0xFF }
    try bytes.write(to: file)
    store = try Store(.directory(path), classes: [TitledNote.self], configuration: configuration)
    let problems = try store.verify().problems
    #expect(problems.contains { $0.kind == .damagedRecord && $0.message.contains("Page ") }, "\(problems)")
    #expect(problems.allSatisfy { $0.rowID == nil && $0.message.hasPrefix("Text index \"title\"") }, "\(problems)")
    try store.rebuildIndexes(of: TitledNote.self)
    #expect(try store.verify().problems.isEmpty)
    try store.close()
  }

  private func commit(in store: Store, _ append: (inout WriteBatch) -> Void) throws {
    var batch = WriteBatch()
    append(&batch)
    batch.sort()
    store.noteCommit(try store.sealing.commit(batch, durability: .relaxed), durability: .relaxed)
  }
}

private final class TitledNote: StoredObject {
  var title = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\TitledNote.title, name: "title")] }

  required init() {}

  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }

  override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }
}
