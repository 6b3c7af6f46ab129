// Queries from Foundation's predicates, compared with the equivalent queries from closures.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct PredicateTests {
  /// A predicate and the equivalent closure.
  struct Pair: CustomTestStringConvertible, Sendable {
    let name: String
    let predicate: Predicate<Piece>
    let condition: @Sendable (Properties<Piece>) -> Condition<Piece>
    var testDescription: String { name }

    init(
      _ name: String, _ predicate: Predicate<Piece>,
      is condition: @escaping @Sendable (Properties<Piece>) -> Condition<Piece>
    ) {
      self.name = name
      self.predicate = predicate
      self.condition = condition
    }
  }

  static let comparisons: [Pair] = [
    Pair("==", #Predicate<Piece> { $0.seconds == 7 }) { $0.seconds == 7 },
    Pair("!=", #Predicate<Piece> { $0.title != "Blue" }) { $0.title != "Blue" },
    Pair("<", #Predicate<Piece> { $0.seconds < 7 }) { $0.seconds < 7 },
    Pair("<=", #Predicate<Piece> { $0.title <= "Blue" }) { $0.title <= "Blue" },
    Pair(">", #Predicate<Piece> { $0.rating > -1.5 }) { $0.rating > -1.5 },
    Pair(">=", #Predicate<Piece> { $0.rating >= 1 }) { $0.rating >= 1 },
    Pair("turned around", #Predicate<Piece> { 7 < $0.seconds }) { $0.seconds > 7 },
    Pair("turned around, equal", #Predicate<Piece> { "Blue" == $0.title }) { $0.title == "Blue" },
    Pair("optional", #Predicate<Piece> { $0.genre == "Blue" }) { $0.genre == "Blue" },
    Pair("nil", #Predicate<Piece> { $0.genre == nil }) { $0.genre == nil },
    Pair("not nil", #Predicate<Piece> { $0.isrc != nil }) { $0.isrc != nil },
    Pair("properties", #Predicate<Piece> { $0.genre == $0.isrc }) { $0.genre == $0.isrc },
    Pair("Bool", #Predicate<Piece> { $0.isFavourite }) { $0.isFavourite.condition },
    Pair("Bool, compared", #Predicate<Piece> { $0.isFavourite == false }) { $0.isFavourite == false },
    Pair("constant", #Predicate<Piece> { _ in true }) { _ in .always },
    Pair("bytes", #Predicate<Piece> { $0.title == "e\u{301}coute" }) { $0.title == "e\u{301}coute" },
    Pair("reference", #Predicate<Piece> { $0.album?.title == "Blue" }) { $0.album.title == "Blue" },
    Pair("reference, no", #Predicate<Piece> { $0.album?.year == nil }) { $0.album.year == nil },
  ]

  private static let genres: [String?] = ["Blue", nil, "ab"]
  private static let seconds: Set<UInt32> = [3, 5, 8]
  private static let range: Range<UInt32> = 3..<9

  static let searches: [Pair] = [
    Pair("starts", #Predicate<Piece> { $0.title.starts(with: "B") }) { $0.title.hasPrefix("B") },
    Pair("contains text", #Predicate<Piece> { $0.title.contains("lu") }) { $0.title.contains("lu") },
    Pair("contains element", #Predicate<Piece> { $0.tags.contains("a") }) { $0.tags.contains("a") },
    Pair("array", #Predicate<Piece> { genres.contains($0.genre) }) { $0.genre.isIn(genres) },
    Pair("set", #Predicate<Piece> { seconds.contains($0.seconds) }) { $0.seconds.isIn(seconds) },
    Pair("range", #Predicate<Piece> { range.contains($0.seconds) }) { $0.seconds.isIn(range) },
    Pair("closed range", #Predicate<Piece> { (3...9).contains($0.seconds) }) { $0.seconds.isIn(3...9) },
    Pair("optional text", #Predicate<Piece> { $0.genre?.starts(with: "B") == true }) { $0.genre.hasPrefix("B") },
    Pair("optional text, else", #Predicate<Piece> { $0.genre?.contains("l") ?? false }) { $0.genre.contains("l") },
    Pair("text of a reference", #Predicate<Piece> { ($0.album?.title ?? "") != "" || $0.seconds == 1 }) {
      $0.album != nil as Disc? || $0.seconds == 1
    },
  ]

  static let compounds: [Pair] = [
    Pair("and", #Predicate<Piece> { $0.seconds > 5 && $0.title.starts(with: "B") }) {
      $0.seconds > 5 && $0.title.hasPrefix("B")
    },
    Pair("or", #Predicate<Piece> { $0.seconds == 5 || $0.genre == "Blue" }) { $0.seconds == 5 || $0.genre == "Blue" },
    Pair("not", #Predicate<Piece> { !($0.isFavourite && $0.seconds < 9) }) { !($0.isFavourite && $0.seconds < 9) },
    Pair("all", #Predicate<Piece> { $0.seconds > 5 && ($0.title.starts(with: "B") || !$0.isFavourite) }) {
      $0.seconds > 5 && ($0.title.hasPrefix("B") || !$0.isFavourite)
    },
    Pair("partial index", #Predicate<Piece> { $0.isFavourite && $0.rating == 2.5 }) {
      $0.isFavourite && $0.rating == 2.5
    },
  ]

  @Test(arguments: comparisons + searches + compounds)
  func `a predicate is the same query as a closure`(_ pair: Pair) throws {
    let (store, _) = try pieces(count: 200, seed: 1)
    let query = Piece.where(pair.predicate)
    let typed = Piece.where(pair.condition)
    #expect(try store.ids(query) == store.ids(typed))
    if pair.name != "text of a reference" {
      #expect(try store.explain(query).description == store.explain(typed).description)
    }
  }

  @Test func `an index is used`() throws {
    let (store, _) = try pieces(count: 500, seed: 3)
    func indexNames(_ predicate: Predicate<Piece>) throws -> [String] {
      try store.explain(Piece.where(predicate)).indexNames
    }
    #expect(try indexNames(#Predicate { $0.seconds == 5 }) == ["seconds"])
    #expect(try indexNames(#Predicate { $0.genre == "Blue" && $0.title.starts(with: "B") }) == ["genre, title"])
    #expect(try indexNames(#Predicate { $0.tags.contains("a") }) == ["each(tags)"])
    // The index is used even if a part of the predicate must be evaluated.
    #expect(
      try indexNames(#Predicate { $0.seconds == 5 && $0.title.count > 3 && $0.tags.count * 2 == 4 }) == ["seconds"])
  }

  /// A predicate with parts that no condition expresses, and its evaluation for plain values.
  struct Evaluated: CustomTestStringConvertible, Sendable {
    let name: String
    let predicate: Predicate<Piece>
    let holds: @Sendable (PieceValues) -> Bool
    var testDescription: String { name }
  }

  private static let ranks = ["Blue": 1, "z": 2]

  // swift-format-ignore: NeverForceUnwrap
  private static let unwrapping = #Predicate<Piece> { $0.genre != nil && $0.genre! == "Blue" }

  static let evaluated: [Evaluated] = [
    Evaluated(name: "arithmetic", predicate: #Predicate<Piece> { $0.seconds % 3 == 1 }) { $0.seconds % 3 == 1 },
    Evaluated(name: "else", predicate: #Predicate<Piece> { ($0.genre ?? "x") == "x" }) { ($0.genre ?? "x") == "x" },
    Evaluated(name: "elements", predicate: #Predicate<Piece> { $0.tags.contains { $0 == "a" || $0 == "ab" } }) {
      $0.tags.contains { $0 == "a" || $0 == "ab" }
    },
    Evaluated(name: "dictionary", predicate: #Predicate<Piece> { ranks[$0.title] == 1 }) { $0.title == "Blue" },
    Evaluated(name: "condition", predicate: #Predicate<Piece> { $0.isFavourite ? $0.seconds > 5 : $0.seconds == 3 }) {
      $0.isFavourite ? $0.seconds > 5 : $0.seconds == 3
    },
    Evaluated(name: "unwrapped", predicate: unwrapping) { $0.genre == "Blue" },
    Evaluated(name: "mixed", predicate: #Predicate<Piece> { $0.seconds < 9 && !($0.seconds % 2 == 0) }) {
      $0.seconds < 9 && $0.seconds % 2 == 1
    },
    Evaluated(name: "reference, else", predicate: #Predicate<Piece> { ($0.album?.title ?? "none") == "none" }) {
      $0.album == nil
    },
    Evaluated(name: "reference, text", predicate: #Predicate<Piece> { $0.album?.title.contains("Blue") == true }) {
      $0.albumTitle?.contains("Blue") == true
    },
    Evaluated(name: "reference, unlike", predicate: #Predicate<Piece> { $0.album?.title.contains("Blue") != true }) {
      $0.albumTitle?.contains("Blue") != true
    },
  ]

  @Test(arguments: evaluated)
  func `a predicate without an equivalent condition is evaluated`(_ evaluated: Evaluated) throws {
    let (store, albums) = try pieces(count: 200, seed: 4)
    let query = Piece.where(evaluated.predicate)
    // Evaluate with the albums in memory.
    let expected = try withExtendedLifetime(albums) {
      try store.fetch(Piece.self).map { PieceValues($0, rowID: $0.id?.rowID ?? 0) }.filter(evaluated.holds)
    }
    #expect(try store.ids(query).map(\.rowID) == expected.map(\.rowID))
    // Compare with a store that has none of the referenced objects in memory.
    let other = try Store(backend: store.backend, classes: [Piece.self, Disc.self])
    #expect(try other.ids(query).map(\.rowID) == expected.map(\.rowID))
    #expect(try other.explain(query).description.contains("predicate "))
  }

  @Test func `a predicate that cannot be evaluated is an error`() throws {
    let (store, _) = try pieces(count: 50, seed: 5)
    let error = try #require(throws: StoreError.self) {
      try store.ids(Piece.where(#Predicate<Piece> { $0.genre! == "Blue" }))
    }
    #expect(error.code == .invalidQuery)
    #expect(error.underlying is PredicateError)
  }

  @Test func `a predicate over objects that would not be loaded is an error`() throws {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Shelf.self, Disc.self])
    let query = Shelf.where(#Predicate<Shelf> { $0.discs.contains { $0.title == "Blue" } })
    let error = try #require(throws: StoreError.self) { try store.ids(query) }
    #expect(error.code == .invalidQuery)
    #expect(error.message.contains("Disc objects"))
    #expect(try store.ids(Shelf.where(#Predicate<Shelf> { $0.discs.count > 1 })) == [])
  }

  @Test func `a predicate narrows a query`() throws {
    let (store, _) = try pieces(count: 100, seed: 6)
    let query = try Piece.where { $0.seconds > 3 }.where(#Predicate<Piece> { $0.seconds < 9 }).where("isFavourite")
      .sorted(by: \.title)
    let typed = Piece.where { $0.seconds > 3 && $0.seconds < 9 && $0.isFavourite }.sorted(by: \.title)
    #expect(try store.ids(query) == store.ids(typed))
  }

  @Test func `properties of structures and of other objects are found`() throws {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Shelf.self, Disc.self])
    for number in 0..<20 {
      let disc = Disc()
      disc.title = "Disc \(number % 4)"
      let shelf = Shelf()
      shelf.place.room = number % 3 == 0 ? "Hall" : "Attic"
      shelf.first = disc
      shelf.next = number % 2 == 0 ? nil : shelf
      try store.insert(disc)
      try store.insert(shelf)
    }
    try store.saveChanges()
    let other = try Store(backend: store.backend, classes: [Shelf.self, Disc.self])
    func compare(_ predicate: Predicate<Shelf>, _ typed: Query<Shelf>) throws {
      let query = Shelf.where(predicate)
      #expect(try other.ids(query) == store.ids(typed))
      #expect(try other.explain(query).description == store.explain(typed).description)
    }
    try compare(#Predicate { $0.place.room == "Hall" }, Shelf.where { $0.place.room == "Hall" })
    try compare(#Predicate { $0.first.title == "Disc 1" }, Shelf.where { $0.first.title == "Disc 1" })
    try compare(#Predicate { $0.next?.place.room == "Hall" }, Shelf.where { $0.next.place.room == "Hall" })
    try compare(#Predicate { $0.next?.place.row == 1 }, Shelf.where { $0.next.place.row == 1 })
    #expect(try other.count(Shelf.where { $0.next.place.room != nil }) == 10)
    #expect(try other.count(Shelf.where { $0.other.room == "Hall" }) == 0)
    #expect(try other.count(Shelf.where { $0.other.room == nil && $0.other.row == nil }) == 20)
    try compare(
      #Predicate { $0.next?.next?.first.title == "Disc 1" }, Shelf.where { $0.next.next.first.title == "Disc 1" })
  }
}

struct Place: Sendable {
  var room = ""
  var row: Int?
}

final class Shelf: StoredObject {
  var place = Place()
  var other: Place?
  var discs: [Disc] = []
  var first = Disc()
  var next: Shelf?

  override class var indexes: [Index] { [Index(\Shelf.place.room, name: "room")] }

  override func readContent(from buffer: inout DataBuffer) throws {
    place.room = try buffer.readString()
    first = try buffer.readReference(Disc.self) ?? Disc()
    next = try buffer.readReference(Shelf.self)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(place.room)
    buffer.writeReference(first)
    buffer.writeReference(next)
  }
}
