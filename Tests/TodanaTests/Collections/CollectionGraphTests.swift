import TestSupport
import Testing

@testable import Todana

/// Objects in collections within the object graph: undo, relationships, changes of other stores.
@Suite struct CollectionGraphTests {
  private typealias Record = CollectionTests.Record

  @Test func `objects in collections are undone`() throws {
    let store = try Store(.inMemory, classes: [])
    store.undoStack = UndoStack()
    try store.describeCollection(named: "users", of: Record.self, [])
    let record = Record(["n": 1])
    try store.insert(record, into: "users")
    try store.saveChanges()
    try store.update(record) { $0.values = ["n": 2] }
    try store.saveChanges()
    try store.delete(record)
    try store.saveChanges()
    try store.undo()
    try store.undo()
    try store.saveChanges()
    #expect(try store.fetch(Record.all.in(collection: "users")).map(\.values) == [["n": 1]])
  }

  private final class Album: StoredObject {
    var cover: Record?
    var pages: [Record] = []

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeReference(cover)
      buffer.writeReferences(pages)
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      cover = try buffer.readReference()
      pages = try buffer.readReferences()
    }

    override class var relationships: [Relationship] {
      [Relationship(\Album.cover, onTargetDelete: .deny), Relationship(\Album.pages, onDelete: .cascade)]
    }
  }

  @Test(arguments: EveryBackend.allCases) func `rules of relationships hold for objects in collections`(
    kind: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [Album.self])
    try store.describeCollection(named: "a", of: Record.self, [])
    try store.describeCollection(named: "b", of: Record.self, [])
    let (cover, first, second) = (Record(["n": 1]), Record(["n": 2]), Record(["n": 3]))
    try store.insert(cover, into: "a")
    try store.insert(first, into: "a")
    try store.insert(second, into: "b")
    let album = Album()
    (album.cover, album.pages) = (cover, [first, second])
    try store.insert(album)
    try store.saveChanges()
    // Another store knows neither the collections nor the objects before it deletes one.
    let other = try Store(backend: backend, classes: [Album.self])
    let coverID = try #require(cover.id)
    let denied = #expect(throws: StoreError.self) { try other.delete([coverID]) }
    #expect(denied?.code == .deleteDenied)
    try other.delete([try #require(second.id)])
    try other.saveChanges()
    #expect(try other.fetch(Album.self).first?.pages.compactMap(\.id) == [first.id].compactMap { $0 })
    try store.refresh()
    try store.update(album) { $0.cover = nil }
    try store.delete(album)
    try store.saveChanges()
    #expect(try store.count(Record.all.in(collection: "a")) == 1)
    #expect(try store.count(Record.all.in(collection: "b")) == 0)
    #expect(try store.verify().isSound)
  }

  @Test(arguments: EveryBackend.allCases) func `an object is current until it or its record changes`(
    kind: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let backend = try kind.open(in: directory)
    let store = try Store(backend: backend, classes: [])
    let other = try Store(backend: backend, classes: [])
    try store.describeCollection(named: "users", of: Record.self, [])
    let record = Record(["n": 1])
    #expect(throws: StoreError.self) { try store.isCurrent(record) }
    let id = try store.insert(record, into: "users")
    #expect(try !store.isCurrent(record))
    try store.saveChanges()
    #expect(try store.isCurrent(record))
    try store.update(record) { $0.values = ["n": 2] }
    #expect(try !store.isCurrent(record))
    try store.saveChanges()
    let copy = try #require(try other.fetch(id))
    try other.update(copy) { $0.values = ["n": 3] }
    try other.saveChanges()
    #expect(try other.isCurrent(copy))
    #expect(try !store.isCurrent(record))
    try store.refresh()
    #expect(try store.isCurrent(record))
    try other.delete(copy)
    try other.saveChanges()
    #expect(try !store.isCurrent(record))
  }
}
