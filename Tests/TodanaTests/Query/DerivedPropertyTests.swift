import TestSupport
import Testing

@testable import Todana

/// Properties that code derives from the content of objects, as documents do.
@Suite struct DerivedPropertyTests {
  final class Record: StoredObject {
    var values: [String: Int] = [:]
    var names: [String] = []

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeDictionary(values)
      buffer.writeArray(names)
    }

    override func readContent(from buffer: inout DataBuffer) throws {
      values = try buffer.readDictionary()
      names = try buffer.readArray()
    }

    static let size = DerivedProperty<Record, Int?>("size") { $0.values["size"] }
    static let first = DerivedProperty<Record, String?>("first") { $0.names.first }
    static let all = DerivedProperty<Record, [String]>("all") { $0.names }

    override class var indexes: [Index] {
      [
        Index(.descending(size), .folded(first)), Index(parts: [.each(all)], name: "names"),
        Index(parts: [.ascending(first)], unique: true),
      ]
    }
  }

  struct IsBetween: ValueCondition {
    let low: Int
    let high: Int
    var usesIndex = true

    func isMet(by value: Int?) -> Bool { value.map { (low...high).contains($0) } ?? false }
    var keyRanges: KeyRanges? { usesIndex ? KeyRanges(after: [1], from: low, to: high) : nil }
    var description: String { "is from \(low) to \(high)" }
  }

  struct Begins: ValueCondition {
    let prefix: String

    func isMet(by value: String) -> Bool { value.utf8.starts(with: prefix.utf8) }

    var keyRanges: KeyRanges? {
      KeyRanges(beginningWith: { key in for byte in prefix.utf8 { key.append(byte) } }, isExact: true)
    }

    var description: String { "begins with \(prefix)" }
  }

  private func makeStore(_ backend: EveryBackend, in directory: TemporaryDirectory) throws -> Store {
    let store = try Store(backend: backend.open(in: directory), classes: [Record.self])
    for number in 0..<200 {
      let record = Record()
      if number % 10 != 0 { record.values["size"] = number % 50 }
      if number % 7 != 0 { record.names = ["\(number % 2 == 0 ? "a" : "B")\(number)", "z\(number % 3)"] }
      try store.insert(record)
    }
    try store.saveChanges()
    return store
  }

  @Test(arguments: EveryBackend.allCases) func `conditions, sorts and indexes use derived properties`(
    backend: EveryBackend
  ) throws {
    let directory = try TemporaryDirectory()
    let store = try makeStore(backend, in: directory)
    defer { try? store.close(discarding: true) }
    let all = try store.fetch(Record.self)
    func expect(_ query: Query<Record>, index: Bool, _ isExpected: (Record) -> Bool) throws {
      let plan = try store.explain(query).description
      #expect(try store.ids(query).map(\.rowID) == all.filter(isExpected).map(\.rowID), "\(plan)")
      #expect(plan.contains("index") == index, "\(plan)")
    }
    try expect(Query(where: Record.size.property == 3), index: true) { $0.values["size"] == 3 }
    try expect(Query(where: Record.size.property.meets(IsBetween(low: 3, high: 5))), index: true) {
      (3...5).contains($0.values["size"] ?? -1)
    }
    try expect(Query(where: Record.size.property.meets(IsBetween(low: 3, high: 5, usesIndex: false))), index: false) {
      (3...5).contains($0.values["size"] ?? -1)
    }
    try expect(Query(where: !Record.size.property.meets(IsBetween(low: 3, high: 5))), index: false) {
      !(3...5).contains($0.values["size"] ?? -1)
    }
    try expect(Query(where: Record.first.property == "a2"), index: true) { $0.names.first == "a2" }
    try expect(Query(where: Record.all.property.contains("a4")), index: true) { $0.names.contains("a4") }
    try expect(Query(where: Record.all.property.hasElement(Begins(prefix: "a10"))), index: true) {
      $0.names.contains { $0.hasPrefix("a10") }
    }
    let sorted = try store.fetch(
      Query(where: .always).sorted(by: Record.size, .descending).sorted(byFolded: Record.first))
    let expected = all.sorted { lhs, rhs in
      let (left, right) = (lhs.values["size"] ?? -1, rhs.values["size"] ?? -1)
      if left != right { return left > right }
      let (leftName, rightName) = (lhs.names.first?.lowercased() ?? "", rhs.names.first?.lowercased() ?? "")
      return leftName != rightName ? leftName < rightName : lhs.rowID < rhs.rowID
    }
    #expect(sorted.map(\.rowID) == expected.map(\.rowID))
    let duplicate = Record()
    duplicate.names = ["a2"]
    try store.insert(duplicate)
    #expect(throws: UniqueViolation.self) { try store.saveChanges() }
  }

  @Test func `a derived property of another class is refused as an index`() throws {
    final class Other: StoredObject {
      override class var indexes: [Index] { [Index(parts: [.ascending(Record.size)])] }
    }
    let error = #expect(throws: StoreError.self) { try Store(.inMemory, classes: [Other.self]) }
    #expect(error?.code == .invalidIndex)
  }
}
