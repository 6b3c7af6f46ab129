import CUnicode
import Foundation
import TestSupport
import Testing

@testable import Todana

/// Text conditions, compared with an independent program that tests texts by brute force.
@Suite struct TextMatchingTests {
  private static let program = Checkout.file("Tests/Independent/text_search.py").path

  @Test(arguments: RandomSeeds.seeds([1], new: 1, long: 4))
  func `random expressions find the texts that an independent program finds`(_ seed: UInt64) throws {
    var random = RandomTexts(seed: seed)
    var trials: [(node: TextNode, texts: [String])] = []
    for _ in 0..<(LongTests.areEnabled ? 20_000 : 4_000) {
      let texts = (0..<random.number(1...3)).map { _ in random.text() }
      trials.append((random.node(like: texts, depth: 3), texts))
    }
    let directory = try TemporaryDirectory()
    let path = directory.path("trials")
    let lines = try trials.map { try json(["texts": $0.texts, "node": list(of: $0.node)]) }
    try lines.joined(separator: "\n").write(toFile: path, atomically: false, encoding: .utf8)
    let child = try ChildProcess(executable: "/usr/bin/python3", [Self.program, path])
    let answers = child.remainingLines()
    try #require(child.waitForExit() == 0)
    let version = try #require(answers.first)
    guard version == "\(tdu_unicode_version() / 10).\(tdu_unicode_version() % 10)" else {
      try Test.cancel("ICU has Unicode \(version), and the tables \(tdu_unicode_version())")
    }
    try #require(answers.count == trials.count + 1)
    var foundCount = 0
    for (trial, answer) in zip(trials, answers.dropFirst()) {
      let plan = TextPlan(TextExpression(trial.node))
      #expect(plan.problem == nil)
      let holds = plan.holds(for: trial.texts.count == 1 ? .one(trial.texts[0]) : .many(trial.texts))
      if holds == true { foundCount += 1 }
      if holds != (answer == "1") {
        Issue.record("\(trial.node) in \(trial.texts): \(String(describing: holds)), not \(answer)")
      }
    }
    // Both outcomes are tested often.
    #expect(foundCount > trials.count / 5 && foundCount < trials.count * 4 / 5, "\(foundCount) of \(trials.count)")
  }

  private func json(_ value: [String: Any]) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
  }

  private func list(of node: TextNode) -> [Any] {
    switch node {
    case .term(let kind, let text): ["\(kind)", text]
    case .fuzzy(let text, let edits): ["fuzzy", text, edits]
    case .near(let texts, let distance): ["near", texts, distance]
    case .regularExpression(let text): ["regex", text]
    case .all(let nodes): ["all", nodes.map { list(of: $0) }]
    case .any(let nodes): ["any", nodes.map { list(of: $0) }]
    case .not(let node): ["not", list(of: node)]
    }
  }

  /// An index finds the texts that have these parts.
  @Test(arguments: [
    ("choi[a-z]e", [["choi"]]), ("abc.*def", [["abc", "def"]]), ("(foo|bar)baz", [["barbaz"], ["foobaz"]]),
    ("LANTERN", [["lantern"]]), ("привет", [["привет"]]), ("文件名", [["文件名"]]), ("a.c", []), ("(abc)?", []),
    ("abc|d", []), ("", []), ("(?-i)ABC", [["abc"]]), ("abc|def|ghi|jkl|mno|pqr|stu|vwx|yza", []),
    ("abc.+(def|ghi|jkl|mno|pqr|stu|vwx|yza|bcd)", [["abc"]]), ("Écluse", []), ("[abc]{3}", []),
  ])
  func `a regular expression has parts without which no text matches`(
    _ pattern: String, _ expected: [[String]]
  ) throws {
    let parts = try RegularExpression(pattern).requiredParts()
    let found = parts.map { alternative in alternative.map { String(decoding: $0, as: UTF8.self) }.sorted() }
    #expect(Set(found) == Set(expected.map { $0.sorted() }), "\(found)")
  }
}
