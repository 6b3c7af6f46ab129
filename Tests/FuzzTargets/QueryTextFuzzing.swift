import Foundation
import Todana

/// The fuzzing of query texts, each of which is read as a condition and as a sort.
public enum QueryTextFuzzing {
  static func run(_ bytes: [UInt8]) { _ = run(String(decoding: bytes, as: UTF8.self)) }

  /// Reads a text, runs the queries that it gives, and returns whether it is a condition or a sort.
  public static func run(_ text: String) -> Bool {
    var isRead = false
    if let query = checked(text, { () throws(QueryTextError) in try Tune.where(text, arguments: arguments(of: text)) })
    {
      isRead = true
      carryOut(query)
    }
    if let query = checked(text, { () throws(QueryTextError) in try Tune.all.sorted(byText: text) }) {
      isRead = true
      carryOut(query)
    }
    return isRead
  }

  static let seeds: [[UInt8]] = [
    "", "seconds > ? AND (title BEGINSWITH 'B' OR NOT genre IN ('Rock', \"Pop\"))",
    "title ==[c] 'it''s' or isFavourite",
    "rating BETWEEN -1.5 AND 2e3", "tags CONTAINS 'a' && !(album IS NOT NULL)", "genre = NULL", "`title` <> ?",
    "seconds IN (1, 2, ?)", "genre IN ?", "genre, seconds DESC, title[c] ASC", "title = genre OR seconds <= seconds",
    "((((((isFavourite))))))", "uuid = 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'", "url ENDSWITH[c] 'x'", "exact = 1.5e10",
    "TRUE AND NOT FALSE", "album = '1-5'", "seconds NOT BETWEEN 1 AND 2",
  ].map { Array($0.utf8) }

  private static let arguments: [(any Sendable)?] = [5, "é", nil, ["a", nil] as [String?], 2.5, [1, -1], true]

  /// Returns an argument for each question mark, up to 100, selected by the length of the text.
  private static func arguments(of text: String) -> [(any Sendable)?] {
    let count = text.utf8.count { $0 == UInt8(ascii: "?") }
    return (0..<min(count, 100)).map { arguments[($0 + text.utf8.count) % arguments.count] }
  }

  private static func checked(
    _ text: String, _ body: () throws(QueryTextError) -> Query<Tune>
  ) -> Query<Tune>? {
    do throws(QueryTextError) {
      return try body()
    } catch {
      guard (0...text.count).contains(error.position), !error.message.isEmpty,
        error.description.split(separator: "\n").last?.last == "^"
      else { fatalError("an error has no place: \(error)") }
      return nil
    }
  }

  /// Runs a query: every query that was read must have an answer.
  private static func carryOut(_ query: Query<Tune>) {
    do {
      let store = try sample()
      let plan = try store.explain(query)
      let ids = try store.ids(query)
      guard ids.count <= 2, !plan.description.isEmpty else { fatalError("a query returns missing objects") }
    } catch {
      fatalError("a query that was read is not answered: \(error)")
    }
  }

  private static func sample() throws -> Store {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Tune.self])
    for number in 0..<2 as Range<UInt32> {
      let tune = Tune()
      tune.seconds = number
      tune.title = number == 0 ? "Blue" : "Écoute"
      tune.genre = number == 0 ? nil : "Rock"
      try store.insert(tune)
    }
    return store
  }
}

private final class Tune: StoredObject {
  var title = ""
  var seconds: UInt32 = 0
  var genre: String?
  var rating: Double = 0
  var isFavourite = false
  var tags: [String] = []
  var album: Tune?
  var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var url: URL?
  var exact: Decimal = 0

  override class var fields: [Field] {
    [
      Field("title", \Tune.title), Field("seconds", \Tune.seconds), Field("genre", \Tune.genre),
      Field("rating", \Tune.rating), Field("isFavourite", \Tune.isFavourite), Field("tags", \Tune.tags),
      Field("album", \Tune.album), Field("uuid", \Tune.uuid), Field("url", \Tune.url), Field("exact", \Tune.exact),
    ]
  }
}
