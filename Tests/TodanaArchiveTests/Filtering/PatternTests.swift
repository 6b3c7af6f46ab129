// Unit tests of single gitignore(5) patterns. The cases are from its text and, if it is silent, from Git's behavior.
import Testing
import TodanaArchive

@Suite struct PatternTests {
  struct Case: CustomTestStringConvertible {
    var pattern: String
    var matched: [String]
    var unmatched: [String]
    var testDescription: String { pattern }

    init(_ pattern: String, _ matched: [String], not unmatched: [String]) {
      self.pattern = pattern
      self.matched = matched
      self.unmatched = unmatched
    }
  }

  static let cases: [Case] = [
    // A pattern without a slash matches the last name.
    Case("a", ["a", "x/a", "x/y/a"], not: ["b", "a/b", "ab", "ba", ""]),
    Case("*.o", ["x.o", ".o", "d/x.o"], not: ["x.oo", "x.o/y", "o"]),
    Case("a?c", ["abc", "x/a-c"], not: ["ac", "abbc", "a/c"]),
    Case("*", ["a", "a/b"], not: [""]),
    Case("**", ["a", "a/b"], not: [""]),
    Case("a**c", ["ac", "abbc", "x/abc"], not: ["a/c"]),
    Case("*a*b*", ["ab", "xaxbx", "d/ab"], not: ["ba", "a/b"]),
    // A pattern with a slash matches the whole path.
    Case("/a", ["a"], not: ["x/a", "a/a"]),
    Case("a/b", ["a/b"], not: ["x/a/b", "a/b/c", "a"]),
    Case("/a/b", ["a/b"], not: ["x/a/b"]),
    Case("a/*", ["a/b", "a/c"], not: ["a", "a/b/c", "x/a/b"]),
    Case("*/b", ["a/b"], not: ["b", "x/a/b"]),
    Case("a/?", ["a/b"], not: ["a/", "a/bc"]),
    Case("a/b?d/e", ["a/bcd/e"], not: ["a/b/d/e"]),
    // `**` between slashes matches any number of directories.
    Case("**/a", ["a", "x/a", "x/y/a"], not: ["xa", "a/b"]),
    Case("**/a/b", ["a/b", "x/a/b", "x/y/a/b"], not: ["a/x/b"]),
    Case("a/**", ["a/b", "a/b/c"], not: ["a", "b/a", "x/a/b"]),
    Case("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], not: ["ab", "a/bx", "x/a/b", "a/b/c"]),
    Case("/**", ["a", "a/b"], not: [""]),
    Case("/**/a", ["a", "x/a"], not: ["b"]),
    Case("**/**/a", ["a", "x/a", "x/y/a"], not: ["b"]),
    Case("a/**/**", ["a/b", "a/b/c"], not: ["a"]),
    Case("a/***/b", ["a/b", "a/x/b"], not: ["a/x/bc"]),
    Case("a/**/b/**/c", ["a/b/c", "a/b/b/c", "a/x/b/y/c"], not: ["a/c", "a/b", "a/x/c/b"]),
    Case("**/a/**/b/*c", ["a/b/c", "x/a/y/b/xc", "a/b/b/c"], not: ["a/b", "b/a/c"]),
    // `**` within a name is an ordinary star, as gitignore(5) says.
    Case("a**/b", ["a/b", "ax/b"], not: ["a/x/b", "ax/y/b"]),
    Case("**a/b", ["a/b", "xa/b"], not: ["x/a/b"]),
    // An escaped slash is a slash, but `**` before it needs at least one directory.
    Case(#"a\/b"#, ["a/b"], not: ["x/a/b"]),
    Case(#"**\/b"#, ["a/b", "x/a/b"], not: ["b"]),
    Case(#"\*/b"#, ["*/b"], not: ["a/b"]),
    Case(#"\*"#, ["*", "a/*"], not: ["a"]),
    Case(#"\a\?\["#, ["a?["], not: ["ax["]),
    Case(#"\!a"#, ["!a"], not: ["a"]),
    Case("\\#a", ["#a"], not: ["a"]),
    Case(#"a\\b"#, [#"a\b"#], not: ["ab"]),
    Case("[abc]", ["a", "b", "c"], not: ["d", "ab", "[abc]"]),
    Case("[a-c]x", ["ax", "bx", "cx"], not: ["dx", "-x"]),
    Case("[!a-c]x", ["dx", "-x"], not: ["ax", "x"]),
    Case("[^a]x", ["bx", "^x"], not: ["ax"]),
    Case("[]a]", ["]", "a"], not: ["b"]),
    Case("[!]a]", ["b"], not: ["]", "a"]),
    Case("[a-]", ["a", "-"], not: ["b"]),
    Case("[-a]", ["a", "-"], not: ["b"]),
    Case("[z-a]", ["z"], not: ["a", "m"]),
    Case(#"[\]]"#, ["]"], not: [#"\"#, "a"]),
    Case(#"[\a-\c]"#, ["a", "b", "c"], not: [#"\"#, "d"]),
    Case("[--0]", ["-", ".", "0"], not: ["1", ","]),
    Case("[a-c-e]", ["a", "b", "c", "-", "e"], not: ["d"]),
    Case("[[:digit:]]", ["0", "9"], not: ["a", ":"]),
    Case("[![:alpha:]_]", ["0", "-"], not: ["a", "Z", "_"]),
    Case("[[:alpha:]-z]", ["a", "-", "z"], not: ["0"]),
    Case("[[:]", ["[", ":"], not: ["a"]),
    Case("[[:a]", ["[", ":", "a"], not: ["b"]),
    Case("[[:xdigit:][:space:]]", ["f", "A", "\t", " "], not: ["g"]),
    Case("a[!b]c/d", ["axc/d"], not: ["abc/d", "a/c/d"]),
    // A slash within brackets anchors the pattern, and is never matched.
    Case("a[/x]b", ["axb"], not: ["a/b", "d/axb"]),
  ]

  @Test(arguments: cases)
  func `a pattern matches the paths that Git matches`(_ example: Case) {
    let pattern = Pattern(example.pattern.bytes)
    #expect(pattern.flaw == nil)
    for path in example.matched { #expect(pattern.matches(path.bytes, isDirectory: false), "\(path)") }
    for path in example.unmatched { #expect(!pattern.matches(path.bytes, isDirectory: true), "\(path)") }
  }

  @Test(arguments: ["a/", "/a/", "**/", "*/", "!a/"])
  func `a trailing slash matches only directories`(_ text: String) {
    let pattern = Pattern(text.bytes)
    #expect(pattern.matches("a".bytes, isDirectory: true))
    #expect(!pattern.matches("a".bytes, isDirectory: false))
  }

  @Test func `a trailing slash does not anchor a pattern`() {
    #expect(Pattern("a/".bytes).matches("x/a".bytes, isDirectory: true))
    #expect(!Pattern("/a/".bytes).matches("x/a".bytes, isDirectory: true))
  }

  @Test(arguments: [
    ("", PatternFlaw.empty), ("/", .empty), ("!", .empty), ("!/", .empty), ("[a", .openBracket), ("[", .openBracket),
    ("[]", .openBracket), ("[!]", .openBracket), (#"[\"#, .openBracket), ("[a-", .openBracket),
    ("[[:alpha:]", .openBracket),
    ("[[:", .openBracket), ("[[:none:]]", .unknownClass), ("[[::]]", .unknownClass), (#"a\"#, .trailingBackslash),
    (#"a\/"#, .trailingBackslash), ("a//", .emptyName), ("a//b", .emptyName), ("//a", .emptyName), ("a\0b", .nul),
  ])
  func `a pattern that matches nothing says why`(_ text: String, _ flaw: PatternFlaw) {
    let pattern = Pattern(text.bytes)
    #expect(pattern.flaw == flaw)
    for path in ["a", "[a", "[]", "b", "a/b", #"a\"#, ""] { #expect(!pattern.matches(path.bytes, isDirectory: true)) }
  }

  @Test func `names need not be UTF-8`() {
    #expect(Pattern([0xFF, UInt8(ascii: "*")]).matches([0xFF, 0xFE], isDirectory: false))
    #expect(Pattern(Array("?".utf8)).matches([0x80], isDirectory: false))
    // A character of two bytes needs two question marks.
    #expect(!Pattern("?".bytes).matches("ä".bytes, isDirectory: false))
    #expect(Pattern("??".bytes).matches("ä".bytes, isDirectory: false))
    #expect(
      Pattern([UInt8(ascii: "["), 0x80, UInt8(ascii: "-"), 0xFF, UInt8(ascii: "]")]).matches([0xC3], isDirectory: false)
    )
  }
}

/// Tests of the lines of an ignore file.
@Suite struct PatternLineTests {
  @Test(arguments: ["", "#", "# a", " ", "   ", "\r", " \r"])
  func `comments and blank lines are no patterns`(_ line: String) {
    #expect(Pattern(line: line.bytes) == nil)
  }

  @Test(arguments: [
    ("a", "a"), ("a ", "a"), ("a  ", "a"), (#"a\ "#, #"a\ "#), (#"a\  "#, #"a\ "#), (#"a \ "#, #"a \ "#),
    ("a b ", "a b"),
    (" a", " a"), ("a\t", "a\t"), ("a\r", "a"), ("a \r", "a"), ("a\r\r", "a\r"), ("\\#a", "\\#a"), (#"a\"#, #"a\"#),
    (" #a", " #a"),
  ])
  func `trailing spaces of a line are trimmed unless escaped`(_ line: String, _ text: String) {
    #expect(Pattern(line: line.bytes)?.text == text.bytes)
  }

  @Test func `a space after a backslash is part of the name`() throws {
    let pattern = try #require(Pattern(line: #"a\ "#.bytes))
    #expect(pattern.matches("a ".bytes, isDirectory: false))
    #expect(!pattern.matches("a".bytes, isDirectory: false))
  }

  @Test func `a pattern from the command line is not trimmed`() {
    #expect(Pattern("#a ".bytes).matches("#a ".bytes, isDirectory: false))
  }
}

extension StringProtocol {
  /// The UTF-8 bytes, as names and patterns are stored.
  var bytes: [UInt8] { Array(utf8) }
}
