// Rows that a text index finds.
extension QueryRun {
  /// Returns a plan that searches a text index, if one serves a condition and this is faster; otherwise the best plan.
  static func searchingTexts(
    insteadOf best: ExecutionPlan, _ query: QuerySpecification, of table: ClassTable, recordCount: Int,
    readingRecords: Bool, in states: TextIndexStates, _ store: Store
  ) throws(StoreError) -> ExecutionPlan {
    // A search of segments takes as long as reading some objects.
    guard !table.textIndexes.isEmpty, best.cost > 30 else { return best }
    var best = best
    let condition = query.condition.simplified
    for case .test(let test) in condition.conjunctNodes {
      guard let test = test as? MatchesTest, let access = try TextAccess(test, of: table, in: states, store) else {
        continue
      }
      let plan = try plan(
        of: access, condition, query, recordCount: Double(recordCount), readingRecords: readingRecords)
      var other = best.cost
      if case .scan = best.access { other += Double(recordCount) * access.textCost }
      if plan.cost < other { best = plan }
    }
    return best
  }

  private static func plan(
    of access: TextAccess, _ condition: ConditionNode, _ query: QuerySpecification, recordCount: Double,
    readingRecords: Bool
  ) throws(StoreError) -> ExecutionPlan {
    let header = access.state.header
    let mergedCount = Double(header.segments.reduce(0) { $0 + $1.info.rowCount - $1.staleCount })
    let untestedCount = max(0, recordCount - mergedCount) + Double(access.state.changedRows.count)
    let found = Double(try access.estimate())
    let needed = query.sortKeys.isEmpty ? query.neededCount.map { Double($0) * 3 } ?? found : found
    let isSorted = !query.sortKeys.isEmpty
    let residual = condition.without([access.test.identity])
    let readsRecords = readingRecords || isSorted || residual.expectedTestCount > 0 || access.testsTexts
    let cost =
      Planner.Cost.start * Double(1 + header.segments.count)
      + min(found, needed)
      * ((readsRecords ? Planner.Cost.row : Planner.Cost.entry) + (isSorted ? Planner.Cost.sortedRow : 0))
      + untestedCount * (Planner.Cost.scannedRecord + condition.testCost + access.textCost)
      + (access.testsTexts ? min(found, needed) * access.textCost : 0)
    return ExecutionPlan(
      access: .text(access), residual: residual, order: isSorted ? .sorted : .given,
      expectedCount: found + untestedCount, cost: cost)
  }

  /// Calls back for each saved row that meets the condition, in the order of the row ids.
  func forEachTextMatch(
    _ access: TextAccess, needsRecords: Bool, _ classID: KeyspaceID, _ body: RowBody
  ) throws(StoreError) {
    let search = try access.takeSearch()
    var testing = self
    testing.plan = ExecutionPlan(
      access: .scan, residual: query.condition, order: .rows, expectedCount: plan.expectedCount, cost: plan.cost)
    // The changed rows that meet the condition, of which there are few.
    var changed: [RowID] = []
    try testing.forEach(access.state.changedRows, needsRecords: false, mayBeAbsent: true, classID) {
      rowID, _, _ throws(StoreError) in
      changed.append(rowID)
      return true
    }
    var (rows, areSure): ([RowID], [Bool]) = ([], [])
    var (nextChanged, limit) = (0, max(16, min(query.neededCount ?? 4096, 4096)))
    while true {
      try store.checkForCancellationOfReader()
      do throws(BackendError) {
        try search.next(into: &rows, &areSure, limit: limit)
      } catch {
        throw store.translateTextError(error, of: access.index)
      }
      limit = 4096
      let isLast = rows.isEmpty
      let end = rows.last.map { last in changed[nextChanged...].firstIndex { $0 > last } ?? changed.count }
      Self.insert(changed[nextChanged..<(end ?? changed.count)], into: &rows, &areSure)
      nextChanged = end ?? changed.count
      if try !give(rows, areSure, testing, needsRecords: needsRecords, classID, body) { return }
      if isLast { break }
    }
    _ = try testing.scanInOrder(classID, from: access.state.firstUnmergedRow, needsRecords: needsRecords, body)
  }

  /// Adds rows that were tested to rows that were found, in ascending order.
  private static func insert(_ tested: ArraySlice<RowID>, into rows: inout [RowID], _ areSure: inout [Bool]) {
    guard !tested.isEmpty else { return }
    let all = (zip(rows, areSure) + tested.map { ($0, true) }).sorted { $0.0 < $1.0 }
    rows = all.map(\.0)
    areSure = all.map(\.1)
  }

  /// Calls back for the rows that meet the condition.
  ///
  /// - Parameters:
  ///   - rows: The rows.
  ///   - areSure: Whether each of them meets the text condition.
  ///   - testing: A run that tests the whole condition.
  ///   - needsRecords: Whether the callback needs the records.
  ///   - classID: The class.
  ///   - body: The callback.
  /// - Returns: false if the callback does not want more rows.
  /// - Throws: ``StoreError``.
  private func give(
    _ rows: [RowID], _ areSure: [Bool], _ testing: QueryRun, needsRecords: Bool, _ classID: KeyspaceID, _ body: RowBody
  ) throws(StoreError) -> Bool {
    var isWanted = true
    func give(
      _ rowID: RowID, _ slice: RecordChunk.Slice?, _ chunk: RecordChunk?
    ) throws(StoreError) -> Bool {
      isWanted = try body(rowID, slice, chunk)
      return isWanted
    }
    let untested = zip(rows, areSure).filter { !$0.1 }.map(\.0)
    if untested.count == rows.count {
      try testing.forEach(rows, needsRecords: needsRecords, classID, give)
      return isWanted
    }
    var passing: Set<RowID> = []
    try testing.forEach(untested, needsRecords: false, classID) { rowID, _, _ throws(StoreError) in
      passing.insert(rowID)
      return true
    }
    let found = untested.isEmpty ? rows : zip(rows, areSure).filter { $0.1 || passing.contains($0.0) }.map(\.0)
    try forEach(found, needsRecords: needsRecords, classID, give)
    return isWanted
  }
}
