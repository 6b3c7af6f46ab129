import TestSupport
import Testing
import Todana

/// The matches in the texts of hits, snippets and suggestions.
@Suite struct TextHitTests {
  final class Entry: StoredObject {
    var title = ""
    var comment: String?
    var lines: [String] = []

    convenience init(_ title: String, comment: String? = nil, lines: [String] = []) {
      self.init()
      (self.title, self.comment, self.lines) = (title, comment, lines)
    }

    override class var textIndexes: [TextIndex] {
      [
        TextIndex(\Entry.title), TextIndex(\Entry.title, \Entry.comment, name: "both"),
        TextIndex(\Entry.title, name: "english", language: .english),
      ]
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      comment = try buffer.readOptionalString()
      lines = try buffer.readArray()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeOptionalString(comment)
      buffer.writeArray(lines)
    }
  }

  private let store: Store

  init() throws { store = try Store(.inMemory, classes: [Entry.self]) }

  /// Returns a title with its matches in brackets.
  private func marked(_ title: String, _ expression: TextExpression) throws -> String {
    try store.insert(Entry(title))
    let hit = try #require(try store.hits(Entry.where { $0.title.matches(expression) }).last)
    var result = ""
    var position = title.startIndex
    for range in hit.ranges(in: \.title) {
      result += title[position..<range.lowerBound] + "[" + title[range] + "]"
      position = range.upperBound
    }
    return result + title[position...]
  }

  private static let markedTitles: [(title: String, expression: TextExpression, expected: String)] = [
    ("Kind of Blue", .word("blue"), "Kind of [Blue]"), ("Kind of Blue", .phrase("of blue"), "Kind [of Blue]"),
    ("Blue in Green, bluer", .prefix("blu"), "[Blue] in Green, [bluer]"),
    ("Blue in Green", .suffix("reen"), "Blue in [Green]"), ("banana", .substring("an"), "b[an][an]a"),
    ("Écoute la Straße", .word("ecoute") || .word("STRASSE"), "[Écoute] la [Straße]"),
    ("Cafe\u{301} noir", .substring("cafe"), "[Cafe\u{301}] noir"), ("ﬁnale", .substring("i"), "[ﬁ]nale"),
    ("文件を開くファイル", .substring("件を"), "文[件を]開くファイル"), ("ﾌｧｲﾙを", "ファイル", "[ﾌｧｲﾙ]を"),
    ("Blue Green", .fuzzy("bleu"), "[Blue] Green"), ("a b c d", .near("a", "c", within: 3), "[a] b [c] d"),
    ("a1 b22 c", .regularExpression("[a-z][0-9]+"), "[a1] [b22] c"), ("xx", .regularExpression("y*"), "xx"),
    ("blue green", .word("blue") && !.word("red"), "[blue] green"), ("blue", !.word("red") && "blue", "[blue]"),
    ("👩‍👩‍👧 blue", .regularExpression("👩"), "[👩‍👩‍👧] blue"), ("a  b", .phrase("a b"), "[a  b]"),
  ]

  @Test(arguments: markedTitles)
  func `ranges are those of the original text, and end at characters`(
    _ trial: (title: String, expression: TextExpression, expected: String)
  ) throws {
    #expect(try marked(trial.title, trial.expression) == trial.expected)
  }

  @Test func `each property has the matches of the conditions that search it`() throws {
    try store.insert(Entry("blue", comment: "blue green"))
    let query = Entry.where { $0.matches("blue", in: "both") && $0.comment.matches("green") }
    let hit = try #require(try store.hits(query).first)
    #expect(hit.ranges(in: \.title).count == 1)
    #expect(hit.ranges(in: \.comment).count == 2)
    let other = try #require(try store.hits(Entry.where { $0.title.matches("blue") }).first)
    #expect(other.ranges(in: \.comment).isEmpty)
    try store.update(hit.object) { $0.comment = nil }
    #expect(hit.ranges(in: \.comment).isEmpty)
    #expect(hit.snippet(of: \.comment, open: "[", close: "]") == "")
  }

  @Test func `stems are marked as they are written`() throws {
    try store.insert(Entry("She runs, running"))
    let hit = try #require(try store.hits(Entry.where { $0.matches(.word("run"), in: "english") }).first)
    #expect(hit.snippet(of: \.title, open: "<", close: ">") == "She <runs>, <running>")
  }

  private func snippet(_ title: String, _ expression: TextExpression, _ length: Int) throws -> String {
    try store.insert(Entry(title))
    let hit = try #require(try store.hits(Entry.where { $0.title.matches(expression) }).last)
    return hit.snippet(of: \.title, open: "[", close: "]", length: length)
  }

  @Test func `a snippet has the part with the most different terms`() throws {
    let text = "one two three four five six seven eight nine ten one eleven twelve one six thirteen fourteen fifteen"
    #expect(try snippet(text, "one six ", 200).hasPrefix("[one] two three"))
    #expect(try snippet(text, "one six ", 20).contains("[one] [six]"))
    #expect(try snippet("abcdef", .substring("cde"), 3) == "…[cde]…")
    #expect(try snippet("abcdef", .substring("cde"), 2) == "…[cd]…")
    #expect(try snippet("abcdef", .substring("cde"), 0) == "…")
    #expect(try snippet("文件を開くファイル", .substring("を開"), 4) == "…件[を開]く…")
    let long = String(repeating: "word ", count: 10_000) + "needle" + String(repeating: " word", count: 10_000)
    let found = try snippet(long, "needle", 40)
    #expect(found.contains("[needle]") && found.hasPrefix("…") && found.hasSuffix("…"))
    #expect(found.count <= 40 + 4)
    #expect(try snippet(long, "word", 40).count <= 40 + 2 + 2 * 9)
  }

  @Test func `of several texts, the snippet is of the one with the most matches`() throws {
    try store.insert(Entry("x", lines: ["blue", "nothing", "blue and green"]))
    let hit = try #require(try store.hits(Entry.where { $0.lines.matches("blue green") }).first)
    #expect(hit.snippet(of: \.lines, open: "[", close: "]") == "[blue] and [green]")
    #expect(hit.snippet(of: \.title, open: "[", close: "]") == "x")
  }

  // MARK: Suggestions

  private func suggestions(_ text: String, limit: Int = 10) throws -> [String] {
    try store.suggestions(for: text, of: Entry.self, in: "title", limit: limit).map { "\($0.text) \($0.count)" }
  }

  @Test func `longer words are suggested before similar ones, and frequent ones first`() throws {
    try store.insert(contentsOf: [
      Entry("Blue in green"), Entry("blue blue Bluebird"), Entry("bleu"), Entry("Grün"), Entry("BLUES blue"),
    ])
    #expect(try suggestions("blu") == ["blue 3", "bluebird 1", "blues 1", "bleu 1"])
    #expect(try suggestions("so blu", limit: 1) == ["blue 3"])
    #expect(try suggestions("blue") == ["blue 3", "bluebird 1", "blues 1", "bleu 1"])
    #expect(try suggestions("grene") == ["green 1"])
    #expect(try suggestions("gruen") == ["green 1", "grun 1"])
    #expect(try suggestions("Blues ").isEmpty)
    #expect(try suggestions("").isEmpty)
    #expect(try suggestions("zz").isEmpty)
    #expect(try suggestions("blu", limit: 0).isEmpty)
    try store.saveChanges()
    #expect(try suggestions("blu") == ["blue 3", "bluebird 1", "blues 1", "bleu 1"])
    let error = #expect(throws: StoreError.self) { try store.suggestions(for: "a", of: Entry.self, in: "x") }
    #expect(error?.code == .invalidQuery)
  }

  @Test func `words of objects that were changed after a merge are counted as they are now`() throws {
    let long = String(repeating: "blurb", count: 60)
    let entries = (0..<300).map { Entry($0 % 3 == 0 ? "blue \($0)" : "blurred \($0)") }
    try store.insert(contentsOf: entries + [Entry("\(long)a \(long)b"), Entry("blue\u{301}"), Entry("\(long)a")])
    try store.saveChanges()
    try store.buildIndexes()
    #expect(try suggestions("blu", limit: 3) == ["blurred 200", "blue 101", "\(long)a 2"])
    for entry in entries.prefix(200) { try store.update(entry) { $0.title = "nothing" } }
    try store.insert(Entry("blubber"))
    #expect(try suggestions("blu", limit: 4) == ["blurred 67", "blue 34", "\(long)a 2", "blubber 1"])
    try store.saveChanges()
    try store.delete(entries[200...])
    #expect(try suggestions("blu") == ["\(long)a 2", "blubber 1", "blue 1", "\(long)b 1"])
    #expect(try suggestions("bulbber") == ["blubber 1"])
    let all = try store.suggestions(for: "blu", of: Entry.self, in: "title", limit: 1, includingPending: false)
    #expect(all.map(\.count) == [67])
  }

  @Test func `hits and suggestions are found without blocking`() async throws {
    try store.insert(contentsOf: [Entry("blue and green"), Entry("green"), Entry("blue blue")])
    try store.saveChanges()
    try store.insert(Entry("very blue"))
    let query = Entry.where { $0.title.matches("blue ") }.sorted(by: .relevance)
    let hits = try await store.hitsAsync(query)
    let expected = try store.hits(query)
    #expect(hits.map(\.object) == expected.map(\.object) && hits.map(\.score) == expected.map(\.score))
    #expect(hits.map { $0.snippet(of: \.title, open: "[", close: "]") }.contains("very [blue]"))
    #expect(try await store.hitsAsync(query, includingPending: false).count == 2)
    let suggested = try await store.suggestionsAsync(for: "gre", of: Entry.self, in: "title", limit: 5)
    #expect(suggested.map(\.text) == ["green"] && suggested.map(\.count) == [2])
  }
}
