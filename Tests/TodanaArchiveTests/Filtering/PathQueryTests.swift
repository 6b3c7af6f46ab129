// Unit tests of the patterns of `find`.
import Testing
import TodanaArchive

@Suite struct PathQueryTests {
  @Test(arguments: [
    ("*.txt", "home/ann/a.txt", true), ("*.txt", "a.txt/b", false), ("a.txt", "x/a.txt", true),
    ("home/*/a.txt", "home/ann/a.txt", true), ("home/*/a.txt", "x/home/ann/a.txt", false),
    ("**/ann/**", "home/ann/x/y", true), ("/home/**", "home/ann", true), ("/home/**", "/home/ann", true),
    ("home/**", "/home/ann", true), ("/a", "x/a", false), ("!a", "!a", true), ("!a", "b", false), ("a/", "x/a", false),
    ("[ab]?", "x/ac", true), ("A", "a", false), ("a", "", false), ("a", "a/", false), ("#a ", "#a ", true),
  ])
  func `a query finds matching paths`(_ pattern: String, _ path: String, _ isFound: Bool) throws {
    #expect(try PathQuery(pattern.bytes).matches(path.bytes, isDirectory: false) == isFound)
  }

  @Test func `a trailing slash matches directories`() throws {
    #expect(try PathQuery("a/".bytes).matches("x/a".bytes, isDirectory: true))
  }

  @Test(arguments: [
    ("README*", "x/Readme.md", true), ("readme", "README", true), ("ÄRGER.txt", "ärger.TXT", true),
    ("straße", "STRASSE", false),
    ("STRAẞE", "straße", true), ("ΟΔΟΣ", "οδοσ", true), ("[A-C]x", "BX", true), ("[a-c]x", "BX", true),
    ("[!a]x", "AX", false), ("[[:upper:]]", "a", true), ("İ", "i", true), ("Home/*/Ä", "home/Ann/ä", true),
    (#"\Ä"#, "ä", true), ("Ж?", "жx", true), ("\u{212A}", "k", true), ("𐐀", "𐐨", true),
  ])
  func `a query can ignore case`(_ pattern: String, _ path: String, _ isFound: Bool) throws {
    #expect(try PathQuery(pattern.bytes, ignoresCase: true).matches(path.bytes, isDirectory: false) == isFound)
  }

  @Test func `bytes that are not UTF-8 are compared as they are`() throws {
    let broken: [UInt8] = [0xC3, 0x41, 0xFF, 0xC3]
    #expect(try PathQuery([0xC3, 0x61, 0xFF, 0xC3], ignoresCase: true).matches(broken, isDirectory: false))
    #expect(try !PathQuery([0xC4, 0x61, 0xFF, 0xC3], ignoresCase: true).matches(broken, isDirectory: false))
  }

  @Test func `a pattern that matches nothing is refused`() {
    #expect(throws: ArgumentError.self) { try PathQuery("[a".bytes) }
    #expect(throws: ArgumentError.self) { try PathQuery("".bytes) }
  }
}
