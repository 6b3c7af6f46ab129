import TestSupport
import Testing
import Todana

private final class Text: StoredObject {
  var text = ""
  var optional: String?

  override class var indexes: [Index] { [Index(\Text.text)] }
  override class var fields: [Field] { [Field("text", \Text.text), Field("optional", \Text.optional)] }

  convenience init(_ text: String) {
    self.init()
    self.text = text
    optional = text.isEmpty ? nil : text
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    text = try buffer.readString()
    optional = try buffer.readOptionalString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeString(text)
    buffer.writeOptionalString(optional)
  }
}

@Suite struct PatternConditionTests {
  private func store(_ texts: [String]) throws -> Store {
    let store = try Store(.inMemory, classes: [Text.self])
    try store.insert(contentsOf: texts.map { Text($0) })
    try store.saveChanges()
    return store
  }

  struct Like: Sendable, CustomTestStringConvertible {
    var pattern: String
    var matching: [String]
    var others: [String]
    var testDescription: String { pattern }
  }

  static let patterns = [
    Like(pattern: "", matching: [""], others: ["a"]),
    Like(pattern: "%", matching: ["", "a", "日本"], others: []),
    Like(pattern: "%%", matching: ["", "a"], others: []),
    Like(pattern: "a%", matching: ["a", "ab", "aa"], others: ["", "ba", "A"]),
    Like(pattern: "%a", matching: ["a", "ba", "aaa"], others: ["ab"]),
    Like(pattern: "%a%b%", matching: ["ab", "xaxbx", "aab"], others: ["ba", "a", "b"]),
    Like(pattern: "_", matching: ["a", "本", "é"], others: ["", "ab", "e\u{301}"]),
    Like(pattern: "a_c", matching: ["abc", "a本c"], others: ["ac", "abbc"]),
    Like(pattern: "%_", matching: ["a", "ab"], others: [""]),
    Like(pattern: "_%_", matching: ["ab", "abc"], others: ["", "a"]),
    Like(pattern: "50\\%", matching: ["50%"], others: ["500", "50"]),
    Like(pattern: "a\\_b", matching: ["a_b"], others: ["axb"]),
    Like(pattern: "a\\\\b", matching: ["a\\b"], others: ["ab"]),
    Like(pattern: "a\\", matching: ["a\\"], others: ["a", "ab"]),
    Like(pattern: "%aab", matching: ["aaab", "aabaab"], others: ["aaba"]),
    Like(pattern: "日%語", matching: ["日本語", "日語"], others: ["日本"]),
  ]

  @Test(arguments: patterns)
  func `LIKE matches by its wildcards`(_ like: Like) throws {
    let store = try store(like.matching + like.others)
    #expect(try store.fetch(Text.where { $0.text.like(like.pattern) }).map(\.text) == like.matching)
    #expect(try store.fetch(Text.where { !$0.text.like(like.pattern) }).map(\.text) == like.others)
    let present = like.matching.filter { !$0.isEmpty }
    #expect(try store.fetch(Text.where { $0.optional.like(like.pattern) }).map(\.text) == present)
    #expect(try store.fetch(Text.where("text LIKE ?", like.pattern)).map(\.text) == like.matching)
    #expect(try store.fetch(Text.where("text NOT LIKE ?", like.pattern)).map(\.text) == like.others)
  }

  @Test func `a pattern that begins with ordinary characters uses an index`() throws {
    let store = try store((0..<3000).map { "text \($0)" })
    let query = Text.where { $0.text.like("text 29_9") }
    #expect(try store.explain(query).access == .index)
    #expect(try store.fetch(query).map(\.text) == (0..<10).map { "text 29\($0)9" })
  }

  @Test func `case is ignored, and accents count`() throws {
    let store = try store(["Écoute", "ÉCOUTE", "Ecoute", "E\u{301}coute", "straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος"])
    func found(_ query: Query<Text>) throws -> [String] { try store.fetch(query).map(\.text) }
    let accented = ["Écoute", "ÉCOUTE", "E\u{301}coute"]
    let folded = try found(Text.where { $0.text.caseInsensitive == "écoute" })
    #expect(folded.map { Array($0.utf8) } == accented.map { Array($0.utf8) })
    #expect(try found(Text.where { $0.text.caseInsensitive.hasPrefix("éC") }).count == 3)
    #expect(try found(Text.where { $0.text.caseInsensitive.contains("COU") }).count == 4)
    #expect(try found(Text.where { $0.optional.caseInsensitive.hasSuffix("OUTE") }).count == 4)
    #expect(try found(Text.where { $0.text.caseInsensitive == "Straße" }) == ["straße", "STRASSE"])
    #expect(try found(Text.where { $0.text.caseInsensitive.isIn(["ecoute", "Σίσυφος"]) }).count == 3)
    #expect(try found(Text.where { $0.text.caseInsensitive.like("é_OUT%") }).count == 3)
    #expect(try found(Text.where { $0.text.folded.like("e_OUT%") }).count == 4)
    #expect(try found(Text.where { $0.text.caseInsensitive != "ecoute" }).count == 7)
    #expect(try found(Text.where("text ==[i] 'écoute'")).count == 3)
    #expect(try found(Text.where("text CONTAINS[i] 'COU'")).count == 4)
    #expect(try found(Text.where("text LIKE[i] 'é_OUT%'")).count == 3)
    #expect(try found(Text.where("text LIKE[c] 'e_OUT%'")).count == 4)
    #expect(try found(Text.where("text IN[i] ('ecoute', 'STRASSE')")).count == 3)
    #expect(try found(Text.where("text ==[c] 'ECOUTE'")).count == 4)
    #expect(try found(Text.where("text MATCHES[i] 'ÉCOUT.'")).count == 3)
  }

  @Test func `regular expressions match whole texts or parts`() throws {
    let store = try store(["USRC17607839", "usrc17607839", "GB-XYZ", "", "Blue in Green"])
    func found(_ query: Query<Text>) throws -> [String] { try store.fetch(query).map(\.text) }
    #expect(try found(Text.where { $0.text.matches(regex: "[A-Z]{2}[A-Z0-9]{3}[0-9]{7}") }) == ["USRC17607839"])
    #expect(
      try found(Text.where { $0.text.caseInsensitive.matches(regex: "[A-Z]{2}[A-Z0-9]{3}[0-9]{7}") }).count == 2)
    #expect(try found(Text.where { $0.text.contains(regex: "^B|[XY]+") }) == ["GB-XYZ", "Blue in Green"])
    #expect(try found(Text.where { $0.optional.matches(regex: ".*") }).count == 4)
    #expect(try found(Text.where { !$0.text.contains(regex: "[0-9]") && $0.text != "" }).count == 2)
    #expect(try found(Text.where("text MATCHES '[A-Z]{2}-.*'")) == ["GB-XYZ"])
  }

  @Test(arguments: ["(", "[a", "a{2,1}", "\\", "(?<x"])
  func `an invalid regular expression is refused`(_ pattern: String) throws {
    let store = try store(["a"])
    let error = #expect(throws: StoreError.self) { try store.fetch(Text.where { $0.text.matches(regex: pattern) }) }
    #expect(error?.code == .invalidQuery)
    #expect(error?.message.contains("regular expression") == true)
    #expect(throws: StoreError.self) { try store.count(Text.where { !$0.text.contains(regex: pattern) }) }
    #expect(throws: (any Error).self) { try store.fetch(Text.where("text MATCHES ?", pattern)) }
  }

  @Test func `several threads test a regular expression`() throws {
    let store = try store((0..<20_000).map { "text \($0)" })
    #expect(try store.count(Text.where { $0.text.contains(regex: " [0-9]*77$") }) == 200)
  }
}
