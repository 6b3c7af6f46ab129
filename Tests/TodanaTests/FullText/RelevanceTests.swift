import Foundation
import TestSupport
import Testing
import Todana

/// The order by relevance, compared with that of SQLite's FTS5.
@Suite struct RelevanceTests {
  final class Page: StoredObject {
    var number = 0
    var title = ""
    var text = ""

    convenience init(_ number: Int, _ title: String, _ text: String = "") {
      self.init()
      (self.number, self.title, self.text) = (number, title, text)
    }

    override class var textIndexes: [TextIndex] {
      [TextIndex(\Page.title), TextIndex(\Page.title, \Page.text, name: "all", weights: [2.5, 1])]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      title = try buffer.readString()
      text = try buffer.readString()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeString(title)
      buffer.writeString(text)
    }
  }

  private let store: Store

  init() throws { store = try Store(.inMemory, classes: [Page.self]) }

  // MARK: FTS5

  private struct Trial: Encodable {
    let rows: [[String]]
    let weights = [2.5, 1]
    let queries: [String]
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 1, long: 8))
  func `the relevance is that of FTS5`(_ seed: UInt64) throws {
    var random = RandomQueries(seed: seed)
    let rows = (0..<random.number(2...80)).map { _ in [random.text(0...4), random.text(0...20)] }
    for (number, row) in rows.enumerated() { try store.insert(Page(number + 1, row[0], row[1])) }
    try store.saveChanges()
    let queries = (0..<(LongTests.areEnabled ? 500 : 120)).map { _ in random.query() }
    let directory = try TemporaryDirectory()
    let path = directory.path("trial")
    try JSONEncoder().encode(Trial(rows: rows, queries: queries.map(\.text))).write(to: URL(filePath: path))
    let child = try ChildProcess(
      executable: "/usr/bin/python3", [Checkout.file("Tests/Independent/bm25.py").path, path])
    let answers = child.remainingLines()
    try #require(child.waitForExit() == 0)
    try #require(answers.count == queries.count)
    var hitCount = 0
    for (query, answer) in zip(queries, answers) {
      let expected = try JSONDecoder().decode([[Double]].self, from: Data(answer.utf8))
      let hits = try store.hits(Page.where { $0.matches(query.expression, in: "all") })
      try #require(hits.map { Double($0.object.number) } == expected.map { $0[0] }, "\(query.text)")
      for (hit, row) in zip(hits, expected) {
        #expect(abs(hit.score + row[1]) <= 1e-9 * max(1, abs(row[1])), "\(query.text): \(hit.object.number)")
      }
      let scores = Dictionary(uniqueKeysWithValues: hits.map { ($0.object.number, $0.score) })
      let sorted = try store.fetch(Page.where { $0.matches(query.expression, in: "all") }.sorted(by: .relevance))
      #expect(
        sorted.map(\.number)
          == hits.map(\.object.number).sorted { (-scores[$0, default: 0], $0) < (-scores[$1, default: 0], $1) })
      hitCount += hits.count
    }
    // Fewer rows have fewer hits.
    #expect(80 * hitCount > rows.count * queries.count, "\(hitCount) hits in \(rows.count) rows")
  }

  // MARK: In queries

  private func insertPages() throws {
    try store.insert(contentsOf: [
      Page(1, "tree", "a tree and a house"), Page(2, "house", "tree"), Page(3, "garden", "tree tree tree"),
      Page(4, "garden", "house"), Page(5, "garden", "a house near a house near a house"),
    ])
    try store.saveChanges()
  }

  private func numbers(_ query: Query<Page>) throws -> [Int] { try store.fetch(query).map(\.number) }

  @Test func `the most relevant objects come first, within limits and among other conditions`() throws {
    try insertPages()
    let query = Page.where { $0.matches("tree", in: "all") }.sorted(by: .relevance)
    #expect(try numbers(query) == [3, 1, 2])
    #expect(try numbers(query.limit(1)) == [3])
    #expect(try numbers(query.offset(1).limit(1)) == [1])
    #expect(try store.first(query)?.number == 3)
    #expect(try numbers(query.where { $0.number > 1 }) == [3, 2])
    #expect(try store.count(query) == 3)
    #expect(try store.ids(query).count == 3)
    #expect(try store.values(query, of: \.number) == [3, 1, 2])
    // Objects of one relevance come in the order of their rows, or of the next sort.
    let equal = Page.where { $0.title.matches("garden") }.sorted(by: .relevance)
    #expect(try numbers(equal) == [3, 4, 5])
    #expect(try numbers(equal.sorted(by: \.number, .descending)) == [5, 4, 3])
    let byText = Page.where { $0.title.matches("garden") }.sorted(by: \.text).sorted(by: .relevance)
    #expect(try numbers(byText) == [5, 4, 3])
    #expect("\(try store.explain(query))".contains("relevance"))
  }

  @Test func `the relevance of several conditions is their sum, without those after an exclamation mark`() throws {
    try insertPages()
    let both = Page.where { $0.title.matches("house") || $0.text.matches("tree") }
    let title = try store.hits(Page.where { $0.title.matches("house") })
    let text = try store.hits(Page.where { $0.text.matches("tree") })
    var sums: [Int: Double] = [:]
    for hit in title + text { sums[hit.object.number, default: 0] += hit.score }
    for hit in try store.hits(both) { #expect(abs(hit.score - sums[hit.object.number, default: -1]) < 1e-12) }
    let excluded = try store.hits(Page.where { $0.text.matches("tree") && !$0.title.matches("house") })
    #expect(excluded.map(\.object.number) == [1, 3])
    #expect(excluded.map(\.score) == text.filter { $0.object.number != 2 }.map(\.score))
  }

  @Test func `pending objects count as saved ones do`() throws {
    try insertPages()
    let query = Page.where { $0.matches("tree", in: "all") }.sorted(by: .relevance)
    try store.insert(Page(6, "tree tree"))
    let pending = try store.hits(query)
    #expect(pending.first?.object.number == 6)
    #expect(try store.hits(query, includingPending: false).count == 3)
    try store.saveChanges()
    let saved = try store.hits(query)
    #expect(saved.map(\.object.number) == pending.map(\.object.number))
    #expect(saved.map(\.score) == pending.map(\.score))
    try store.delete(query)
    #expect(try store.hits(query).isEmpty)
  }

  @Test func `several threads count the words of many objects`() throws {
    for number in 0..<40_000 {
      try store.insert(Page(number, number % 1_000 == 0 ? "needle" : "hay", "stack \(number % 7)"))
    }
    try store.saveChanges(durability: .bulk)
    let query = Page.where { $0.matches("needle OR 3", in: "all") && $0.number < 3_000 }
    let hits = try store.hits(query)
    // With a pending object of the same content, one thread counts.
    let first = try #require(hits.first)
    try store.update(first.object) { $0.text = $0.text }
    let again = try store.hits(query)
    #expect(again.map(\.object.number) == hits.map(\.object.number))
    #expect(again.map(\.score) == hits.map(\.score))
    #expect(first.score > 10)
  }

  @Test func `a query without a text condition has no relevance`() throws {
    try insertPages()
    for query in [Page.all, Page.where { $0.number > 0 }, Page.where { !$0.title.matches("house") }] {
      #expect(#expect(throws: StoreError.self) { try store.hits(query) }?.code == .invalidQuery)
      let error = #expect(throws: StoreError.self) { try store.fetch(query.sorted(by: .relevance)) }
      #expect(error?.code == .invalidQuery)
    }
    let query = Page.where { $0.title.matches("garden") }.sorted(by: .relevance)
    let first = try #require(try store.first(query))
    #expect(query.position(of: first) == nil)
    let error = #expect(throws: StoreError.self) { try store.fetch(query.after(first)) }
    #expect(error?.code == .invalidQuery && error.map { "\($0)".contains("offset") } == true)
  }

  @Test func `a store that refuses scans refuses to read all objects for the relevance`() throws {
    var configuration = StoreConfiguration()
    configuration.scans = .refused(above: 3)
    let store = try Store(.inMemory, classes: [Page.self], configuration: configuration)
    for number in 1...5 { try store.insert(Page(number, "tree")) }
    try store.saveChanges()
    let error = #expect(throws: StoreError.self) { try store.hits(Page.where { $0.title.matches("tree") }) }
    #expect(error?.code == .scanRefused)
  }

  @Test func `a live result is sorted again when other objects change the relevance`() async throws {
    try insertPages()
    let query = Page.where { $0.text.matches(.word("tree") || .word("near")) }.sorted(by: .relevance)
    var changes = store.observe(query).makeAsyncIterator()
    let before = try numbers(query)
    #expect(try await changes.next()?.objects().map(\.number) == before)
    // "near" becomes common.
    for number in 10..<20 { try store.insert(Page(number, "x", "near and far")) }
    try store.saveChanges()
    let after = try #require(try await changes.next()).objects().map(\.number)
    #expect(after == (try numbers(query)))
    #expect(after.count == before.count + 10)
  }
}

/// Expressions for FTS5, and the same ones as text expressions.
private struct RandomQueries {
  private static let words = ["ant", "bee", "cat", "cow", "crow", "dog", "eel", "elk", "emu", "fox"]
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// A word; some are more frequent than others.
  private mutating func word() -> String { Self.words[min(number(0...9), number(0...9))] }

  mutating func text(_ counts: ClosedRange<Int>) -> String {
    (0..<number(counts)).map { _ in word() }.joined(separator: " ")
  }

  /// Returns clauses that all must be found, or one that must be found and one that must not.
  ///
  /// FTS5 also counts places of a phrase or part that does not match, if it has come to the same row while it searched.
  /// So there are only single words within `OR` and `NOT`.
  mutating func query() -> (text: String, expression: TextExpression) {
    var query = clause(hasPhrases: true)
    if number(0...3) == 0 {
      let other = clause(hasPhrases: false)
      return ("(\(query.text)) NOT (\(other.text))", query.expression && !other.expression)
    }
    for _ in 0..<number(0...2) {
      let other = clause(hasPhrases: true)
      query = ("(\(query.text)) AND (\(other.text))", query.expression && other.expression)
    }
    return query
  }

  private mutating func clause(hasPhrases: Bool) -> (text: String, expression: TextExpression) {
    switch number(0...(hasPhrases ? 5 : 3)) {
    case 4:
      let phrase = text(2...3)
      return ("\"\(phrase)\"", .phrase(phrase))
    case 5:
      let (first, second, distance) = (text(1...2), text(1...2), number(0...5))
      return ("NEAR(\"\(first)\" \"\(second)\", \(distance))", .near(first, second, within: distance))
    default:
      var clause = term()
      for _ in 0..<max(0, number(-2...2)) {
        let other = term()
        clause = ("\(clause.text) OR \(other.text)", clause.expression || other.expression)
      }
      return clause
    }
  }

  private mutating func term() -> (text: String, expression: TextExpression) {
    let word = word()
    if number(0...2) > 0 { return (word, .word(word)) }
    let beginning = String(word.prefix(number(1...2)))
    return (beginning + "*", .prefix(beginning))
  }
}
