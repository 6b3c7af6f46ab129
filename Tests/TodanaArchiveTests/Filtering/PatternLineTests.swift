// Units: lines of a file of patterns.
import Testing
import TodanaArchive

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
  func `what is trimmed`(_ line: String, _ text: String) {
    #expect(Pattern(line: line.bytes)?.text == text.bytes)
  }

  @Test func `a space that a backslash protects is part of the name`() throws {
    let pattern = try #require(Pattern(line: #"a\ "#.bytes))
    #expect(pattern.matches("a ".bytes, isDirectory: false))
    #expect(!pattern.matches("a".bytes, isDirectory: false))
  }

  @Test func `a command line is taken as it is`() {
    #expect(Pattern("#a ".bytes).matches("#a ".bytes, isDirectory: false))
  }
}
