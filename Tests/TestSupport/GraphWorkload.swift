public import Todana

/// Saves of objects with relationships that depend only on their number, so that a second process knows the state after
/// each one.
///
/// Save *n* inserts a shelf with six books, some of which refer to books of the shelf before, and deletes the shelf of
/// five saves ago with its books. So the rules cascade to books, and set references to them to nil.
public enum GraphWorkload {
  public static let classes: [StoredObject.Type] = [Shelf.self, Book.self]

  public final class Shelf: StoredObject {
    public var number = 0
    public var books: [Book] = []

    public override class var relationships: [Relationship] { [Relationship(\Shelf.books, onDelete: .cascade)] }

    public override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      books = try buffer.readReferences()
    }
    public override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeReferences(books)
    }
  }

  public final class Book: StoredObject {
    public var number = 0
    public var sequel: Book?
    /// The books of the shelf before that have the same place, or a later one.
    public var related: [Book] = []
    @Inverse(\Shelf.books) public var shelves: [Shelf]

    public override class var relationships: [Relationship] {
      [Relationship(\Book.sequel), Relationship(\Book.related)]
    }

    public override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      sequel = try buffer.readReference()
      related = try buffer.readReferences()
    }
    public override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeReference(sequel)
      buffer.writeReferences(related)
    }
  }

  /// The number of shelves that a save leaves.
  private static let shelfCount = 5
  private static let booksOnShelf = 6

  /// Performs save `number` in a store whose last save was the previous number.
  public static func save(_ number: Int, to store: Store, durability: Durability = .full) throws {
    try change(number, in: store)
    try store.saveChanges(durability: durability)
  }

  /// Makes the changes of save `number` pending.
  public static func change(_ number: Int, in store: Store) throws {
    let shelves = try store.fetch(Shelf.self)
    let former = shelves.first { $0.number == number - 1 }?.books ?? []
    try store.load(former)
    let shelf = Shelf()
    shelf.number = number
    for place in 0..<booksOnShelf {
      let book = Book()
      book.number = number * booksOnShelf + place
      if place % 2 == 0 { book.sequel = former.first { $0.number % booksOnShelf == place } }
      book.related = former.filter { $0.number % booksOnShelf >= place }
      try store.insert(book)
      shelf.books.append(book)
    }
    try store.insert(shelf)
    if let oldest = shelves.first(where: { $0.number == number - shelfCount }) { try store.delete(oldest) }
    try store.writeNamedBuffer("save count") { $0.writeInt(number) }
  }

  /// Returns the number of the last save of a store.
  public static func saveCount(of store: Store) throws -> Int {
    try store.readNamedBuffer("save count") { try $0.readInt() } ?? 0
  }

  /// Returns the differences between a store and the state after a save.
  public static func differences(of store: Store, after saveCount: Int) throws -> [String] {
    var differences: [String] = []
    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ subject: String) {
      if found != expected { differences.append("\(subject): \(found), not \(expected)") }
    }
    let first = max(1, saveCount - shelfCount + 1)
    let numbers = Array(first..<max(first, saveCount + 1))
    let shelves = try store.fetch(Shelf.self).sorted { $0.number < $1.number }
    let books = try store.fetch(Book.self).sorted { $0.number < $1.number }
    expect(shelves.map(\.number), numbers, "shelves")
    expect(
      books.map(\.number), numbers.flatMap { shelf in (0..<booksOnShelf).map { shelf * booksOnShelf + $0 } }, "books")
    for shelf in shelves {
      expect(shelf.books.map(\.number), (0..<booksOnShelf).map { shelf.number * booksOnShelf + $0 }, "books on a shelf")
    }
    for book in books {
      let (shelf, place) = (book.number / booksOnShelf, book.number % booksOnShelf)
      // The books of the shelf before were deleted if it was.
      let former = shelf == first ? [] : (0..<booksOnShelf).map { (shelf - 1) * booksOnShelf + $0 }
      expect(book.sequel?.number, place % 2 == 0 && !former.isEmpty ? former[place] : nil, "sequel of \(book.number)")
      expect(book.related.map(\.number), Array(former.dropFirst(place)), "related books of \(book.number)")
      expect(book.shelves.map(\.number), [shelf], "shelves of \(book.number)")
    }
    let problems = try store.verify().problems
    if !problems.isEmpty { differences.append("a verification finds \(problems)") }
    return differences
  }
}
