// Random texts: each is a query or a typed error.
import FuzzTargets
import TestSupport
import Testing
import Todana

@Suite struct QueryTextFuzzTests {
  private static let parts: [String] = [
    "title", "seconds", "genre", "rating", "isFavourite", "tags", "album", "titel", "`title`", "`", "``", "(", ")", "(",
    ")",
    ",", "=", "==", "!=", "<>", "<", "<=", ">", ">=", "AND", "or", "NOT", "!", "&&", "||", "IN", "BETWEEN", "contains",
    "BEGINSWITH", "endswith", "[c]", "[cd]", "[", "]", "IS", "NULL", "TRUE", "false", "?", "?", "'a'", "'", "\"b\"",
    "\"",
    "1", "-1", "2.5", "1e5", "1e", "-", ".", "99999999999999999999999", "\u{0}", "\u{301}", "é", "\u{1F469}\u{200D}",
    "\r\n",
    "#", "\\", "DESC", "ASC",
  ]
  private static let valid = [
    "seconds > ? AND (title BEGINSWITH ? OR NOT genre IN ('Rock', \"Pop\"))", "title ==[c] 'écoute' AND isFavourite",
    "rating BETWEEN -1.5 AND 2e3 OR tags CONTAINS 'a' AND album IS NOT NULL", "genre, seconds DESC, title[c]",
  ]

  @Test func `random texts are queries or typed errors`() {
    var generator = SeededGenerator(seed: 5)
    var readCount = 0
    for round in 0..<20_000 {
      let text: String
      if round % 2 == 0 {
        let count = Int.random(in: 0..<14, using: &generator)
        text = (0..<count).map { _ in Self.parts.randomElement(using: &generator) ?? "" }
          .joined(separator: round % 4 == 0 ? " " : "")
      } else {
        var bytes = Array((Self.valid.randomElement(using: &generator) ?? "").utf8)
        for _ in 0..<Int.random(in: 0..<3, using: &generator) {
          let place = Int.random(in: 0..<bytes.count, using: &generator)
          switch Int.random(in: 0..<4, using: &generator) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
          case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
          case 2: bytes.remove(at: place)
          default: bytes.insert(contentsOf: (Self.parts.randomElement(using: &generator) ?? "").utf8, at: place)
          }
        }
        text = String(decoding: bytes, as: UTF8.self)
      }
      if QueryTextFuzzing.run(text) { readCount += 1 }
    }
    // Enough texts must be valid, so that not only errors are tested.
    #expect(readCount > 1000)
  }

  @Test func `parsing of deep and long texts ends`() {
    for part in [
      "(", "NOT ", "!", "NOT (", "isFavourite AND ", "(isFavourite OR ", "title IN ('", "[", "'", "?", "9", ".",
    ] {
      for count in [1, 99, 101, 5000, 70_000 / part.utf8.count] {
        _ = QueryTextFuzzing.run(String(repeating: part, count: count) + "isFavourite")
        _ = QueryTextFuzzing.run(String(repeating: part, count: count))
      }
    }
  }
}
