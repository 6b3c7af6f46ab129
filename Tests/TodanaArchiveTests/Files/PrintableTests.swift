import Testing

@testable import TodanaArchive

@Suite struct PrintableTests {
  @Test(arguments: [
    ("plain ü 📁", "plain ü 📁"), ("", ""), ("a\\b", #"a\\b"#), (#"\x0a"#, #"\\x0a"#),
    ("a\nb\t\u{1B}[31m", #"a\x0ab\x09\x1b[31m"#),
    ("\u{85}", #"\xc2\x85"#), ("\u{202E}fdp.exe", #"\xe2\x80\xaefdp.exe"#),
    ("a\u{2066}b\u{200F}", #"a\xe2\x81\xa6b\xe2\x80\x8f"#),
    ("a\u{2028}b\u{2029}c", #"a\xe2\x80\xa8b\xe2\x80\xa9c"#), ("e\u{301}", "e\u{301}"),
  ])
  func `a printed name is one line without terminal control characters`(name: String, expected: String) {
    #expect(printable(name) == expected)
    #expect(printable(Array(name.utf8)) == expected)
  }

  @Test func `each byte that is not UTF-8 is escaped`() {
    #expect(printable([0x61, 0xFF, 0xC3, 0xC3, 0xA9, 0xF0, 0x9F]) == #"a\xff\xc3é\xf0\x9f"#)
    #expect(printable([0xED, 0xA0, 0x80, 0xC0, 0xAF]) == #"\xed\xa0\x80\xc0\xaf"#)
  }

  @Test func `different names stay different`() {
    #expect(printable([0x0A]) != printable(#"\x0a"#))
    #expect(printable([0xFF]) != printable(#"\xff"#))
  }

  @Test func `names that are already escaped in a message are not escaped again`() {
    let message = "“\(printable("a\\\u{202E}"))” is \u{1B}[31mnot\u{202E} there"
    #expect(
      printableMessage(Array(message.utf8)) == #"“a\\\xe2\x80\xae” is \x1b[31mnot\xe2\x80\xae there"#)
  }

  @Test func `patterns, tags and sizes in messages are escaped like names`() throws {
    #expect(
      PatternRule(Pattern(Array("\\*\u{202E}".utf8)), origin: .excludeOption).description
        == #"“\\*\xe2\x80\xae” (--exclude)"#)
    #expect(RetentionReason.tags(try TagSet("a\\\u{202E}")).description == #"has tags a\\\xe2\x80\xae"#)
    let error = #expect(throws: (any Error).self) { try ByteSize("1\u{202E}") }
    #expect(error.map { "\($0)" }?.hasPrefix(#"“1\xe2\x80\xae” is not a size"#) == true)
  }
}
