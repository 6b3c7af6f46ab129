import TerminalText
import Todana

/// The answer to one part of a search, and the duration of its query.
struct Answer<Value: Sendable>: Sendable {
  let search: Search
  let value: Value
  let duration: Duration
}

/// A text in parts, some of which match the search.
struct MarkedText: Sendable {
  var parts: [(text: String, isMatch: Bool)] = []

  var plain: String { parts.map(\.text).joined() }
}

/// The numbers of hits by the values of a property, largest first.
struct Facet: Sendable {
  let name: FacetName
  let values: [(choice: FacetChoice, count: Int)]
}

extension Store {
  /// Returns the most relevant lines, or the parts of long ones with the most matches.
  func best(of search: Search, limit: Int, columns: Int) throws -> Answer<[MarkedText]> {
    try answer(search) {
      try hits(search.ranked.limit(limit)).map { MarkedText($0, columns: columns) }
    }
  }

  /// Returns the number of all hits.
  func count(of search: Search) throws -> Answer<Int> { try answer(search) { try count(search.all) } }

  /// Returns the numbers of hits by script and by length.
  func facets(of search: Search) throws -> Answer<[Facet]> {
    try answer(search) {
      let scripts = try groups(search.query(counting: .script), by: \.script)
      let lengths = try groups(search.query(counting: .length), by: \.length)
      return [
        Facet(
          name: .script,
          values: scripts.sorted { $0.count > $1.count }.map { (FacetChoice.script($0.key), $0.count) }),
        Facet(name: .length, values: lengths.map { (FacetChoice.length($0.key), $0.count) }),
      ]
    }
  }

  /// Returns the words that the last word may become, or may be misspelled for.
  func suggestions(of search: Search, limit: Int) throws -> Answer<[TextSuggestion]> {
    try answer(search) { try suggestions(for: search.text, of: Line.self, in: "text", limit: limit) }
  }

  private func answer<Value>(_ search: Search, _ body: () throws -> Value) throws -> Answer<Value> {
    let start = ContinuousClock.now
    let value = try body()
    return Answer(search: search, value: value, duration: start.duration(to: .now))
  }
}

extension MarkedText {
  /// The marks that a snippet has around its matches; a loaded line has no such characters.
  private static let (open, close): (Character, Character) = ("\u{1}", "\u{2}")

  /// Takes the part of a line with the most matches, which fits the given number of columns.
  init(_ hit: TextHit<Line>, columns: Int) {
    // Leaves room for "…" at both ends. Wide characters take two columns.
    let room = max(0, columns - 2)
    self.init(hit, length: room)
    if plain.columnCount > columns { self.init(hit, length: room / 2) }
  }

  private init(_ hit: TextHit<Line>, length: Int) {
    let snippet = hit.snippet(of: \.text, open: String(Self.open), close: String(Self.close), length: length)
    for piece in snippet.split(separator: Self.open, omittingEmptySubsequences: false) {
      guard let end = piece.firstIndex(of: Self.close) else {
        parts.append((String(piece), false))
        continue
      }
      parts.append((String(piece[..<end]), true))
      parts.append((String(piece[piece.index(after: end)...]), false))
    }
    parts.removeAll { $0.text.isEmpty }
  }
}
