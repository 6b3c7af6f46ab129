import Foundation
import TestSupport
import Testing

@testable import TodanaDocuments

@Suite struct DocumentJSONTests {
  @Test func `JSON is parsed with the order of its keys and the types of its numbers`() throws {
    let value = try DocumentValue(
      json: #" {"b": 1, "a": 1.0, "c": [null, true, false, "é\u00e9\n"], "d": -1e3, "e": 9007199254740993, "b": 2} "#)
    #expect(value.fields?.map(\.key) == ["b", "a", "c", "d", "e"])
    #expect(
      try isIdentical(
        value, ["b": 2, "a": 1.0, "c": [nil, true, false, "éé\n"], "d": -1000.0, "e": 9_007_199_254_740_993]))
    #expect(try value.json() == #"{"b":2,"a":1.0,"c":[null,true,false,"éé\n"],"d":-1000.0,"e":9007199254740993}"#)
    #expect(try DocumentValue(["a": [1]]).json(isPretty: true) == "{\n  \"a\": [\n    1\n  ]\n}")
  }

  @Test func `kinds that JSON lacks have an extended form`() throws {
    let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    let value: DocumentValue = [
      "date": .init(Date(timeIntervalSinceReferenceDate: 0.5)), "uuid": .init(uuid), "bytes": .init(Data([0, 1, 2])),
      "nan": .init(Double.nan), "low": .init(-Double.infinity), "same": ["$date": 1], "twice": ["$$uuid": 2],
      "other": ["$x": 3],
    ]
    let json =
      #"{"date":{"$date":"2001-01-01T00:00:00.5Z"},"uuid":{"$uuid":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"},"#
      + #""bytes":{"$bytes":"AAEC"},"nan":{"$double":"NaN"},"low":{"$double":"-Infinity"},"same":{"$$date":1},"#
      + #""twice":{"$$$uuid":2},"other":{"$x":3}}"#
    #expect(try value.json() == json)
    #expect(try isIdentical(DocumentValue(json: json), value))
    #expect(throws: DocumentError.self) { try value.json(.plain) }
    let plain: DocumentValue = [value["date"] ?? nil, value["uuid"] ?? nil, value["bytes"] ?? nil, ["$date": 1]]
    #expect(
      try plain.json(.plain)
        == #"["2001-01-01T00:00:00.5Z","E621E1F8-C36C-495A-93FC-0C247A3E6E5F","AAEC",{"$date":1}]"#)
    #expect(try DocumentValue(json: #"{"$date": "x"}"#, .plain) == ["$date": "x"])
  }

  @Test(arguments: [
    "2026-11-30T08:15:21Z", "2026-11-30T08:15:21.25Z", "2026-11-30T09:15:21.25+01:00", "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ])
  func `dates are read from texts`(text: String) throws {
    let date = try #require(try DocumentValue(json: #"{"$date": "\#(text)"}"#).date)
    #expect(try DocumentValue(json: DocumentValue(date).json()).date == date)
  }

  @Test(arguments: RandomSeeds.seeds([1, 2], new: 2, long: 1000))
  func `values are restored from extended JSON`(seed: UInt64) throws {
    var random = RandomValues(generator: SeededGenerator(seed: seed))
    for _ in 0..<100 {
      let value = random.value(depth: 4)
      let json = try value.json(isPretty: random.number(below: 2) == 0)
      let copy = try DocumentValue(json: json)
      #expect(copy == value, "\(json)")
      // The bits of a NaN may differ.
      if !json.contains("NaN") { #expect(try isIdentical(copy, value), "\(json)") }
    }
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), ("{\"a\":1", 6), ("nul", 0), ("1 2", 2), ("[1] x", 4), ("\"\u{1}\"", 0),
    ("{\"a\" 1}", 5),
    ("\"\\ud800\"", 1), ("'a'", 0), ("{a:1}", 1),
  ])
  func `a malformed text is an error with its place`(text: String, offset: Int) throws {
    let error = #expect(throws: DocumentError.self) { try DocumentValue(json: text) }
    #expect(error?.code == .invalidText)
    let found = try #require(error?.byteOffset)
    #expect(abs(found - offset) <= 3, "\(text): \(found)")
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    #expect(throws: DocumentError.self) { try DocumentValue(json: Data([0x22, 0xFF, 0x22])) }
    #expect(throws: DocumentError.self) { try DocumentValue(json: Data([0x22, 0xC0, 0x80, 0x22])) }
    #expect(throws: DocumentError.self) { try DocumentValue(json: Data([0x22, 0xED, 0xA0, 0x80, 0x22])) }
  }

  @Test func `numbers beyond the range are refused, exact ones accepted`() throws {
    #expect(try DocumentValue(json: "9223372036854775807") == .init(Int64.max))
    #expect(try DocumentValue(json: "-9223372036854775808") == .init(Int64.min))
    #expect(try isIdentical(DocumentValue(json: "9223372036854775808"), .init(0x1p63)))
    #expect(try DocumentValue(json: "18446744073709551616") == .init(0x1p64))
    for text in ["9223372036854775809", "1e400", "-1e400", "123456789012345678901234567890"] {
      let error = #expect(throws: DocumentError.self) { try DocumentValue(json: text) }
      #expect(error?.code == .numberOutOfRange)
    }
    #expect(try isIdentical(DocumentValue(json: "-0.0"), .init(-0.0)))
  }

  @Test func `texts of any depth cause no crash`() throws {
    let deepest = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(try DocumentValue(json: deepest).json() == deepest)
    let error = #expect(throws: DocumentError.self) {
      try DocumentValue(json: String(repeating: "[", count: 1_000_000))
    }
    #expect(error?.code == .tooDeep)
    #expect(error?.byteOffset == 100)
  }

  @Test(arguments: [
    #"{"$date": "yesterday"}"#, #"{"$date": "2026-02-30T00:00:00Z"}"#, #"{"$date": "2100-02-29T00:00:00.5Z"}"#,
    #"{"$date": "2026-04-31T12:00:00+09:00"}"#, #"{"$date": true}"#, #"{"$uuid": "x"}"#, #"{"$bytes": "?"}"#,
    #"{"$double": "x"}"#,
  ])
  func `an invalid extended form is an error`(text: String) {
    let error = #expect(throws: DocumentError.self) { try DocumentValue(json: text) }
    #expect(error?.code == .invalidText)
  }
}
