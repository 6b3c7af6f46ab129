// Compares sorts by text that use an index with those of a class without one. There are enough rows for the planner to
// choose the index, and some texts are too long for its keys.
import Foundation
import TestSupport
import Testing

@testable import Todana

@Suite struct SortedTextTests {
  class Entry: StoredObject {
    var number = 0
    var group = 0
    var text = ""

    override func readContent(from buffer: inout DataBuffer) throws {
      number = try buffer.readInt()
      group = try buffer.readInt()
      text = try buffer.readString()
    }

    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeInt(number)
      buffer.writeInt(group)
      buffer.writeString(text)
    }
  }

  final class PlainEntry: Entry {}

  final class IndexedEntry: Entry {
    override class var indexes: [Index] {
      [
        Index(\IndexedEntry.text, name: "text"), Index(.descending(\IndexedEntry.text), name: "descending"),
        Index(\IndexedEntry.group, \IndexedEntry.text, name: "grouped"),
      ]
    }
  }

  /// A query that can be made for either class.
  private struct Shape: CustomStringConvertible {
    var group: Int?
    var least: String?
    var isDescending = false
    var limit: Int?
    var offset = 0

    func query<Kind: Entry>(of type: Kind.Type) -> Query<Kind> {
      var query = Query<Kind>(.always)
      if let group { query = query.where { $0.group == group } }
      if let least { query = query.where { $0.text >= least } }
      query = query.sorted(by: \Kind.text, isDescending ? .descending : .ascending)
      if let limit { query = query.limit(limit) }
      return query.offset(offset)
    }

    var description: String {
      "group \(group.map(String.init) ?? "any"), from \(least?.prefix(20) ?? "any"), "
        + "\(isDescending ? "descending" : "ascending"), limit \(limit ?? -1), offset \(offset)"
    }
  }

  private static let seeds = RandomSeeds.seeds(new: 2, long: 60)

  private static func text(_ generator: inout SeededGenerator) -> String {
    switch generator.number(250) {
    // Some texts begin with more equal bytes than a key holds.
    case 0: String(repeating: "m", count: 140 + generator.number(3)) + "\(generator.number(3))"
    case 1: String(format: "%04d", generator.number(4000)) + String(repeating: "é", count: 58 + generator.number(80))
    case 2: ""
    default: String(format: "%04d", generator.number(4000))
    }
  }

  @Test(arguments: seeds)
  func `sorts by text with limits give equal answers with an index and without`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let backend = try EveryBackend.inMemory.open(in: TemporaryDirectory())
    let store = try Store(backend: backend, classes: [PlainEntry.self, IndexedEntry.self])
    let count = 1_000 + generator.number(2_000)
    func entry<Kind: Entry>(_ type: Kind.Type, _ number: Int, _ group: Int, _ text: String) throws {
      let entry = Kind()
      (entry.number, entry.group, entry.text) = (number, group, text)
      try store.insert(entry)
    }
    func insert(_ numbers: Range<Int>) throws {
      for number in numbers {
        let (group, text) = (generator.number(3), Self.text(&generator))
        try entry(PlainEntry.self, number, group, text)
        try entry(IndexedEntry.self, number, group, text)
      }
    }
    try insert(0..<count)
    try store.saveChanges()
    // Some changes stay pending.
    if generator.chance(2) { try insert(count..<count + generator.number(20)) }
    var indexedCount = 0
    for _ in 0..<(LongTests.areEnabled ? 60 : 25) {
      var shape = Shape()
      if generator.chance(3) { shape.group = generator.number(3) }
      if generator.chance(4) { shape.least = Self.text(&generator) }
      shape.isDescending = generator.chance(2)
      if !generator.chance(8) { shape.limit = 1 + generator.number(generator.chance(2) ? 60 : count) }
      if generator.chance(3) { shape.offset = generator.number(generator.chance(2) ? 20 : count) }
      let text = "seed \(seed), \(count) rows, \(shape)"
      let query = shape.query(of: IndexedEntry.self)
      if case .index = try store.explain(query).access { indexedCount += 1 }
      let expected = try results(of: shape.query(of: PlainEntry.self), in: store)
      let found = try results(of: query, in: store)
      #expect(found == expected, "\(text)")
      #expect(
        try pages(of: shape.query(of: IndexedEntry.self), size: 1 + generator.number(90), in: store) == expected[0],
        "pages of \(text)")
    }
    #expect(indexedCount > 5, "seed \(seed)")
    store.discardChanges()
    try store.close()
  }

  /// Returns the numbers that each kind of read returns.
  private func results<Kind: Entry>(of query: Query<Kind>, in store: Store) throws -> [[Int]] {
    let fetched = try store.fetch(query)
    var visited: [Int] = []
    try store.forEach(query) { entry, _ in visited.append(entry.number) }
    let saved = try store.ids(query, includingPending: false).map(\.rowID)
    let live = try LiveResult(query.specification, of: store.table(for: Kind.self), in: store).whole.rowIDs
    #expect(live == saved)
    let ids = try store.ids(query).count
    return [
      fetched.map(\.number), visited, live.map { Int($0) }, try store.values(query, of: \.number),
      [ids, try store.count(query)], try store.first(query).map { [$0.number] } ?? [],
    ]
  }

  /// Returns the numbers of a query that is read in pages, each after the last object of the page before.
  private func pages<Kind: Entry>(of query: Query<Kind>, size: Int, in store: Store) throws -> [Int] {
    let count = try store.count(query)
    var numbers: [Int] = []
    var last: Kind?
    while numbers.count < count {
      let page = try store.fetch(last.map { query.offset(0).limit(size).after($0) } ?? query.limit(size))
      if page.isEmpty { break }
      numbers += page.map(\.number)
      last = page.last
    }
    return Array(numbers.prefix(count))
  }
}
