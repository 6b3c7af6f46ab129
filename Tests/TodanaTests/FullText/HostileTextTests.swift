import TestSupport
import Testing

@testable import Todana

/// Texts and expressions that are made to take long, or to be read in a wrong way.
@Suite struct HostileTextTests {
  private func store(with texts: String...) throws -> Store {
    let store = try Store(.inMemory, classes: [Page.self])
    for text in texts {
      let page = Page()
      page.text = text
      try store.insert(page)
    }
    try store.saveChanges()
    return store
  }

  // Before, each of these took minutes.

  @Test(arguments: ["👩\u{200D}", "क्", "\u{1100}"])
  func `a character of thousands of scalars has its matches at its ends`(_ scalars: String) throws {
    let store = try store(with: "a " + String(repeating: scalars, count: 3000) + " b")
    let part = String(scalars.unicodeScalars.prefix(1))
    let hit = try #require(try store.hits(Page.where { $0.text.matches(.substring(part)) }).first)
    let ranges = hit.ranges(in: \.text)
    let text = hit.object.text
    #expect(ranges.map { text[$0].unicodeScalars.count }.reduce(0, +) >= 3000)
    for range in ranges {
      #expect(range.lowerBound.samePosition(in: text) != nil && range.upperBound.samePosition(in: text) != nil)
    }
    #expect(hit.snippet(of: \.text, open: "[", close: "]", length: 0) == "…")
  }

  @Test(arguments: ["", "german"]) func `many words that a long text lacks are looked up`(_ index: String) throws {
    let store = try store(with: String(repeating: "lorem ipsum dolor ", count: 30_000))
    let words = (0..<20_000).map { "w\($0)" }
    let any = TextExpression(.joinAny(words.map { .make(.word, $0) } + [.make(.phrase, "ipsum dolor")]))
    let all = TextExpression(typed: String(repeating: "a ", count: 5000))
    for (expression, count) in [(any, 1), (all, 0)] {
      let query =
        index.isEmpty
        ? Page.where { $0.text.matches(expression) } : Page.where { $0.matches(expression, in: index) }
      #expect(try store.count(query) == count)
    }
  }

  @Test func `a long part that repeats itself is found in linear time`() throws {
    let store = try store(with: String(repeating: "a", count: 2_000_000))
    let part = String(repeating: "a", count: 1_000_000)
    #expect(try store.count(Page.where { $0.text.matches(.substring(part + "b")) }) == 0)
    #expect(try store.count(Page.where { $0.text.matches(.substring(part)) }) == 1)
    #expect(try store.count(Page.where { $0.text.contains(part + "b") }) == 0)
  }

  @Test func `a phrase has a limit, and a distance is not negative`() throws {
    let store = try store(with: String(repeating: "a ", count: 2000))
    let longest = String(repeating: "a ", count: 1000)
    #expect(try store.count(Page.where { $0.text.matches(.phrase(longest)) }) == 1)
    for expression: TextExpression in [
      .phrase(longest + "a"), .fuzzy(longest + "abc"), .near(longest + "a", "b", within: 1),
      .near("a", "b", within: -1), .fuzzy("", edits: -1), .fuzzy("a", edits: 3),
    ] {
      #expect { try store.count(Page.where { $0.text.matches(expression) }) } throws: { error in
        (error as? StoreError)?.code == .invalidQuery
      }
    }
  }

  // MARK: Reading

  @Test(arguments: ["\u{301}", "\u{AD}", "\u{200B}", "zzz || \u{301}", "[[[[\u{301}", "[[\u{301}]]"])
  func `a term of which folding leaves nothing finds nothing`(_ text: String) throws {
    let store = try store(with: "blue", "green")
    let expression = try TextExpression(dystopia: text)
    #expect(try store.count(Page.where { $0.text.matches(expression) }) == 0)
    let both = try TextExpression(dystopia: "blue !! \(text)")
    #expect(try store.count(Page.where { $0.text.matches(both) }) == 1)
  }

  @Test(arguments: [
    ("/(/", 0), ("blue /gr[ae/ x", 5), ("/a{1001}/", 0), ("*", 1), ("a *", 3), ("a NEAR/1000001 b", 14),
    ("a NEAR/99999999999999999999999 b", 30), ("^", 1), ("$", 0), ("~2", 0),
  ])
  func `errors of the strict grammar have positions`(_ text: String, _ position: Int) throws {
    let error = #expect(throws: TextExpressionError.self) { try TextExpression(parsing: text) }
    #expect(error?.position == position, "\(String(describing: error))")
  }

  @Test func `typed dashes exclude, and typographic marks quote`() {
    for hyphen in "-‐‑‒–−－" {
      #expect(TextExpression(typed: "blue \(hyphen)live ") == TextExpression(typed: "blue -live "))
      #expect(TextExpression(typed: "blue \(hyphen) live ") == TextExpression(typed: "blue live "))
    }
    for (open, close) in ["\"\"", "“”", "„“", "«»", "»«", "「」", "『』", "＂＂"].map({ ($0.first!, $0.last!) }) {
      #expect(TextExpression(typed: "\(open)kind of\(close) a ") == TextExpression(typed: "\"kind of\" a "))
    }
  }

  @Test func `an expression of the greatest depth is printed and parsed`() throws {
    var expression = TextExpression.word("a")
    for level in 1..<TextExpression.depthLimit {
      expression = level % 2 == 0 ? expression && .word("b\(level)") : expression || .word("c\(level)")
    }
    #expect(!expression.isTooDeep && (expression && .word("d") || .word("e")).isTooDeep)
    #expect(try TextExpression(parsing: "\(expression)") == expression)
  }

  @Test func `weights have a limit, and a property stands once in an index`() {
    for type in [HeavyPage.self, RepeatedPage.self] as [StoredObject.Type] {
      #expect { try Store(.inMemory, classes: [type]) } throws: { ($0 as? StoreError)?.code == .invalidIndex }
    }
  }
}

private class Page: StoredObject {
  var text = ""

  override class var textIndexes: [TextIndex] { [TextIndex(\Page.text, name: "german", language: .german)] }

  required init() {}

  override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(text) }
  override func readContent(from buffer: inout DataBuffer) throws { text = try buffer.readString() }
}

private final class HeavyPage: Page {
  override class var textIndexes: [TextIndex] { [TextIndex(\Page.text, name: "heavy", weights: [1e308])] }
}

private final class RepeatedPage: Page {
  override class var textIndexes: [TextIndex] { [TextIndex(\Page.text, \Page.text, name: "twice")] }
}
