import TestSupport
import Testing
import Todana

@Suite(.overEveryBackend) final class UndoTests {
  private let stores: Stores
  private let store: Store

  init() throws {
    stores = try Stores()
    store = try stores.open()
    store.undoStack = UndoStack()
  }

  deinit { try? store.close(discarding: true) }

  private func titles() throws -> [String] { try store.fetch(Genre.self).map(\.name) }

  @Test func `another store's change makes undoing a conflict`() throws {
    let genre = Genre("Jazz")
    let id = try store.insert(genre)
    try store.saveChanges()
    let other = try stores.open()
    defer { try? other.close(discarding: true) }
    try other.update(try #require(try other.fetch(id))) { $0.name = "Blues" }
    try other.saveChanges()
    try store.refresh()
    try store.undo()
    let conflict = #expect(throws: SaveConflict.self) { try store.saveChanges() }
    #expect(conflict?.objectIDs == [genre.anyID].compactMap(\.self))
    // The change is made again, so that nothing is in the way.
    try store.redo()
    try store.saveChanges()
    #expect(try titles() == ["Blues"])
    try store.undo()
    store.discardChanges()
    #expect(try titles() == ["Blues"])
  }

  @Test(arguments: [false, true])
  func `inserts, updates and deletes are undone and made again`(saves: Bool) throws {
    func save() throws { if saves { try store.saveChanges() } }
    let jazz = Genre("Jazz")
    try store.undoGroup("Insert") { _ = try store.insert(jazz) }
    try save()
    try store.undoGroup("Rename") { try store.update(jazz) { $0.name = "Blues" } }
    try save()
    try store.undoGroup("Delete") { try store.delete(jazz) }
    try save()
    let stack = try #require(store.undoStack)
    #expect(stack.undoName == "Delete" && !stack.canRedo && stack.redoName == nil)
    #expect(try titles() == [])
    try store.undo()
    #expect(try titles() == ["Blues"] && jazz.name == "Blues" && store.fetch(Genre.self).first === jazz)
    #expect(stack.undoName == "Rename" && stack.redoName == "Delete")
    try save()
    try store.undo()
    #expect(try titles() == ["Jazz"])
    try store.undo()
    #expect(try titles() == [] && !stack.canUndo && stack.redoName == "Insert")
    try store.undo()
    try save()
    if !saves { #expect(!store.hasUnsavedChanges) }
    try store.redo()
    try store.redo()
    #expect(try titles() == ["Blues"] && jazz.name == "Blues")
    try save()
    try store.redo()
    #expect(try titles() == [] && !stack.canRedo)
    try store.saveChanges()
    try store.undo()
    try store.saveChanges()
    let again = try stores.open()
    defer { try? again.close() }
    #expect(try again.fetch(Genre.self).map(\.name) == ["Blues"])
    #expect(try again.verify().isSound)
  }

  @Test func `a deleted object returns under its own id, with what rules took away`() throws {
    let (track, other) = (Track("So What"), Track("Nardis"))
    let record = Record("Blue", [track, other])
    let review = Review("Good", of: track)
    for object in [track, other, record, review] as [StoredObject] { try store.insert(object) }
    try store.saveChanges()
    let ids = [track, other, record, review].map { ($0 as StoredObject).anyID }
    try store.delete(track)
    try store.saveChanges()
    #expect(record.tracks == [other] && track.id == nil && review.store == nil)
    try store.undo()
    #expect(record.tracks == [track, other] && review.subject === track)
    #expect([track, other, record, review].map { ($0 as StoredObject).anyID } == ids)
    #expect(try track.referrers(\Record.tracks) == [record])
    try store.saveChanges()
    let again = try stores.open()
    defer { try? again.close() }
    #expect(try again.fetch(Record.self, loading: \.tracks).first?.tracks.map(\.title) == ["So What", "Nardis"])
    #expect(try again.count(Review.self) == 1 && again.verify().isSound)
  }

  @Test(arguments: [false, true])
  func `objects deleted by their ids return`(isSaved: Bool) throws {
    let ids = try store.insert(contentsOf: (1...5).map { Genre("Genre \($0)") })
    try store.saveChanges()
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    second.undoStack = UndoStack()
    try second.delete(Array(ids[1...3]))
    if isSaved { try second.saveChanges() }
    #expect(try second.count(Genre.self) == 2)
    try second.undo()
    #expect(try second.fetch(Genre.self).map(\.name) == (1...5).map { "Genre \($0)" })
    try second.saveChanges()
    try store.refresh()
    #expect(try titles() == (1...5).map { "Genre \($0)" })
    #expect(try store.verify().isSound)
  }

  @Test func `named buffers and changes by a query are undone`() throws {
    try store.insert(contentsOf: (1...5).map { Genre("Genre \($0)") })
    try store.writeNamedBuffer("notes") { $0.writeString("first") }
    try store.saveChanges()
    try store.undoGroup("All") {
      try store.update(Genre.all) { $0.name += "!" }
      try store.writeNamedBuffer("notes") { $0.writeString("second") }
      try store.writeNamedBuffer("other") { $0.writeString("other") }
    }
    try store.saveChanges()
    try store.removeNamedBuffer("notes")
    func notes() throws -> String? { try store.readNamedBuffer("notes") { buffer in try buffer.readString() } }
    #expect(try notes() == nil)
    try store.undo()
    #expect(try notes() == "second")
    try store.undo()
    #expect(try notes() == "first" && titles() == (1...5).map { "Genre \($0)" })
    #expect(try store.namedBufferNames() == ["notes"])
    try store.saveChanges()
    try store.redo()
    #expect(try notes() == "second" && store.namedBufferNames() == ["notes", "other"])
    try store.saveChanges()
    #expect(try titles() == (1...5).map { "Genre \($0)!" })
  }

  @Test func `a save closes a level, and groups join the outer one`() throws {
    let stack = try #require(store.undoStack)
    for number in 1...3 {
      try store.insert(Genre("\(number)"))
      try store.saveChanges()
    }
    try store.undoGroup("Outer") {
      try store.insert(Genre("4"))
      try store.saveChanges()
      try store.undoGroup("Inner") { _ = try store.insert(Genre("5")) }
    }
    #expect(stack.undoName == "Outer")
    try store.undo()
    #expect(try titles() == ["1", "2", "3"])
    try store.undo()
    #expect(try titles() == ["1", "2"] && stack.undoName == nil && stack.canUndo)
    // A new change drops the levels for redo.
    try store.insert(Genre("6"))
    #expect(!stack.canRedo)
    let error = #expect(throws: StoreError.self) { try store.savepoint { try store.undo() } }
    #expect(error?.code == .withinSavepoint)
    #expect(throws: StoreError.self) { try store.undoGroup { try store.undo() } }
    #expect(try titles() == ["1", "2", "6"])
  }

  @Test func `discarding takes an undoing back`() throws {
    let (genre, stack) = (Genre("A"), try #require(store.undoStack))
    try store.insert(genre)
    try store.saveChanges()
    for name in ["B", "C"] {
      try store.undoGroup("to \(name)") { try store.update(genre) { $0.name = name } }
      try store.saveChanges()
    }
    try store.undo()
    try store.undo()
    store.discardChanges()
    #expect(genre.name == "C" && stack.undoName == "to C" && !stack.canRedo)
    try store.undo()
    try store.update(genre) { $0.name = "D" }
    store.discardChanges()
    #expect(genre.name == "C" && stack.undoName == "to C")
    try store.undo()
    #expect(genre.name == "B")
    try store.saveChanges()
    try store.redo()
    store.discardChanges()
    #expect(genre.name == "B" && stack.undoName == "to B" && stack.redoName == "to C")
    try store.redo()
    try store.saveChanges()
    #expect(genre.name == "C")
    // A save without changes ends a level, too.
    try store.undoGroup("x") { _ = try store.insert(Genre("x")) }
    let last = try #require(try store.fetch(Genre.where { $0.name == "x" }).first)
    try store.delete(last)
    try store.saveChanges()
    try store.insert(Genre("y"))
    try store.saveChanges()
    try store.undo()
    #expect(try titles() == ["C"])
    // A stack that is given to another store leaves this one.
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    second.undoStack = stack
    #expect(store.undoStack == nil && !stack.canUndo)
  }

  @Test func `the oldest levels go`() throws {
    store.undoStack = UndoStack(levels: 3)
    for number in 1...5 {
      try store.insert(Genre("\(number)"))
      try store.saveChanges()
    }
    for _ in 0..<5 { try store.undo() }
    #expect(try titles() == ["1", "2"])
    // A level beyond the limit of bytes is not kept.
    let small = UndoStack(byteLimit: 2000)
    store.undoStack = small
    let genre = Genre(String(repeating: "x", count: 500))
    try store.insert(genre)
    try store.saveChanges()
    for number in 1...10 {
      try store.update(genre) { $0.name = String(repeating: "x", count: 500 + number) }
      try store.saveChanges()
    }
    var count = 0
    while small.canUndo {
      try store.undo()
      count += 1
    }
    #expect((1...4).contains(count))
    try store.update(genre) { $0.name = String(repeating: "y", count: 5000) }
    try store.saveChanges()
    try store.update(genre) { $0.name = "z" }
    #expect(!small.canUndo)
  }

  @Test func `a unique value that was taken meanwhile is an error, and nothing is half undone`() throws {
    let isrc = Unique("A")
    let stores = try Stores(classes: [Unique.self])
    let store = try stores.open()
    defer { try? store.close(discarding: true) }
    store.undoStack = UndoStack()
    try store.insert(isrc)
    try store.saveChanges()
    try store.undoGroup("Two") {
      try store.update(isrc) { $0.key = "B" }
      try store.insert(Unique("C"))
    }
    try store.saveChanges()
    let second = try stores.open()
    defer { try? second.close(discarding: true) }
    try second.insert(Unique("A"))
    try second.saveChanges()
    try store.undo()
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
    try store.redo()
    try store.saveChanges()
    #expect(try second.fetch(Unique.self).map(\.key).sorted() == ["A", "B", "C"])
  }

  @Test func `an unknown outcome empties the stack`() throws {
    guard OverEveryBackend.backend == .faulty, let backend = store.backend as? FaultyBackend else { return }
    try store.insert(Genre("Jazz"))
    try store.saveChanges()
    let stack = try #require(store.undoStack)
    #expect(stack.canUndo)
    backend.failFlush(isApplied: true)
    try store.insert(Genre("Blues"))
    #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(!stack.canUndo && !stack.canRedo)
  }

  @Test func `a failed update, delete or savepoint leaves no level`() throws {
    let genre = Genre("Jazz")
    try store.insert(genre)
    try store.saveChanges()
    let stack = try #require(store.undoStack)
    try store.undo()
    try store.redo()
    try store.saveChanges()
    try store.undo()
    try store.saveChanges()
    try store.redo()
    try store.saveChanges()
    store.undoStack = UndoStack()
    let fresh = try #require(store.undoStack)
    #expect(throws: CancellationError.self) { try store.update(genre) { _ in throw CancellationError() } }
    #expect(throws: CancellationError.self) {
      try store.savepoint {
        try store.undoGroup("Group") { try store.update(genre) { $0.name = "x" } }
        try store.delete(genre)
        throw CancellationError()
      }
    }
    #expect(!fresh.canUndo && genre.name == "Jazz" && stack !== fresh)
  }
}

/// A class with a unique value.
final class Unique: StoredObject {
  var key = ""

  convenience init(_ key: String) {
    self.init()
    self.key = key
  }

  override class var indexes: [Index] { [Index(\Unique.key, unique: true)] }

  override func readContent(from buffer: inout DataBuffer) throws { key = try buffer.readString() }
  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(key) }
}
