import TestSupport
import Testing

@testable import Todana

/// The parsers of text expressions, and the texts that they print.
@Suite struct TextExpressionTests {
  typealias Case = (text: String, expression: TextExpression)

  private static func all(_ parts: TextExpression...) -> TextExpression {
    parts.dropFirst().reduce(parts[0]) { $0 && $1 }
  }

  private static func any(_ parts: TextExpression...) -> TextExpression {
    parts.dropFirst().reduce(parts[0]) { $0 || $1 }
  }

  private static let a = TextExpression.word("a"), b = TextExpression.word("b"), c = TextExpression.word("c")
  private static let blue = TextExpression.word("blue"), green = TextExpression.word("green")

  private static let terms: [Case] = [
    ("blue", blue), ("\"kind of blue\"", .phrase("kind of blue")), ("gre*", .prefix("gre")), ("*een", .suffix("een")),
    ("*ree*", .substring("ree")), ("*so\\ what*", .substring("so what")), ("**", .substring("")),
    ("grene~", .fuzzy("grene")), ("grene~2", .fuzzy("grene", edits: 2)), ("a NEAR/3 b", .near("a", "b", within: 3)),
    ("a NEAR/0 \"b c\" NEAR/0 d", .near("a", "b c", "d", within: 0)), ("/gr[ae]y/", .regularExpression("gr[ae]y")),
    ("/a\\/b/", .regularExpression("a/b")), ("\\OR", .word("OR")), ("C\\*", .word("C*")), ("\\-1", .word("-1")),
    ("rock-n-roll", .word("rock-n-roll")), ("", .phrase("")), ("  ", .phrase("")), ("\"a \\\" b\"", .phrase("a \" b")),
    ("文件", .word("文件")),
  ]
  private static let combinations: [Case] = [
    ("blue green", all(blue, green)), ("blue AND green", all(blue, green)), ("blue OR green", any(blue, green)),
    ("a b OR c", any(all(a, b), c)), ("a (b OR c)", all(a, any(b, c))), ("-blue", !blue), ("NOT blue", !blue),
    ("a -(b OR c)", all(a, !any(b, c))), ("ORDER ANDROID", all(.word("ORDER"), .word("ANDROID"))),
  ]

  @Test(arguments: terms + combinations)
  func `a text with operators is parsed`(_ text: String, _ expected: TextExpression) throws {
    let parsed = try TextExpression(parsing: text)
    #expect(parsed == expected, "\(parsed)")
    #expect(try TextExpression(parsing: parsed.description) == parsed)
  }

  @Test(arguments: [
    ("blue OR", 7), ("OR blue", 0), ("(blue", 0), ("blue)", 4), ("\"blue", 0), ("a - b", 3), ("-", 1), ("word~3", 6),
    ("a NEAR/ b", 7), ("a NEAR/2 b*", 9), ("a NEAR/1 b NEAR/2 c", 18), ("/x", 0), ("a\\", 2), ("^a*", 1), ("a^b", 2),
    ("\"a\"b", 3), ("()", 1), ("a AND", 5), ("~", 0),
  ])
  func `an error has its position`(_ text: String, _ position: Int) {
    let error = #expect(throws: TextExpressionError.self) { try TextExpression(parsing: text) }
    #expect(error?.position == position, "\(String(describing: error))")
  }

  private static let typed: [Case] = [
    ("blue gre", all(blue, .prefix("gre"))), ("blue ", blue), ("-", .phrase("")), ("OR", .prefix("OR")),
    ("\"kind of\" (blue OR green) -a", all(.phrase("kind of"), any(blue, green), !a)),
    ("--blue ", !blue), ("-- blue ", blue),
    ("blue OR", all(blue, .prefix("OR"))), ("((a", .prefix("a")), ("a)) b", all(a, .prefix("b"))),
    ("“so what”", .phrase("so what")), ("\"so wh", .prefix("so wh")),
    ("-\"so what\" x", all(!.phrase("so what"), .prefix("x"))), ("gre* x", all(.prefix("gre"), .prefix("x"))),
    ("a -b", all(a, !b)), ("rock-n-roll ", .word("rock-n-roll")), ("/a/ x", all(.word("/a/"), .prefix("x"))),
  ]

  @Test(arguments: typed)
  func `what people type is understood`(_ text: String, _ expected: TextExpression) {
    #expect(TextExpression(typed: text) == expected, "\(TextExpression(typed: text))")
    #expect(TextExpression(stringLiteral: text) == expected)
  }

  // Derived by hand from the rules of docs/formats/text-search.md.
  private static let dystopia: [(text: String, found: [String], notFound: [String])] = [
    ("choice", ["my Choices"], ["choi ce"]), ("\"kind of\"", ["mankind  of it"], ["kindof", "of kind"]),
    ("\"so what", ["also what"], ["so"]),
    ("\"a \"\"b\"", ["a \"b"], ["a b"]), ("\"a\"\"\"", ["a\"\""], ["a\"", "a"]),
    ("[[blue]]", ["Blue", "blue green", "so blue", "so blue so"], ["blues", "blue,", "(blue)"]),
    ("[[gre*]]", ["green", "so green"], ["agreed", "(green"]), ("[[*een]]", ["green", "seen it"], ["greens"]),
    ("[[*ree*]]", ["agreed"], ["red"]), ("[[kind of]]", ["kind of blue", "a kind of"], ["mankind of", "kind off"]),
    ("[[[[kind of", ["Kind of blue"], ["a kind of"]),
    ("[[[[kind of]] blue", ["kind off, blues"], ["kind of", "blue kind of"]),
    ("blue]]]]", ["so blue"], ["blue so"]), ("a b", ["ba"], ["a", "b"]), ("a && b", ["ba"], ["a", "b"]),
    ("a || b", ["a", "b"], ["c"]), ("a || b c", ["ac", "bc"], ["ab", "c"]), ("c a || b", ["ac", "bc"], ["ab", "c"]),
    ("a !! b", ["a"], ["ab", "b"]), ("a !! b || c", ["a"], ["ab", "ac"]), ("!! a", [], ["a", "b"]),
    ("!! a b", [], ["b", "a"]), ("a !! b c", ["ac"], ["abc", "a"]), ("&&", ["r&&b"], ["a"]), ("!!", ["no!!"], ["no"]),
    ("a || &&", ["a", "&&"], ["b"]), ("&& ||", [], ["&& ||"]), ("", [], ["", "a"]), ("\"\"", [], ["", "a"]),
    ("[[]]", [], ["", "[[]]"]), ("[[*]]", [], ["a"]), ("[[**]]", [], ["a"]),
    ("[[a", ["[[a"], ["a"]), ("a[[b", ["a[[b"], ["ab"]),
    ("[x]", ["[x]"], ["x"]), ("école", ["ECOLE", "e\u{301}cole"], ["col"]), ("a\t\u{3000} b", ["b a"], ["b"]),
    ("[[文]]", ["文", "文 件"], ["文件"]), ("文", ["文件"], ["件"]),
  ]

  @Test(arguments: dystopia)
  func `the grammar of Tokyo Dystopia has its results`(
    _ text: String, _ found: [String], _ notFound: [String]
  ) throws {
    let expression = try TextExpression(dystopia: text)
    let plan = TextPlan(expression)
    for one in found { #expect(plan.holds(for: .many([one])) == true, "\(one)") }
    for one in notFound { #expect(plan.holds(for: .many([one])) == false, "\(one)") }
    #expect(try TextExpression(parsing: expression.description) == expression)
  }

  @Test func `a NUL character ends no expression`() {
    let error = #expect(throws: TextExpressionError.self) { try TextExpression(dystopia: "ab\0c") }
    #expect(error?.position == 2)
  }

  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 20))
  func `no typed text fails, and every expression is parsed as it is printed`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "a", "b", "文", "[[", "]]", "&&", "||", "!!", "OR", "AND", "NOT", "NEAR/2", "NEAR", "(", ")", "\"", "“", "-", "*",
      "~", "~2", "^", "$", "/",
      "\\",
      " ", " ", " ", "\u{301}", "\u{3000}", "9", "é",
    ]
    for _ in 0..<10_000 {
      let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      let typed = TextExpression(typed: text)
      let reparsed = try TextExpression(parsing: typed.description)
      if reparsed != typed { Issue.record("\(text): \(typed), then \(reparsed)") }
      let dystopia = try TextExpression(dystopia: text)
      if try TextExpression(parsing: dystopia.description) != dystopia { Issue.record("\(text): \(dystopia)") }
      guard let parsed = try? TextExpression(parsing: text) else { continue }
      let again = try TextExpression(parsing: parsed.description)
      if again != parsed { Issue.record("\(text): \(parsed), then \(again)") }
    }
  }

  @Test func `hostile expressions are refused or carried out`() throws {
    let deep = String(repeating: "(", count: 100_000) + "a"
    #expect(throws: TextExpressionError.self) { try TextExpression(parsing: deep) }
    let excluded = String(repeating: "-", count: 10_000) + "a"
    #expect(throws: TextExpressionError.self) { try TextExpression(parsing: excluded) }
    for part in ["(", "-", "-(", "(-(", "\"", "-\"", ")", "-)", "OR ", "-OR "] {
      let typed = TextExpression(typed: String(repeating: part, count: 100_000) + "a ")
      #expect(TextPlan(typed).problem == nil, "\(part)")
    }
    var nested = TextExpression.word("a")
    for number in 0..<1_000 { nested = number % 2 == 0 ? nested && .word("b") : nested || .word("c") }
    #expect(TextPlan(nested).problem?.contains("nested") == true)
    var wide = TextExpression.word("w0")
    for number in 1..<10_000 { wide = wide || .word("w\(number)") }
    let plan = TextPlan(wide)
    #expect(plan.holds(for: .many(["x w9999"])) == true && plan.holds(for: .many(["w10000"])) == false)
    for pattern in ["(", "a{100000}", "[z-a]", "(?<=a)b", "\\"] {
      #expect(TextPlan(.regularExpression(pattern)).problem?.contains("invalid") == true, "\(pattern)")
    }
    #expect(TextPlan(.fuzzy("a", edits: 3)).problem != nil)
    // Backtracking would take longer than the universe lasts.
    #expect(TextPlan(.regularExpression("(a*)*b")).holds(for: .many([String(repeating: "a", count: 100_000)])) == false)
  }

  @Test func `texts of megabytes are searched`() {
    let text = String(repeating: "Blue Ｇreen 文件 ", count: 500_000) + "Straße"
    #expect(TextPlan(.word("strasse")).holds(for: .many([text])) == true)
    #expect(TextPlan(.near("件", "strasse", within: 0)).holds(for: .many([text])) == true)
    #expect(TextPlan(.fuzzy("stresse")).holds(for: .many([text])) == true)
    #expect(TextPlan(.word("red")).holds(for: .many([text])) == false)
  }
}
