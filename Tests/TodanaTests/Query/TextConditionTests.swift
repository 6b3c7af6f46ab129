import TestSupport
import Testing

@testable import Todana

/// Conditions on the texts of lists, compared with those on a property with one text.
@Suite struct TextConditionTests {
  final class Track: StoredObject {
    var title = ""

    override func writeContent(to buffer: inout DataBuffer) { buffer.writeString(title) }
    override func readContent(from buffer: inout DataBuffer) throws { title = try buffer.readString() }

    static let titles = DerivedProperty<Track, [String]>("titles") { [$0.title] }
  }

  static let titles = [
    "", "Blue", "blue note", "BLUE NOTE", "Naïve", "naive", "ÉTÉ", "été", "e\u{301}t\u{e9}", "Straße", "100%",
  ]

  private func makeStore() throws -> Store {
    let store = try Store(.inMemory, classes: [Track.self])
    for title in Self.titles {
      let track = Track()
      track.title = title
      try store.insert(track)
    }
    try store.saveChanges()
    return store
  }

  @Test(arguments: Self.titles + ["b", "STRASSE", "%e", "blue%", "_lue", "ete", "n.*e", "[A-Z]+"])
  func `a condition on texts holds like that on one text`(operand: String) throws {
    let store = try makeStore()
    let title = Track.titles.property
    func found(_ condition: Condition<Track>) throws -> [String] {
      try store.fetch(Query<Track>(where: condition)).map(\.title)
    }
    func expect(_ condition: TextCondition, _ other: Condition<Track>) throws {
      #expect(try found(title.hasElement(condition)) == found(other), "\(condition.description)")
    }
    let one = DerivedProperty<Track, String>("title") { $0.title }.property
    try expect(.equal(operand), one == operand)
    try expect(.less(than: operand), one < operand)
    try expect(.lessOrEqual(operand), one <= operand)
    try expect(.greater(than: operand), one > operand)
    try expect(.greaterOrEqual(operand), one >= operand)
    try expect(.isIn([operand, "naive"]), one.isIn([operand, "naive"]))
    try expect(.contains(operand), one.contains(operand))
    try expect(.hasPrefix(operand), one.hasPrefix(operand))
    try expect(.hasSuffix(operand), one.hasSuffix(operand))
    try expect(.like(operand), one.like(operand))
    try expect(.matches(regex: operand), one.matches(regex: operand))
    for (folded, ignoring) in [(one.caseInsensitive, IgnoredDifferences.letterCase), (one.folded, .caseAndAccents)] {
      try expect(.equal(operand, ignoring: ignoring), folded == operand)
      try expect(.less(than: operand, ignoring: ignoring), folded < operand)
      try expect(.lessOrEqual(operand, ignoring: ignoring), folded <= operand)
      try expect(.greater(than: operand, ignoring: ignoring), folded > operand)
      try expect(.greaterOrEqual(operand, ignoring: ignoring), folded >= operand)
      try expect(.isIn([operand, "Naive"], ignoring: ignoring), folded.isIn([operand, "Naive"]))
      try expect(.contains(operand, ignoring: ignoring), folded.contains(operand))
      try expect(.hasPrefix(operand, ignoring: ignoring), folded.hasPrefix(operand))
      try expect(.hasSuffix(operand, ignoring: ignoring), folded.hasSuffix(operand))
      try expect(.like(operand, ignoring: ignoring), folded.like(operand))
      try expect(.matches(regex: operand, ignoring: ignoring), folded.matches(regex: operand))
    }
  }

  @Test func `an invalid regular expression makes a query invalid`() throws {
    let store = try makeStore()
    let condition = Track.titles.property.hasElement(TextCondition.matches(regex: "("))
    let error = #expect(throws: StoreError.self) { try store.fetch(Query<Track>(where: condition)) }
    #expect(error?.code == .invalidQuery)
  }

  @Test func `different conditions have different operands`() {
    let conditions: [TextCondition] = [
      .equal("a"), .equal("b"), .equal("a", ignoring: .letterCase), .contains("a"), .hasPrefix("a"), .hasSuffix("a"),
      .isIn(["a"]), .isIn(["a", "b"]), .isIn(["ab", ""]), .like("a"), .matches(regex: "a"),
      .matches(regex: "a", ignoring: .caseAndAccents),
    ]
    #expect(Set(conditions.map(\.operand)).count == conditions.count)
  }
}
