// Literals in query texts: those that convert to a field's type, and those that do not.
import Foundation
import Testing
import Todana

@Suite struct QueryTextValueTests {
  private static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
  private static let date = Date(timeIntervalSinceReferenceDate: 5)

  private static let accepted: [(String, (any Sendable)?)] = [
    ("small = ?", -3), ("small = ?", UInt64(2)), ("small = -128", nil), ("large = 18446744073709551615", nil),
    ("large = ?", UInt64.max), ("single = ?", 0.5), ("single = ?", Float(0.1)), ("single = 0.1", nil),
    ("single = ?", 3),
    ("single = ?", Double.nan), ("single = ?", Double.infinity), ("exact = ?", Decimal(1)), ("exact = 12.34", nil),
    ("exact = ?", Int64.min), ("uuid = '\(uuid)'", nil), ("uuid = ?", UUID()), ("url = 'https://a.b/c'", nil),
    ("url = ?", URL(filePath: "/a")), ("date < ?", date), ("date = ?", Date?.none), ("bytes = ?", Data([1])),
    ("bytes = ?", [1, 2] as [UInt8]), ("mood = ?", Mood.wild), ("mood = 1", nil), ("mood = ?", UInt64(0)),
    ("mood IN ?", [Mood.calm]), ("style = 'plain'", nil), ("style = ?", Style.plain), ("style IS NULL", nil),
    ("style IN (NULL, 'rich')", nil), ("flag", nil), ("flag = ?", Bool?.some(true)), ("numbers CONTAINS 5", nil),
    ("counts CONTAINS ?", UInt8(5)), ("title = ?", "abc"["abc".startIndex...]), ("style = ?", "rich" as String??),
    ("friend IS NULL", nil), ("friends CONTAINS '1-5'", nil), ("`order by` = 1", nil), ("a.b = 1", nil),
  ]

  private static let refused: [(String, (any Sendable)?)] = [
    ("small = 128", nil), ("small = ?", 128), ("large = -1", nil), ("large = 18446744073709551616", nil),
    ("single = ?", 0.1), ("single = ?", 1e300), ("single = 1e300", nil), ("single = ?", 16_777_217), ("exact = ?", 0.5),
    ("exact = 1.2345678901234567890123456789012345678901", nil), ("exact = 1e900", nil), ("uuid = 'x'", nil),
    ("url = ''", nil), ("date = 5", nil), ("date = ?", 5.0), ("date = '2020-01-01'", nil), ("bytes = 'x'", nil),
    ("mood = 7", nil), ("mood = 'wild'", nil), ("mood = ?", Style.plain), ("style = 'odd'", nil), ("style = 1", nil),
    ("flag = 'x'", nil), ("numbers CONTAINS 'x'", nil), ("title = ?", Data([1])), ("title = ?", ["a"]),
    ("friend = 5", nil), ("counts CONTAINS 300", nil), ("style", nil), ("friends = '1-5'", nil),
  ]

  @Test func `values are converted to the field's type if nothing is lost`() throws {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Sample.self])
    try store.insert(Sample())
    for (text, argument) in Self.accepted {
      #expect(throws: Never.self, "\(text) \(argument ?? "")") {
        try store.ids(Sample.where(text, arguments: text.contains("?") ? [argument] : []))
      }
    }
    for (text, argument) in Self.refused {
      let error = #expect(throws: QueryTextError.self, "\(text) \(argument ?? "")") {
        try Sample.where(text, arguments: text.contains("?") ? [argument] : [])
      }
      #expect(error?.code == .typeMismatch, "\(text)")
    }
  }

  @Test func `values of every type are found`() throws {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Sample.self])
    let sample = Sample()
    sample.uuid = try #require(UUID(uuidString: Self.uuid))
    sample.url = URL(string: "https://a.b/c")
    sample.mood = .wild
    sample.exact = try #require(Decimal(string: "12.34"))
    sample.single = 0.1
    sample.numbers = [5]
    try store.insert(sample)
    for text in [
      "uuid = '\(Self.uuid)'", "url = 'https://a.b/c'", "mood = 1", "exact = 12.34", "single = 0.1",
      "numbers CONTAINS 5",
      "style IS NULL AND friend IS NULL AND NOT flag", "exact BETWEEN 12.3 AND 12.4",
    ] {
      #expect(try store.count(Sample.where(text)) == 1, "\(text)")
      #expect(try store.count(Sample.where("NOT (\(text))")) == 0, "\(text)")
    }
  }

  @Test func `a subclass has the fields of its superclass`() throws {
    let store = try Store(backend: KyotoBackend(.inMemory), classes: [Derived.self])
    let object = Derived()
    object.number = 5
    try store.insert(object)
    #expect(try store.count(Derived.where("number = 5")) == 1)
  }

  private class Base: StoredObject {
    var number = 0
    override class var fields: [Field] { [Field("number", \Base.number)] }
  }

  private final class Derived: Base {}

  private enum Mood: UInt8, OrderedValue { case calm, wild }
  private enum Style: String, OrderedValue { case plain, rich }

  private final class Sample: StoredObject {
    var small: Int8 = 0
    var large: UInt64 = 0
    var single: Float = 0
    var exact: Decimal = 0
    var uuid = UUID()
    var url: URL?
    var date: Date?
    var bytes = Data()
    var mood = Mood.calm
    var style: Style?
    var flag: Bool?
    var numbers: [Int] = []
    var counts: Set<UInt8> = []
    var title = ""
    var friend: Sample?
    var friends: [Sample] = []

    override class var fields: [Field] {
      [
        Field("small", \Sample.small), Field("large", \Sample.large), Field("single", \Sample.single),
        Field("exact", \Sample.exact), Field("uuid", \Sample.uuid), Field("url", \Sample.url),
        Field("date", \Sample.date), Field("bytes", \Sample.bytes), Field("mood", \Sample.mood),
        Field("style", \Sample.style), Field("flag", \Sample.flag), Field("numbers", \Sample.numbers),
        Field("counts", \Sample.counts), Field("title", \Sample.title), Field("friend", \Sample.friend),
        Field("friends", \Sample.friends), Field("order by", \Sample.small), Field("a.b", \Sample.large),
      ]
    }
  }
}
