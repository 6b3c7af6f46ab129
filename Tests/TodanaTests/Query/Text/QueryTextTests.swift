// Queries from texts, compared with the equivalent queries from closures.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct QueryTextTests {
  /// A text and the equivalent closure.
  struct Pair: CustomTestStringConvertible, Sendable {
    let text: String
    let arguments: [(any Sendable)?]
    let condition: @Sendable (Properties<Piece>) -> Condition<Piece>
    var testDescription: String { text }

    init(
      _ text: String, _ arguments: (any Sendable)?...,
      is condition: @escaping @Sendable (Properties<Piece>) -> Condition<Piece>
    ) {
      self.text = text
      self.arguments = arguments
      self.condition = condition
    }
  }

  static let operators: [Pair] = [
    Pair("seconds = 7") { $0.seconds == 7 }, Pair("seconds == ?", 7) { $0.seconds == 7 },
    Pair("seconds != 7") { $0.seconds != 7 }, Pair("seconds <> ?", UInt8(7)) { $0.seconds != 7 },
    Pair("seconds < 7") { $0.seconds < 7 }, Pair("seconds <= 7") { $0.seconds <= 7 },
    Pair("seconds > 7") { $0.seconds > 7 }, Pair("seconds>=7") { $0.seconds >= 7 },
    Pair("seconds BETWEEN ? AND 9", 3) { $0.seconds.isIn(3...9) },
    Pair("seconds not between 3 and 9") { !$0.seconds.isIn(3...9) },
    Pair("rating > -1.5") { $0.rating > -1.5 }, Pair("rating >= .5e1") { $0.rating >= 5 },
    Pair("rating = 1.") { $0.rating == 1 }, Pair("rating = ?", Float.nan) { $0.rating == .nan },
    Pair("rating < ?", 2) { $0.rating < 2 },
    Pair("rating in (1, 2.5, ?)", Float(4.75)) { $0.rating.isIn([1, 2.5, 4.75]) },
    Pair("genre IN ?", ["Blue", "ab"]) { $0.genre.isIn(["Blue", "ab"]) },
    Pair("genre IN ?", ["Blue", nil] as [String?]) { $0.genre.isIn(["Blue", nil]) },
    Pair("genre NOT IN ('Blue', NULL)") { !$0.genre.isIn(["Blue", nil]) },
    Pair("seconds IN ?", Set([3, 5])) { $0.seconds.isIn([3, 5]) }, Pair("seconds IN ()") { $0.seconds.isIn([]) },
    Pair("genre IN [c] ?", ["BLUE"]) { $0.genre.folded.isIn(["blue"]) },
    Pair("title CONTAINS 'u'") { $0.title.contains("u") },
    Pair("title contains[c] ?", "U") { $0.title.folded.contains("u") },
    Pair("title BEGINSWITH \"B\"") { $0.title.hasPrefix("B") },
    Pair("title beginswith [cd] 'É'") { $0.title.folded.hasPrefix("e") },
    Pair("genre ENDSWITH 'e'") { $0.genre.hasSuffix("e") },
    Pair("genre ENDSWITH[C] 'E'") { $0.genre.folded.hasSuffix("e") },
    Pair("title SEARCH 'blue OR eco*'") { $0.title.matches("blue OR eco*") },
    Pair("genre NOT search ?", "blue") { !$0.genre.matches("blue") },
    Pair("title NOT CONTAINS 'u'") { !$0.title.contains("u") },
    Pair("title ==[c] 'ECOUTE'") { $0.title.folded == "écoute" },
    Pair("title !=[c] 'ECOUTE'") { $0.title.folded != "écoute" },
    Pair("genre <[c] ?", "b") { $0.genre.folded < "b" }, Pair("genre =[c] NULL") { $0.genre.folded == nil },
    Pair("genre IS NULL") { $0.genre == nil }, Pair("genre is not null") { $0.genre != nil },
    Pair("genre = NULL") { $0.genre == nil }, Pair("genre != ?", nil) { $0.genre != nil },
    Pair("genre = ?", String?.none) { $0.genre == nil }, Pair("genre < NULL") { $0.genre < nil },
    Pair("title IS NULL") { _ in .never }, Pair("title IS NOT NULL") { _ in .always },
    Pair("isFavourite") { $0.isFavourite.condition }, Pair("NOT isFavourite") { !$0.isFavourite },
    Pair("isFavourite = FALSE") { $0.isFavourite == false }, Pair("isFavourite = ?", true) { $0.isFavourite == true },
    Pair("tags CONTAINS 'a'") { $0.tags.contains("a") }, Pair("tags CONTAINS NULL") { _ in .never },
    Pair("album IS NULL") { $0.album == nil as Disc? },
    Pair("title > title") { $0.title > $0.title }, Pair("genre = isrc") { $0.genre == $0.isrc },
    Pair("TRUE") { _ in .always }, Pair("NOT TRUE OR FALSE") { _ in .never },
    Pair("title = 'it''s'") { $0.title == "it's" }, Pair("title = \"a\"\"'b\"") { $0.title == "a\"'b" },
    Pair("`title` = ''") { $0.title == "" }, Pair("title = 'a\u{0}b'") { $0.title == "a\u{0}b" },
    Pair("title = '日本'") { $0.title == "日本" },
  ]

  static let precedence: [Pair] = [
    Pair("isFavourite OR seconds = 1 AND seconds = 2") { $0.isFavourite || ($0.seconds == 1 && $0.seconds == 2) },
    Pair("seconds = 1 AND seconds = 2 OR isFavourite") { ($0.seconds == 1 && $0.seconds == 2) || $0.isFavourite },
    Pair("(isFavourite OR seconds = 1) AND seconds < 2") { ($0.isFavourite || $0.seconds == 1) && $0.seconds < 2 },
    Pair("NOT isFavourite AND seconds = 1") { !$0.isFavourite && $0.seconds == 1 },
    Pair("NOT isFavourite OR seconds = 1") { !$0.isFavourite || $0.seconds == 1 },
    Pair("NOT (isFavourite OR seconds = 1)") { !($0.isFavourite || $0.seconds == 1) },
    Pair("NOT NOT NOT isFavourite") { !$0.isFavourite },
    Pair("not seconds between 3 and 5 and isFavourite") { !$0.seconds.isIn(3...5) && $0.isFavourite },
    Pair("!isFavourite&&seconds=1||seconds=2") { (!$0.isFavourite && $0.seconds == 1) || $0.seconds == 2 },
    Pair("seconds > ? AND (title BEGINSWITH ? OR NOT genre IN ?)", 5, "B", ["Blue", "ab"]) {
      $0.seconds > 5 && ($0.title.hasPrefix("B") || !$0.genre.isIn(["Blue", "ab"]))
    },
  ]

  @Test(arguments: operators + precedence)
  func `a text is the same query as a closure`(_ pair: Pair) throws {
    let (store, _) = try pieces(count: 200, seed: 1)
    let query = try Piece.where(pair.text, arguments: pair.arguments)
    let typed = Piece.where(pair.condition)
    #expect(try store.ids(query) == store.ids(typed))
    #expect(try store.explain(query).description == store.explain(typed).description)
  }

  @Test func `references are compared by identity`() throws {
    let (store, albums) = try pieces(count: 60, seed: 2)
    let id = try #require(albums[0].id)
    let other = try #require(albums[1].id)
    for argument: any Sendable in [id, id.untyped, "\(id)"] {
      let query = try Piece.where("album = ?", argument)
      #expect(try store.ids(query) == store.ids(Piece.where { $0.album == id }))
      #expect(try store.explain(query).indexNames == ["album"])
    }
    let unlike = try Piece.where("album != ?", id)
    #expect(try store.ids(unlike) == store.ids(Piece.where { !($0.album == id) }))
    let several = try Piece.where("album IN ?", [id, other])
    #expect(try store.ids(several) == store.ids(Piece.where { $0.album == id || $0.album == other }))
  }

  @Test func `an index is used`() throws {
    let (store, _) = try pieces(count: 500, seed: 3)
    func indexNames(_ text: String, _ arguments: (any Sendable)?...) throws -> [String] {
      try store.explain(Piece.where(text, arguments: arguments)).indexNames
    }
    #expect(try indexNames("seconds = ?", 5) == ["seconds"])
    #expect(try indexNames("genre = 'Blue' AND title BEGINSWITH 'B'") == ["genre, title"])
    #expect(try indexNames("isrc = 'I17'") == ["isrc"])
    #expect(try indexNames("title =[c] 'ECOUTE'") == ["folded(title)"])
    #expect(try indexNames("tags CONTAINS 'a' AND seconds >= 0") == ["each(tags)"])
    #expect(try indexNames("isFavourite AND rating = 2.5") == ["favourites"])
  }

  @Test func `a text can define a sort order`() throws {
    let (store, _) = try pieces(count: 100, seed: 4)
    let query = try Piece.where("seconds < 15").sorted(byText: "genre, seconds DESC , `title`[c] asc, genre DESC")
    let typed = Piece.where { $0.seconds < 15 }.sorted(by: \.genre).sorted(by: \.seconds, .descending)
      .sorted(byFolded: \.title)
    #expect(try store.ids(query) == store.ids(typed))
    #expect(try store.explain(query).description == store.explain(typed).description)
    let narrowed = try Piece.all.where("seconds > ?", 3).where("seconds < 8").sorted(byText: "seconds")
    #expect(
      try store.ids(narrowed) == store.ids(Piece.where { $0.seconds > 3 && $0.seconds < 8 }.sorted(by: \.seconds)))
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random texts are the same queries as closures`(seed: UInt64) throws {
    let (store, _) = try pieces(count: 80, seed: seed)
    var generator = QueryTextGenerator(SeededGenerator(seed: seed))
    for _ in 0..<300 {
      let random = generator.condition(depth: 3)
      let query = try Piece.where(random.text, arguments: random.arguments)
      let typed = Piece.where { _ in random.condition }
      #expect(try store.ids(query) == store.ids(typed), "\(random.text) \(random.arguments)")
      #expect(try store.explain(query).description == store.explain(typed).description, "\(random.text)")
    }
  }
}

func pieces(count: Int, seed: UInt64) throws -> (store: Store, albums: [Disc]) {
  let store = try Store(backend: KyotoBackend(.inMemory), classes: [Piece.self, Disc.self])
  let albums = try ["Kind of Blue", "Abbey Road", "Blue"].map { title in
    let album = Disc()
    album.title = title
    try store.insert(album)
    return album
  }
  var generator = QueryGenerator(generator: SeededGenerator(seed: seed), albums: albums)
  var uniqueNumber = 0
  for _ in 0..<count {
    let piece = Piece()
    generator.fill(piece, uniqueNumber: &uniqueNumber)
    try store.insert(piece)
  }
  try store.saveChanges()
  return (store, albums)
}
