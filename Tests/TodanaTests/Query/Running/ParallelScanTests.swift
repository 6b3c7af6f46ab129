// Scans of so many objects that several threads read them.
import TestSupport
import Testing
import Todana

@Suite struct ParallelScanTests {
  private static let count = 40_000

  private func store(in directory: TemporaryDirectory, _ kind: EveryBackend) throws -> Store {
    let store = try Store(backend: try kind.open(in: directory), classes: [Note.self])
    for number in 0..<Self.count {
      let note = Note()
      note.text = "note \(number * 7919 % Self.count)"
      note.number = Int32(number)
      try store.insert(note)
    }
    try store.saveChanges()
    return store
  }

  private final class Note: StoredObject {
    var text = ""
    var number: Int32 = 0
    var before: Note?

    override func readContent(from buffer: inout DataBuffer) throws {
      text = try buffer.readString()
      number = try buffer.readInt32()
      before = try buffer.readReference(Note.self)
      // Stands for a program's own check.
      if number == -2 { throw Unreadable() }
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(text)
      buffer.writeInt32(number)
      buffer.writeReference(before)
    }
  }

  private struct Unreadable: Error {}

  @Test(arguments: EveryBackend.allCases)
  func `a parallel scan finds the objects that a plain filter finds`(kind: EveryBackend) throws {
    let directory = try TemporaryDirectory()
    let store = try store(in: directory, kind)
    defer { try? store.backend.close() }
    let expected = (0..<Self.count).filter { "note \($0 * 7919 % Self.count)".hasSuffix("77") }
    let query = Note.where { $0.text.hasSuffix("77") }
    #expect(try store.values(query, of: \.number).map(Int.init) == expected)
    #expect(try store.count(query) == expected.count)
    #expect(try store.ids(query).count == expected.count)
    #expect(try store.fetch(query).map { Int($0.number) } == expected)
    #expect(
      try store.fetch(query.sorted(by: \.number, .descending).limit(3)).map { Int($0.number) }
        == expected.suffix(3).reversed())
    #expect(try store.fetch(query.offset(20).limit(5)).map { Int($0.number) } == Array(expected[20..<25]))
    #expect(try store.sum(query, of: \.number) == expected.reduce(0, +))
    // The first matches are far from the places where the threads begin.
    #expect(try store.first(Note.where { $0.number == 30_000 && $0.text.hasPrefix("note") })?.number == 30_000)
    #expect(try store.exists(Note.where { $0.number == -1 }) == false)
  }

  @Test func `pending objects are tested with their current values`() throws {
    let directory = try TemporaryDirectory()
    let store = try store(in: directory, .directory)
    defer { try? store.close() }
    let all = try store.fetch(Note.all)
    all[35_000].willUpdate()
    all[35_000].text = "changed"
    try store.delete(all[36_000])
    let query = Note.where { $0.number >= 34_999 && $0.number <= 36_001 && $0.text.hasPrefix("note") }
    #expect(try store.count(query) == 1001)
    #expect(try store.count(query, includingPending: false) == 1003)
    #expect(try store.fetch(Note.where { $0.text == "changed" }).map { $0.number } == [35_000])
  }

  @Test func `an unreadable object ends the scan, wherever it is`() throws {
    let directory = try TemporaryDirectory()
    let store = try store(in: directory, .directory)
    defer { try? store.close() }
    let note = try #require(try store.first(Note.where { $0.number == 39_000 }))
    note.willUpdate()
    note.number = -2
    try store.saveChanges()
    let rowID = try #require(note.id?.rowID)
    try store.turnIntoFault(note)
    let error = #expect(throws: StoreError.self) { try store.count(Note.where { $0.text == "none" }) }
    #expect(error?.rowID == rowID)
    // The store can still be used.
    #expect(try store.count(Note.all) == Self.count)
  }

  @Test func `a condition on other objects is evaluated on the caller's thread`() throws {
    let directory = try TemporaryDirectory()
    let store = try store(in: directory, .directory)
    defer { try? store.close() }
    let all = try store.fetch(Note.all)
    for number in 20_000..<20_010 {
      all[number].willUpdate()
      all[number].before = all[number - 1]
    }
    try store.saveChanges()
    #expect(try store.count(Note.where { $0.before.text.hasPrefix("note") }) == 10)
    #expect(try store.count(Note.where { $0.before == all[20_003] }) == 1)
    #expect(try !store.explain(Note.where { $0.before.text.hasPrefix("note") }).description.contains("threads"))
  }
}
