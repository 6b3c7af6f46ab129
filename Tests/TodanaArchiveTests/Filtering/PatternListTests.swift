// Unit tests of lists of rules, relative to a directory.
import Testing
import TodanaArchive

@Suite struct PatternListTests {
  private func list(_ content: String, in directory: String = "") -> PatternList {
    var list = PatternList(directory: directory.bytes)
    list.append(lines: content.bytes, of: "rules".bytes)
    return list
  }

  @Test func `the last rule that matches decides`() {
    let list = list("*.log\n!keep.log\nkeep.log/\n")
    #expect(list.verdict("a.log".bytes, isDirectory: false) == .excluded(list.rules[0]))
    #expect(list.verdict("keep.log".bytes, isDirectory: false) == .included(list.rules[1]))
    #expect(list.verdict("keep.log".bytes, isDirectory: true) == .excluded(list.rules[2]))
    #expect(list.verdict("a".bytes, isDirectory: false) == .undecided)
  }

  @Test func `rules are relative to their directory`() {
    let list = list("/a\nb", in: "d/e")
    #expect(list.verdict("d/e/a".bytes, isDirectory: false) == .excluded(list.rules[0]))
    #expect(list.verdict("d/e/x/b".bytes, isDirectory: false) == .excluded(list.rules[1]))
    for path in ["a", "d/e/x/a", "d/a", "b", "d/eb", "d/e", "d/ex/b"] {
      #expect(list.verdict(path.bytes, isDirectory: false) == .undecided, "\(path)")
    }
  }

  @Test func `rules know their lines`() {
    let list = list("\u{FEFF}# comment\r\n\r\n*.o\r\n\n[x\nlast")
    #expect(list.rules.map(\.origin) == [3, 5, 6].map { .file(path: "rules".bytes, line: $0) })
    #expect(list.rules.map(\.pattern.text) == ["*.o", "[x", "last"].map(\.bytes))
    #expect(list.flawedRules == [list.rules[1]])
    #expect(list.rules[0].description == "“*.o” (rules, line 3)")
  }

  @Test func `a printed rule has no terminal control characters`() {
    let rule = PatternRule(Pattern([0x1B, 0xFF, 0x61] + "ä".bytes), origin: .excludeOption)
    #expect(rule.description == "“\\x1b\\xffaä” (--exclude)")
  }
}
