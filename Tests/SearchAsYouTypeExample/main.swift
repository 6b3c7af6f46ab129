import Todana

final class Song: StoredObject {
  var title = ""
  var genre = ""
  var year: UInt16 = 0

  override class var textIndexes: [TextIndex] { [TextIndex(\Song.title)] }

  convenience init(_ title: String, _ genre: String, _ year: UInt16) {
    self.init()
    (self.title, self.genre, self.year) = (title, genre, year)
  }
  override func readContent(from buffer: inout DataBuffer) throws {
    title = try buffer.readString()
    genre = try buffer.readString()
    year = try buffer.readUInt16()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(title)
    buffer.writeString(genre)
    buffer.writeUInt16(year)
  }
}

/// The contents of a search field, and the values that were chosen below it.
struct Search: Sendable, Equatable {
  var text = ""
  var genre: String?
  var year: UInt16?

  /// The query that is counted: all words, the last one as the beginning of a word.
  func query(byGenre: Bool = true, byYear: Bool = true) -> Query<Song> {
    query(TextExpression(typed: text), byGenre, byYear)
  }

  /// The query for the results: a space completes the last word, so songs with exactly this word come first.
  var ranked: Query<Song> {
    query(TextExpression(typed: text) || TextExpression(typed: text + " "), true, true).sorted(by: .relevance)
  }

  private func query(_ words: TextExpression, _ byGenre: Bool, _ byYear: Bool) -> Query<Song> {
    var query = Song.where { $0.title.matches(words) }
    if byGenre, let genre { query = query.where { $0.genre == genre } }
    if byYear, let year { query = query.where { $0.year == year } }
    return query
  }
}

/// Everything that is shown for a search.
struct Results: Sendable {
  var titles: [String] = []
  var count = 0
  var genres: [(genre: String, count: Int)] = []
  var years: [(year: UInt16, count: Int)] = []
  var words: [String] = []
}

extension Store {
  func results(of search: Search) throws -> Results {
    // All numbers are those of one commit.
    try withSnapshot {
      let hits = try hits(search.ranked.limit(10))
      return Results(
        titles: hits.map { $0.snippet(of: \.title, open: "[", close: "]", length: 60) },
        count: try count(search.query()),
        genres: try groups(search.query(byGenre: false), by: \.genre).map { ($0.key, $0.count) },
        years: try groups(search.query(byYear: false), by: \.year).map { ($0.key, $0.count) },
        words: try suggestions(for: search.text, of: Song.self, in: "title", limit: 5).map(\.text))
    }
  }
}

func show(_ search: Search, _ results: Results) {
  print("\(search.text):", results.count, results.titles)
  print(" ", results.genres.map { "\($0) \($1)" }, results.years.map { "\($0) \($1)" }, results.words)
}

let library = try StoreActor(.inMemory, classes: [Song.self])
try await library.perform { store in
  for (title, genre, year) in [
    ("Blue in Green", "Jazz", 1959), ("Blue Train", "Jazz", 1957), ("Kind of Blue", "Jazz", 1959),
    ("Blueberry Hill", "Pop", 1956), ("Blues for Alice", "Jazz", 1951), ("青い影", "Pop", 1967),
  ] {
    try store.insert(Song(title, genre, UInt16(year)))
  }
  try store.saveChanges()
}

// Each key replaces a search that was not answered yet.
let (searches, field) = AsyncStream.makeStream(of: Search.self, bufferingPolicy: .bufferingNewest(1))
var search = Search()
for key in "blue" {
  search.text.append(key)
  field.yield(search)
}
for await search in searches {
  let results = try await library.perform { store in try store.results(of: search) }
  show(search, results)
  if search.year != nil { break }
  // The person chooses the genre with the most hits, then a year.
  var narrowed = search
  if search.genre == nil {
    narrowed.genre = results.genres.max { $0.count < $1.count }?.genre
  } else {
    narrowed.year = 1959
  }
  field.yield(narrowed)
}

// Results that stay up to date while a search is shown.
try await library.perform { store in
  let search = Search(text: "blue t")
  for try await results in store.observe({ store in try store.results(of: search) }) {
    show(search, results)
    if results.count > 1 { break }
    try store.insert(Song("Blue Trane", "Jazz", 1985))
    try store.saveChanges()
  }
}
