// Tests of patterns on which a backtracking matcher takes exponential time. Matching takes at most pattern × path
// steps.
import Testing
import TodanaArchive

@Suite struct HostilePatternTests {
  /// A long pattern and a long path, with a short description for messages.
  struct Case: CustomTestStringConvertible {
    var start = ""
    var piece: String
    var count = 500
    var pathPiece = "a"
    var pathCount = 2_000

    var pattern: String { start + String(repeating: piece, count: count) + "b" }
    var path: String { String(repeating: pathPiece, count: pathCount) }
    var testDescription: String { "\(start)(\(piece)){\(count)}b" }
  }

  /// Takes milliseconds.
  ///
  /// With backtracking, each case would take longer than the age of the universe.
  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      Case(piece: "a*"), Case(piece: "*a"), Case(piece: "?*"), Case(piece: "[a-z]*"), Case(start: "/", piece: "a**"),
      Case(piece: "**/a/", count: 300, pathPiece: "a/", pathCount: 1_000),
      Case(piece: "**/*/", count: 300, pathPiece: "a/", pathCount: 1_000),
      Case(start: "/", piece: "**/a*a*a*/", count: 100, pathPiece: "aaaaaaa/", pathCount: 500),
    ])
  func `matching takes time proportional to pattern times path`(_ example: Case) throws {
    let pattern = Pattern(example.pattern.bytes)
    #expect(pattern.flaw == nil)
    let query = try PathQuery(example.pattern.bytes, ignoresCase: true)
    for (end, isMatch) in [("a", false), ("b", true)] {
      let path = (example.path + end).bytes
      #expect(pattern.matches(path, isDirectory: false) == isMatch)
      #expect(query.matches(path, isDirectory: false) == isMatch)
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `many rules and long lines are read in time`() {
    var list = PatternList()
    list.append(lines: Array(repeating: UInt8(ascii: "["), count: 100_000), of: [])
    list.append(lines: Array("[[:".utf8) + Array(repeating: UInt8(ascii: ":"), count: 100_000), of: [])
    list.append(lines: Array(repeating: UInt8(ascii: " "), count: 100_000), of: [])
    list.append(lines: Array(repeating: UInt8(ascii: "\\"), count: 100_001), of: [])
    list.append(lines: Array(repeating: UInt8(ascii: "\n"), count: 100_000), of: [])
    #expect(list.rules.count == 3)
    #expect(list.flawedRules.count == 3)
  }
}
