// Unit tests of counts, durations, tags and groupings as users write them.
import Testing
import TodanaArchive

@Suite struct RetentionParsingTests {
  @Test(arguments: [
    ("0", KeepCount.none), ("7", .newest(7)), ("all", .all), ("-1", .all), ("unlimited", .all),
  ])
  func `a count is read`(_ text: String, _ count: KeepCount) throws {
    #expect(try KeepCount(text) == count)
  }

  @Test(arguments: ["", "-2", "+1", "1.5", "ALL", " 1", "99999999999999999999", "x\u{1B}"])
  func `a count is refused`(_ text: String) {
    let error = #expect(throws: ArgumentError.self) { try KeepCount(text) }
    #expect(error?.code == .invalidCount)
    #expect(error?.message.unicodeScalars.contains("\u{1B}") == false)
  }

  @Test(arguments: [
    ("1y5m7d2h", "1y5m7d2h"), ("2h", "2h"), ("7d1y", "1y7d"), ("007d", "7d"), ("0y1h", "1h"), ("1000000h", "1000000h"),
  ])
  func `a duration is read`(_ text: String, _ shown: String) throws {
    #expect(try CalendarDuration(text).description == shown)
  }

  @Test(arguments: [
    "", "0d", "0y0m", "7", "d", "7w", "1d1d", "-1d", "1.5d", " 1d", "1d ", "1 d", "1Y", "1000001h",
    "99999999999999999999d", "١d",
  ])
  func `a duration is refused`(_ text: String) {
    let error = #expect(throws: ArgumentError.self) { try CalendarDuration(text) }
    #expect(error?.code == .invalidDuration)
  }

  @Test(arguments: [("a", ["a"]), ("a,b", ["a", "b"]), (" a , b c ", ["a", "b c"])] as [(String, [String])])
  func `tags are read`(_ text: String, _ tags: [String]) throws {
    #expect(try TagSet(text).tags == tags)
  }

  @Test(arguments: ["", " ", "a,", ",a", "a,,b"])
  func `empty tags are refused`(_ text: String) {
    #expect(throws: ArgumentError.self) { try TagSet(text) }
  }

  @Test(
    arguments: [
      ("", []), ("host", .host), ("host,paths", .standard), ("hosts,path,tag", [.host, .paths, .tags]),
    ] as [(String, SnapshotGrouping)])
  func `a grouping is read`(_ text: String, _ grouping: SnapshotGrouping) throws {
    #expect(try SnapshotGrouping(text) == grouping)
  }

  @Test(arguments: ["x", ",", "host,", "host, paths"])
  func `a grouping is refused`(_ text: String) {
    #expect(throws: ArgumentError.self) { try SnapshotGrouping(text) }
  }
}
