import TestSupport
import Testing

@testable import Todana

typealias Leaflet = TextWorkload.Leaflet

/// Searches for leaflets, compared with tests of the texts of all of them.
struct LeafletSearches {
  private var random: RandomTexts
  private let seed: UInt64
  /// The number of leaflets that were found, for the caller to check that searches find some.
  private(set) var foundCount = 0
  /// The number of rows that segments gave.
  private(set) var indexedCount = 0
  /// The number of searches that ended with the error of a damaged index.
  private(set) var damageCount = 0

  init(seed: UInt64) {
    self.seed = seed
    random = RandomTexts(seed: seed)
  }

  /// Searches a store in several ways, and records an issue for each wrong result.
  ///
  /// - Parameters:
  ///   - store: The store, which has no unsaved changes.
  ///   - count: The number of expressions, half of which are random.
  ///   - isDamaged: Whether searches may end with the error of a damaged index.
  ///   - comment: The step of the test, for failures.
  /// - Throws: The errors of the searches.
  mutating func check(
    _ store: Store, count: Int = 6, isDamaged: Bool = false, _ comment: @autoclosure () -> String = ""
  ) throws {
    let leaflets = try store.fetch(Leaflet.self)
    let snapshot = try store.heldSnapshot ?? store.sealing.snapshot()
    for node in nodes(like: leaflets, count: count) {
      let table = try store.registry.table(for: Leaflet.self)
      for index in table.textIndexes {
        let plan = TextPlan(TextExpression(node), index.analyzer)
        let expected = leaflets.filter { plan.holds(for: .many(Self.texts($0, index.name))) == true }
        foundCount += expected.count
        let name = "\(node) in \(index.name), seed \(seed) \(comment())"
        do {
          try check(expected, plan, index, in: snapshot, of: store, name)
        } catch  where isDamaged && error.isOfDamagedIndex {
          damageCount += 1
        }
        do {
          try checkQuery(TextExpression(node), expected, plan, leaflets, index.name, of: store, name)
          try checkSuggestions(leaflets, index, of: store, name)
        } catch  where isDamaged && error.isOfDamagedIndex {
          damageCount += 1
        }
      }
    }
  }

  /// Returns expressions of several kinds, and random ones.
  private mutating func nodes(like leaflets: [Leaflet], count: Int) -> [TextNode] {
    let texts = random.some(of: leaflets, upTo: 3).flatMap { [$0.title, $0.text ?? ""] }
    let fixed: [TextNode] = [
      .term(.word, "lanterns"), .term(.phrase, "the of"), .term(.prefix, "harb"), .term(.substring, "交じ"),
      .term(.substring, "uns th"), .not(.term(.word, "the")), .near(["running", "the"], distance: 2),
      .fuzzy("lantrn", edits: 1), .any([.term(.word, "quartz"), .term(.suffix, "uses")]), .term(.word, "harbour"),
    ]
    let chosen = random.shuffled(fixed).prefix(count - count / 2)
    return chosen + (0..<count / 2).map { _ in random.node(like: texts.isEmpty ? ["x"] : texts, depth: 2) }
  }

  private static func texts(_ leaflet: Leaflet, _ index: String) -> [String] {
    (index == "all" ? [leaflet.title] : []) + (leaflet.text.map { [$0] } ?? [])
  }

  /// Compares the rows that the segments of an index give.
  private mutating func check(
    _ expected: [Leaflet], _ plan: TextPlan, _ index: ClassTextIndex, in snapshot: any BackendSnapshot,
    of store: Store, _ name: String
  ) throws {
    guard let state = try TextIndexState(index, in: snapshot, of: store) else {
      Issue.record("there is no index: \(name)")
      return
    }
    let columns = SearchedColumns(numbers: index.declaration.columns.indices.map(UInt8.init), areAll: true)
    let search = try TextIndexSearch(plan, columns, state, of: store)
    var found: [RowID: Bool] = [:]
    var (rows, areSure): ([RowID], [Bool]) = ([], [])
    repeat {
      try search.next(into: &rows, &areSure, limit: 100)
      for (row, isSure) in zip(rows, areSure) { found[row] = isSure }
    } while !rows.isEmpty
    indexedCount += found.count
    let pending = Set(state.pending.map(\.rowID))
    let expectedRows = Set(expected.compactMap { $0.id?.rowID })
    for row in expectedRows where row <= state.header.mergedRow && !pending.contains(row) && found[row] == nil {
      Issue.record("row \(row) is not found: \(name)")
    }
    for (row, isSure) in found {
      if isSure, !expectedRows.contains(row) { Issue.record("row \(row) is found: \(name)") }
      if pending.contains(row) || row > state.header.mergedRow { Issue.record("row \(row) is pending: \(name)") }
    }
  }

  /// Compares a query, its count, and its most relevant leaflets.
  private mutating func checkQuery(
    _ expression: TextExpression, _ expected: [Leaflet], _ plan: TextPlan, _ all: [Leaflet], _ index: String,
    of store: Store, _ name: String
  ) throws {
    let query = Leaflet.where { $0.matches(expression, in: index) }
    #expect(try store.fetch(query).map(\.number) == expected.map(\.number), "\(name)")
    #expect(try store.count(query) == expected.count, "\(name)")
    guard Relevance(query.specification.condition) != nil else { return }
    var statistics = TextPlan.Statistics(phraseCounts: [Int](repeating: 0, count: plan.phraseCount))
    for leaflet in all { #expect(plan.count(Self.ranked(leaflet, index).map(\.0), in: &statistics)) }
    let scores = expected.map { plan.relevance(Self.ranked($0, index), statistics) ?? -1 }
    let sorted = zip(expected, scores).sorted { $0.1 > $1.1 }.prefix(5).map(\.0.number)
    let limited = query.sorted(by: .relevance).limit(5)
    #expect(try store.fetch(limited).map(\.number) == sorted, "the most relevant: \(name)")
  }

  /// Compares the words that an index suggests.
  private mutating func checkSuggestions(
    _ leaflets: [Leaflet], _ index: ClassTextIndex, of store: Store, _ name: String
  ) throws {
    let texts = random.some(of: leaflets, upTo: 2).flatMap { Self.texts($0, index.name) }
    let typed = random.beginning(like: texts.isEmpty ? ["lan"] : texts)
    guard var completion = WordCompletion(of: typed) else { return }
    for leaflet in leaflets { #expect(completion.count(try index.texts(of: leaflet))) }
    let found = try store.suggestions(for: typed, of: Leaflet.self, in: index.name, limit: 5)
    #expect(found == completion.best(5).map(TextSuggestion.init), "\(typed): \(name)")
  }

  private static func ranked(_ leaflet: Leaflet, _ index: String) -> [(TextList, Double)] {
    let text = leaflet.text.map { TextList.one($0) } ?? .none
    return index == "all" ? [(.one(leaflet.title), 3), (text, 1)] : [(text, 1)]
  }
}

extension Error {
  /// Whether a search ends with this error if a text index is damaged.
  fileprivate var isOfDamagedIndex: Bool {
    (self as? StoreError)?.code == .damagedIndex || (self as? BackendError)?.code == .damaged
  }
}

extension Store {
  /// Records an issue for each keyspace of a segment that no header lists, or that is listed but does not exist.
  func expectNoLostSegments(_ comment: String = "") throws {
    var existing = Set(try sealing.keyspaces().filter { $0.textName?.segment != nil }.map(\.id))
    for table in registry.tables {
      for index in table.textIndexes {
        guard let state = try TextIndexState(index, in: try sealing.snapshot(), of: self) else { continue }
        for segment in state.header.segments where existing.remove(segment.keyspace) == nil {
          Issue.record("a segment of \(index.name) does not exist, \(comment)")
        }
      }
    }
    #expect(existing.isEmpty, "segments of no index, \(comment)")
  }
}
