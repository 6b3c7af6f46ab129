import Foundation
import TestSupport

@testable import Todana

/// The specimens of one class, to which a test applies the same operations as to those of another class.
struct SpecimenSide<T: Specimen> {
  var columns: SpecimenColumns<T>
  /// The specimens in the order of their numbers.
  private(set) var specimens: [T] = []
  /// The conditions of partial indexes, for queries that use these.
  var partialConditions: [Described<Condition<T>>] = []
  /// The columns of indexes, for queries that use these.
  var indexedColumns: [[Int]] = []
  private var live: [LiveSpecimens<T>] = []

  init(targets: [SpecimenTarget]) { columns = SpecimenColumns(targets: targets) }

  // MARK: Changes

  /// Fetches the specimens of a store after changes by others.
  mutating func reload(from store: Store) throws {
    specimens = try store.fetch(T.self).sorted { $0.number < $1.number }
  }

  /// Inserts, updates and deletes some specimens; returns the numbers of the specimens that queries changed.
  mutating func change(
    in store: Store, count: Int, nextNumber: inout Int, _ generator: inout SeededGenerator
  ) throws -> [Int] {
    var changed: [Int] = []
    for _ in 0..<count {
      switch generator.number(25) {
      case 0...13:
        let specimen = T()
        nextNumber += 1
        specimen.number = nextNumber
        columns.fill(specimen, &generator)
        try store.insert(specimen)
        specimens.append(specimen)
      case 14...20 where !specimens.isEmpty:
        try store.update(generator.element(of: specimens)) { columns.change($0, &generator) }
      case 21 where !specimens.isEmpty: try store.delete(specimens.remove(at: generator.number(specimens.count)))
      case 23:
        // If another specimen has the code, it gets the content.
        let specimen = T()
        nextNumber += 1
        specimen.number = nextNumber
        columns.fill(specimen, &generator)
        let columns = columns
        let saved = try store.upsert(specimen, by: \T.code) { existing, new in
          columns.copy(from: new, to: existing)
        }
        if saved === specimen { specimens.append(specimen) }
        changed.append(saved.number)
      case 22:
        let query = query(&generator).value.limit(5)
        let updated = try store.update(query) { columns.change($0, &generator) }
        changed += updated.map(\.number)
      default:
        let query = query(&generator).value.limit(3)
        let numbers = try store.fetch(query).map(\.number)
        _ = try store.delete(query)
        specimens.removeAll { numbers.contains($0.number) }
        changed += numbers
      }
    }
    return changed
  }

  // MARK: Queries

  func query(_ generator: inout SeededGenerator) -> Described<Query<T>> {
    if !indexedColumns.isEmpty, !generator.chance(3) { return servedQuery(&generator) }
    var condition = columns.condition(&generator)
    if !partialConditions.isEmpty, generator.chance(2) {
      let partial = generator.element(of: partialConditions)
      condition = Described(partial.value && condition.value, "(\(partial.text)) && (\(condition.text))")
    }
    var query = Described(generator.chance(12) ? T.all : Query(condition.value), condition.text)
    for _ in 0..<generator.number(3) {
      let sorted = generator.element(of: columns.ordered).sort(query.value, &generator)
      query = Described(sorted.value, query.text + "; " + sorted.text)
    }
    return query
  }

  /// Makes a query with conditions on the first columns of an index, or in its order, or both.
  private func servedQuery(_ generator: inout SeededGenerator) -> Described<Query<T>> {
    let numbers = generator.element(of: indexedColumns)
    var query = Described(T.all, "")
    for number in numbers.prefix(generator.number(numbers.count + 1)) {
      let test = columns.ordered[number].test(&generator)
      query = Described(query.value.where { _ in test.value }, query.text + test.text + " && ")
    }
    if generator.chance(3) {
      let condition = columns.condition(&generator, depth: 1)
      query = Described(query.value.where { _ in condition.value }, query.text + condition.text)
    }
    if !partialConditions.isEmpty, generator.chance(3) {
      let partial = generator.element(of: partialConditions)
      query = Described(query.value.where { _ in partial.value }, query.text + partial.text)
    }
    if generator.chance(2) {
      for number in numbers.dropFirst(generator.number(numbers.count + 1)) {
        let sorted = columns.ordered[number].sort(query.value, &generator)
        query = Described(sorted.value, query.text + "; " + sorted.text)
      }
    }
    return query
  }

  /// Makes queries that use an index: for values of some specimens in its first columns, and sorts with limits.
  func probes(of numbers: [Int], _ generator: inout SeededGenerator) -> [Described<Query<T>>] {
    var queries: [Described<Query<T>>] = []
    if !specimens.isEmpty {
      for count in 1...max(1, numbers.count) {
        for _ in 0..<4 {
          let specimen = generator.element(of: specimens)
          var query = Described(T.all, "")
          for number in numbers.prefix(count) {
            let same = columns.ordered[number].same(specimen)
            query = Described(query.value.where { _ in same.value }, query.text + same.text + " && ")
          }
          queries.append(query)
        }
      }
    }
    for number in numbers {
      let sorted = columns.ordered[number].sort(T.all, &generator)
      let limit = generator.element(of: [130, 150, 200, 260])
      queries.append(Described(sorted.value.limit(limit), "\(sorted.text); limit \(limit)"))
      let offset = generator.element(of: [1, 100, 140])
      queries.append(
        Described(sorted.value.offset(offset).limit(limit), "\(sorted.text); offset \(offset); limit \(limit)"))
    }
    return queries
  }

  /// Adds an offset, a limit or both to most queries.
  func limited(_ query: Described<Query<T>>, _ generator: inout SeededGenerator) -> Described<Query<T>> {
    var query = query
    if generator.chance(3) {
      let offset = generator.element(of: [0, 1, 2, 7, 50, .max])
      query = Described(query.value.offset(offset), query.text + "; offset \(offset)")
    }
    if generator.chance(2) {
      let limit = generator.element(of: [0, 1, 3, 10, 40, 130, 200, 300, .max])
      query = Described(query.value.limit(limit), query.text + "; limit \(limit)")
    }
    return query
  }

  /// Runs a query with all kinds of reads, and returns the results as text.
  func results(
    of query: Query<T>, in store: Store, includingPending: Bool, _ generator: inout SeededGenerator
  ) -> [String] {
    var lines: [String] = []
    func add(_ name: String, _ result: () throws -> String) {
      do {
        lines.append("\(name): \(try result())")
      } catch {
        lines.append("\(name): \((error as? StoreError).map { "\($0.code)" } ?? "\(error)")")
      }
    }
    add("fetch") { "\(try store.fetch(query, includingPending: includingPending).map(\.number))" }
    add("ids") {
      let ids = try store.ids(query, includingPending: includingPending).map(\.rowID)
      let fetched = try store.fetch(query, includingPending: includingPending).map { $0.id?.rowID ?? 0 }
      return ids == fetched ? "as fetched" : "\(ids) instead of \(fetched)"
    }
    add("count") { "\(try store.count(query, includingPending: includingPending))" }
    add("exists") { "\(try store.exists(query, includingPending: includingPending))" }
    add("first") { "\(try store.first(query, includingPending: includingPending)?.number ?? -1)" }
    add("forEach") {
      var numbers: [Int] = []
      try store.forEach(query, includingPending: includingPending) { specimen, _ in numbers.append(specimen.number) }
      return "\(numbers)"
    }
    for _ in 0..<2 {
      let column = generator.element(of: columns.ordered)
      add(column.name) { try column.read(store, query, includingPending).joined(separator: "\n  ") }
    }
    return lines
  }

  /// Runs a query in two ways, and returns the results as text.
  func shortResults(of query: Query<T>, in store: Store) -> [String] {
    func text(_ result: () throws -> Any) -> String {
      do { return "\(try result())" } catch { return (error as? StoreError).map { "\($0.code)" } ?? "\(error)" }
    }
    return [text { try store.fetch(query).map(\.number) }, text { try store.count(query) }]
  }

  /// Returns the numbers of a query's specimens, read page by page.
  func pages(of query: Query<T>, size: Int, in store: Store) throws -> [Int] {
    var numbers: [Int] = []
    var page = try store.fetch(query.limit(size))
    while let last = page.last, numbers.count < 10_000 {
      numbers += page.map(\.number)
      page = try store.fetch(query.limit(size).after(last))
    }
    return numbers
  }

  // MARK: Live results

  mutating func observe(_ count: Int, in store: Store, _ generator: inout SeededGenerator) throws {
    live = []
    for _ in 0..<count {
      let query = limited(query(&generator), &generator)
      live.append(try LiveSpecimens(query, in: store))
    }
  }

  /// Updates the live results; returns the problems found.
  mutating func follow(in store: Store) throws -> [String] {
    var problems: [String] = []
    for index in live.indices {
      if let problem = try live[index].follow(in: store) { problems.append(problem) }
    }
    return problems
  }
}

/// A live result that is updated at once instead of by observation.
private struct LiveSpecimens<T: Specimen> {
  private let query: Described<Query<T>>
  private let membership: CommitSequence.Membership
  private var result: LiveResult
  /// The row ids, changed only by the differences.
  private var list: [RowID]

  init(_ query: Described<Query<T>>, in store: Store) throws {
    self.query = query
    membership = CommitSequence.Membership(store.session.changes, .whole)
    result = try LiveResult(query.value.specification, of: store.table(for: T.self), in: store)
    list = result.whole.rowIDs
  }

  mutating func follow(in store: Store) throws -> String? {
    let commits = membership.hub.take(membership.id)
    if !commits.isEmpty, let difference = try result.apply(commits) {
      for index in difference.deletions.reversed() { list.remove(at: index) }
      for index in difference.insertions { list.insert(difference.rowIDs[index], at: index) }
    }
    let expected = try store.ids(query.value, includingPending: false).map(\.rowID)
    return list == expected ? nil : "live \(T.self) has \(list) instead of \(expected): \(query.text)"
  }
}
