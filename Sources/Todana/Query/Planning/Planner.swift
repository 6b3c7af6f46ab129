/// The planner of a query, which chooses the cheapest way to carry it out.
///
/// The unit of costs is the reading of one object by its row. The backend estimates the number of entries in a range of
/// an index. The share of these entries that meets the rest of the condition is unknown, and assumed to be a third.
struct Planner {
  private let table: ClassTable
  let query: QuerySpecification
  let indexes: [ClassIndex]
  let recordCount: Double
  private let estimate: (KeyspaceID, ByteRange) throws(StoreError) -> Int

  enum Cost {
    static let entry = 0.06
    static let row = 1.0
    static let scannedRecord = 0.3
    /// One test of an object, besides the first.
    static let test = 0.1
    static let sortedRow = 0.4
    static let start = 3.0
  }

  /// The number of ranges above which an index is not read range by range.
  private static let rangeLimit = 4096

  /// Makes a planner.
  ///
  /// The indexes must be complete in the state that is read. `estimate` returns the approximate number of entries that
  /// an index has within a range.
  init(
    _ query: QuerySpecification, of table: ClassTable, indexes: [ClassIndex], recordCount: Int,
    estimate: @escaping (KeyspaceID, ByteRange) throws(StoreError) -> Int
  ) {
    self.query = query
    self.table = table
    self.indexes = indexes
    self.recordCount = Double(recordCount)
    self.estimate = estimate
  }

  func plan() throws(StoreError) -> ExecutionPlan {
    let condition = query.condition.simplified
    if case .never = condition {
      return ExecutionPlan(access: .nothing, residual: .always, order: .given, expectedCount: 0, cost: 0)
    }
    let rowPlan = query.testsRows ? rowPlan(condition) : nil
    if let rowPlan, rowPlan.expectedCount <= 1 { return rowPlan }
    let tests = indexes.isEmpty ? [] : condition.conjuncts.map(PlannedTest.init)
    if let plan = uniqueKeyPlan(condition, tests) { return plan }
    var best = scanPlan(condition)
    if let rowPlan, rowPlan.cost < best.cost { best = rowPlan }
    var accesses: [IndexAccess] = []
    for index in indexes {
      guard let access = try self.access(to: index, tests, count: fewNeeded(condition)) else { continue }
      if access.ranges.isEmpty {
        return ExecutionPlan(access: .nothing, residual: .always, order: .given, expectedCount: 0, cost: 0)
      }
      accesses.append(access)
      // A unique key leads to one object at most, unless it contains a nil that is distinct. No other plan is
      // considered then, and damage of other objects does not matter.
      if access.isUnique, access.ranges.count == 1, let plan = plans(access, condition).first { return plan }
      for plan in plans(access, condition) where plan.cost < best.cost { best = plan }
    }
    if let plan = intersectionPlan(accesses, condition), plan.cost < best.cost { best = plan }
    if let plan = try unionPlan(condition), plan.cost < best.cost { best = plan }
    return endingEarly(best, accesses, condition)
  }

  // MARK: All objects

  func scanPlan(_ condition: ConditionNode) -> ExecutionPlan {
    let isSorted = !query.sortKeys.isEmpty
    var cost = Cost.start + recordCount * (Cost.scannedRecord + condition.testCost)
    if isSorted { cost += passing(recordCount, condition) * Cost.sortedRow }
    return ExecutionPlan(
      access: .scan, residual: condition, order: isSorted ? .sorted : .rows, expectedCount: recordCount, cost: cost)
  }

  // MARK: Identities

  /// Returns a plan that reads the objects that the condition names by their identities; nil if it names none.
  private func rowPlan(_ condition: ConditionNode) -> ExecutionPlan? {
    let tests = condition.conjuncts.compactMap { $0 as? RowTest }
    guard let test = tests.min(by: { $0.rowIDs.count < $1.rowIDs.count }) else { return nil }
    let isSorted = !query.sortKeys.isEmpty
    let count = Double(test.rowIDs.count)
    return ExecutionPlan(
      access: .rows(test.rowIDs), residual: condition.without([test.identity]), order: isSorted ? .sorted : .rows,
      expectedCount: count, cost: Cost.start + count * (Cost.row + (isSorted ? Cost.sortedRow : 0)))
  }

  func passing(_ count: Double, _ condition: ConditionNode) -> Double {
    if case .always = condition { return count }
    return count / 3
  }

  // MARK: One index

  /// Returns a function that gives the number of entries to read, if that is clear without an estimate; otherwise nil.
  ///
  /// It is clear if the query needs few objects, the access gives them in order, and there is no other index, which
  /// could have fewer. An estimate takes longer than reading a few entries.
  private func fewNeeded(_ condition: ConditionNode) -> (IndexAccess) -> Double? {
    { access in
      guard let needed = query.neededCount.map(Double.init), indexes.count == 1,
        needed * (Cost.row + Cost.entry) < recordCount * Cost.scannedRecord,
        case .always = condition.without(access.exactTests),
        query.sortKeys.isEmpty ? access.isInRowOrder : order(of: access) != nil
      else { return nil }
      return needed
    }
  }

  /// Returns the part of an index that contains all objects that meet the tests; nil if the index cannot serve them.
  ///
  /// `count` gives the expected number of entries, or nil if it has to be estimated.
  private func access(
    to index: ClassIndex, _ tests: [PlannedTest], count: (IndexAccess) -> Double? = { _ in nil }
  ) throws(StoreError) -> IndexAccess? {
    guard let keyspace = index.keyspace else { return nil }
    var exact = Set<TestIdentity>()
    if let condition = index.declaration.condition {
      // The index can be used only if all of its own conditions are among those of the query.
      let identities = Set(tests.map(\.test.identity))
      for node in condition.conjunctNodes {
        guard case .test(let test) = node, identities.contains(test.identity) else { return nil }
        exact.insert(test.identity)
      }
    }
    var prefixes: [[UInt8]] = [[IndexHeader.entryByte]]
    var ranges: [ByteRange]?
    var singlePartCount = 0
    for part in index.parts {
      let relevant = tests.filter { $0.ranges?.path == part.path }
      // Different elements of a collection may pass different tests, so only one test is used.
      let used = part.path.isEach ? Array(relevant.prefix(1)) : relevant
      guard var values = used.first?.ranges else { break }
      for test in used.dropFirst() { if let more = test.ranges { values = values.intersection(more) } }
      if values.isExact { exact.formUnion(used.map(\.test.identity)) }
      let valueRanges = part.isDescending ? values.ranges.reversed().compactMap(\.inverted) : values.ranges
      if valueRanges.count * prefixes.count > Self.rangeLimit { break }
      if valueRanges.allSatisfy(\.isSingle) {
        prefixes = prefixes.flatMap { prefix in valueRanges.map { prefix + $0.lower } }
        singlePartCount += 1
      } else {
        ranges = prefixes.flatMap { prefix in valueRanges.map { $0.following(prefix) } }
        break
      }
    }
    // Objects whose collection is empty have no entry, so the entire index does not contain all objects.
    if index.parts.contains(where: \.path.isEach), singlePartCount == 0, ranges == nil { return nil }
    var access = IndexAccess(
      index: index, keyspace: keyspace, ranges: ranges ?? prefixes.map { ByteRange(prefix: $0, isSingle: true) },
      exactTests: exact, singlePartCount: singlePartCount, prefix: prefixes.first ?? [])
    if let position = index.parts.firstIndex(where: \.path.isEach),
      position >= singlePartCount + (ranges == nil ? 0 : 1)
    {
      return nil
    }
    if access.isUnique {
      access.expectedCount = Double(access.ranges.count)
    } else if let count = count(access) {
      access.expectedCount = count
    } else {
      access.expectedCount = try expectedCount(access)
    }
    return access
  }

  /// Returns the expected number of entries, which is extrapolated from a sample if there are many ranges.
  private func expectedCount(_ access: IndexAccess) throws(StoreError) -> Double {
    let step = max(1, access.ranges.count / 16)
    var sum = 0
    var count = 0
    for position in stride(from: 0, to: access.ranges.count, by: step) {
      sum += try estimate(access.keyspace, access.ranges[position])
      count += 1
    }
    return count == 0 ? 0 : Double(sum) / Double(count) * Double(access.ranges.count)
  }

  private func plans(_ access: IndexAccess, _ condition: ConditionNode) -> [ExecutionPlan] {
    let residual = condition.without(access.exactTests)
    var hasResidual = true
    if case .always = residual { hasResidual = false }
    let count = access.expectedCount
    let readCost = Cost.start * Double(access.ranges.count) + count * Cost.entry
    let covered = hasResidual ? nil : access.coveredPositions(of: query)
    // All parts before the last wanted one have to be skipped.
    let valueCost = covered.map { Cost.entry * Double(1 + ($0.max() ?? 0)) } ?? Cost.row
    let everything = readCost + count * (valueCost + residual.testCost)
    if query.sortKeys.isEmpty {
      if access.isInRowOrder {
        return [
          ExecutionPlan(
            access: .index(access), residual: residual, order: .given, expectedCount: count,
            cost: limited(everything, of: count, hasResidual))
        ]
      }
      let rowCost = limited(count * (Cost.row + Cost.entry + residual.testCost), of: count, hasResidual)
      return [
        ExecutionPlan(
          access: .index(access), residual: residual, order: .rows, expectedCount: count,
          cost: readCost + (covered == nil ? rowCost : count * valueCost))
      ]
    }
    if let direction = order(of: access) {
      var ordered = access
      ordered.isDescending = direction == .descending
      return [
        ExecutionPlan(
          access: .index(ordered), residual: residual, order: .given, expectedCount: count,
          cost: limited(everything, of: count, hasResidual))
      ]
    }
    return [
      ExecutionPlan(
        access: .index(access), residual: residual, order: .sorted, expectedCount: count,
        cost: everything + passing(count, residual) * Cost.sortedRow + neededOf(count) * Cost.row)
    ]
  }

  private func neededOf(_ count: Double) -> Double { min(count, query.neededCount.map(Double.init) ?? count) }

  /// Returns the cost of reading that ends as soon as enough rows were found.
  private func limited(_ cost: Double, of count: Double, _ hasResidual: Bool) -> Double {
    guard let needed = query.neededCount, count > 0 else { return cost }
    return Cost.start + cost * min(1, Double(needed) * (hasResidual ? 3 : 1) / count)
  }

  /// Returns the direction in which the entries come in the order of the query; nil if they do so in neither.
  private func order(of access: IndexAccess) -> SortOrder? {
    let parts = access.index.parts
    // A part that has only one value does not affect the order.
    let single = Set(parts.prefix(access.singlePartCount).map(\.path))
    let keys = query.sortKeys.filter { !single.contains($0.path) }
    let rest = parts.dropFirst(access.singlePartCount)
    guard keys.count == rest.count, !access.mayRepeat, access.ranges.count == 1 || access.singlePartCount == 0 else {
      return nil
    }
    var directions: Set<Bool> = []
    for (key, part) in zip(keys, rest) {
      guard key.path == part.path else { return nil }
      directions.insert(key.isDescending == part.isDescending)
    }
    if directions.count > 1 { return nil }
    return directions.first == false ? .descending : .ascending
  }

  // MARK: Several indexes

  private func intersectionPlan(_ accesses: [IndexAccess], _ condition: ConditionNode) -> ExecutionPlan? {
    let usable = accesses.filter { $0.singlePartCount > 0 || $0.ranges.first.map { !$0.isWhole } ?? false }
      .sorted { $0.expectedCount < $1.expectedCount }
    guard let first = usable.first, recordCount > 0 else { return nil }
    var chosen = [first]
    var residual = condition.without(first.exactTests)
    var count = first.expectedCount
    var cost = Cost.start + count * Cost.entry * 2
    for access in usable.dropFirst() {
      let remaining = residual.without(access.exactTests)
      let entryCost = Cost.start + access.expectedCount * Cost.entry * 2
      let newCount = count * access.expectedCount / recordCount
      guard (count - newCount) * Cost.row > entryCost else { continue }
      chosen.append(access)
      residual = remaining
      cost += entryCost
      count = newCount
    }
    guard chosen.count > 1 else { return nil }
    let isSorted = !query.sortKeys.isEmpty
    cost += count * (Cost.row + residual.testCost) + (isSorted ? count * Cost.sortedRow : 0)
    return ExecutionPlan(
      access: .intersection(chosen), residual: residual, order: isSorted ? .sorted : .rows,
      expectedCount: chosen.map(\.expectedCount).reduce(0, +), cost: cost)
  }

  /// Returns a plan that unites the results of several indexes, one for each alternative of a condition.
  ///
  /// - Returns: nil if no part of the condition has alternatives that are all served by indexes.
  private func unionPlan(_ condition: ConditionNode) throws(StoreError) -> ExecutionPlan? {
    for node in condition.conjunctNodes {
      guard case .any(let alternatives) = node else { continue }
      var accesses: [IndexAccess] = []
      var isExact = true
      for alternative in alternatives {
        guard let access = try bestAccess(for: alternative) else {
          accesses = []
          break
        }
        if case .always = alternative.without(access.exactTests) {} else { isExact = false }
        accesses.append(access)
      }
      guard !accesses.isEmpty else { continue }
      let residual: ConditionNode
      if isExact, case .any = condition { residual = .always } else { residual = condition }
      let count = accesses.map(\.expectedCount).reduce(0, +)
      let isSorted = !query.sortKeys.isEmpty
      let cost =
        Double(accesses.count) * Cost.start + count * (Cost.entry * 2 + Cost.row + residual.testCost)
        + (isSorted ? count * Cost.sortedRow : 0)
      return ExecutionPlan(
        access: .union(accesses), residual: residual, order: isSorted ? .sorted : .rows, expectedCount: count,
        cost: cost)
    }
    return nil
  }

  private func bestAccess(for node: ConditionNode) throws(StoreError) -> IndexAccess? {
    if indexes.isEmpty { return nil }
    var best: IndexAccess?
    let tests = node.conjuncts.map(PlannedTest.init)
    for index in indexes {
      guard let access = try access(to: index, tests), !access.ranges.contains(where: \.isWhole) else {
        continue
      }
      if best.map({ access.expectedCount < $0.expectedCount }) ?? true { best = access }
    }
    return best
  }
}

/// A test and its ranges in an index, which take time to compute.
struct PlannedTest {
  let test: any ConditionTest
  let ranges: ValueRanges?

  init(_ test: any ConditionTest) {
    self.test = test
    ranges = test.ranges
  }
}

extension ByteRange {
  /// Whether the range contains all entries of an index.
  var isWhole: Bool { lower == [IndexHeader.entryByte] && upper == [IndexHeader.entryByte + 1] }
}

extension ConditionNode {
  /// The parts of a simplified condition that must all be true.
  var conjunctNodes: [ConditionNode] {
    switch self {
    case .always: return []
    case .all(let nodes): return nodes
    default: return [self]
    }
  }

  /// The single tests among the conditions that must all be true.
  var conjuncts: [any ConditionTest] {
    conjunctNodes.compactMap { node in
      if case .test(let test) = node { return test }
      return nil
    }
  }

  /// The expected cost of testing an object, besides the first test.
  var testCost: Double { max(0, expectedTestCount - 1) * Planner.Cost.test }

  /// The number of tests until the result is known: all alternatives, as most objects meet none, and about half of the
  /// tests that must all be true.
  var expectedTestCount: Double {
    switch self {
    case .always, .never: return 0
    case .test: return 1
    case .not(let node): return node.expectedTestCount
    case .any(let nodes): return nodes.reduce(0) { $0 + $1.expectedTestCount }
    case .all(let nodes): return nodes.reduce(0.5) { $0 + $1.expectedTestCount / 2 }
    }
  }

  /// Returns the condition that remains if some tests are known to be true.
  func without(_ passed: Set<TestIdentity>) -> ConditionNode {
    if passed.isEmpty { return self }
    return .joinAll(
      conjunctNodes.filter { node in
        if case .test(let test) = node { return !passed.contains(test.identity) }
        return true
      })
  }
}
