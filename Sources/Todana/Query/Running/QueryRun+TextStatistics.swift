// The numbers of words and the best rows of a text index, without reading all objects.
extension QueryRun {
  /// The rows of unsaved changes, which do not count as they are saved.
  var unsavedRows: [RowID] {
    guard includingPending, !table.pending.isEmpty else { return [] }
    return table.pending.objects.map(\.rowID).sorted()
  }

  /// Counts the words of all objects of the class by a text index that serves all text conditions.
  ///
  /// Objects that no segment has are read.
  ///
  /// - Returns: The relevance with these objects; nil if there is no such index, or if it does not tell all numbers.
  /// - Throws: ``StoreError``.
  func countingByIndex(_ relevance: Relevance) throws(StoreError) -> Relevance? {
    guard let classID, !table.textIndexes.isEmpty else { return nil }
    var counted: [TextPlan.Statistics] = []
    var state: TextIndexState?
    for search in relevance.searches {
      guard let access = try TextAccess(search, of: table, in: texts, store) else { return nil }
      // Objects that no segment has are read once, for all conditions.
      if let state, state.index !== access.index { return nil }
      state = access.state
      guard let statistics = try statistics(of: search, access) else { return nil }
      counted.append(statistics)
    }
    guard let state else { return nil }
    let counting = CountingTest(relevance)
    var run = self
    run.query = QuerySpecification(condition: .test(counting))
    run.plan = ExecutionPlan(access: .scan, residual: .test(counting), order: .rows, expectedCount: 0, cost: 0)
    _ = try run.matchingPendingObjects()
    try run.forEach(state.changedRows, needsRecords: false, mayBeAbsent: true, classID) {
      _, _, _ throws(StoreError) in true
    }
    _ = try run.scanInOrder(classID, from: state.firstUnmergedRow, needsRecords: false) {
      _, _, _ throws(StoreError) in true
    }
    var total = counting.total
    total.add(counted)
    return total
  }

  /// Returns the numbers of the segments for one condition; nil if many objects have to be tested for them.
  private func statistics(
    of test: MatchesTest, _ access: TextAccess
  ) throws(StoreError) -> TextPlan.Statistics? {
    let (state, unsaved) = (access.state, unsavedRows)
    var statistics = test.emptyStatistics
    do throws(BackendError) {
      let changed = Set(state.pending.map(\.rowID)).union(unsaved)
      for opened in try state.segments() {
        let (tables, info) = (opened.segment.tables, opened.segment.info)
        let left = tables.count(changed.union(opened.stale).sorted())
        statistics.objectCount += info.rowCount - left.rows
        statistics.wordCount += info.wordCount - left.words
      }
    } catch {
      throw store.translateTextError(error, of: state.index)
    }
    for (number, phrase) in test.plan.terms.flatMap(\.phrases).enumerated() {
      let query = try prepared(access.index) { () throws(BackendError) in try TextSegmentQuery(phrase) }
      let search = try TextIndexSearch(query, access.columns, state, of: store, withoutRows: unsaved)
      let (sure, untested) = try prepared(access.index) { () throws(BackendError) in try search.count() }
      // Reading single objects takes longer than a scan.
      if untested > max(1000, statistics.objectCount / 8) { return nil }
      statistics.phraseCounts[number] = sure
      if untested > 0 { statistics.phraseCounts[number] += try count(phrase: number, of: test, search, access) }
    }
    return statistics
  }

  /// Counts those objects with a phrase that only their texts tell.
  private func count(
    phrase number: Int, of test: MatchesTest, _ search: TextIndexSearch, _ access: TextAccess
  ) throws(StoreError) -> Int {
    guard let classID, let relevance = Relevance(.test(test)) else { return 0 }
    let counting = CountingTest(relevance)
    var run = self
    run.query = QuerySpecification(condition: .test(counting))
    run.plan = ExecutionPlan(access: .scan, residual: .test(counting), order: .rows, expectedCount: 0, cost: 0)
    var (rows, areSure): ([RowID], [Bool]) = ([], [])
    repeat {
      try prepared(access.index) { () throws(BackendError) in try search.next(into: &rows, &areSure, limit: 4096) }
      let untested = zip(rows, areSure).filter { !$0.1 }.map(\.0)
      try run.forEach(untested, needsRecords: false, classID) { _, _, _ throws(StoreError) in true }
    } while !rows.isEmpty
    return counting.total.statistics[0].phraseCounts[number]
  }

  /// Returns the result of a closure that reads a text index, and translates its error.
  func prepared<Result>(
    _ index: ClassTextIndex, _ body: () throws(BackendError) -> Result
  ) throws(StoreError) -> Result {
    do throws(BackendError) { return try body() } catch { throw store.translateTextError(error, of: index) }
  }

  /// The highest number of rows that are ranked without reading all that meet the condition.
  private static let rankedLimit = 10_000

  /// The number of rows that are ranked besides those that are needed: segments round the relevance in another way than
  /// the texts of objects, by which the rows are sorted in the end.
  private static let margin = 16

  /// Whether a text index can tell the most relevant objects, if it has the positions or the counts for that.
  var isRankedByIndex: Bool {
    guard let needed = query.neededCount, needed <= Self.rankedLimit, query.start == nil, query.sortKeys.count == 1,
      query.sortKeys[0].isRelevance
    else { return false }
    let searches = query.condition.simplified.conjuncts.compactMap { $0 as? MatchesTest }
    guard searches.count == 1, Relevance(query.condition)?.searches.count == 1 else { return false }
    return searches[0].plan.terms.allSatisfy { $0.phraseCount == 1 }
  }

  /// Returns rows among which are the most relevant ones of a query with a limit, by a text index.
  ///
  /// - Returns: The saved rows; nil if there is no index that tells their relevance, or if few of the most relevant
  ///   objects meet the other conditions.
  /// - Throws: ``StoreError``.
  func bestRows(by relevance: Relevance) throws(StoreError) -> [RowID]? {
    guard let classID, isRankedByIndex, !onDamage.isReporting, let search = relevance.searches.first,
      let access = try TextAccess(search, of: table, in: texts, store)
    else { return nil }
    var testing = self
    testing.plan = ExecutionPlan(access: .scan, residual: query.condition, order: .rows, expectedCount: 0, cost: 0)
    guard var rows = try bestMergedRows(access, relevance.statistics[0], testing) else { return nil }
    try testing.forEach(access.state.changedRows, needsRecords: false, mayBeAbsent: true, classID) {
      rowID, _, _ throws(StoreError) in
      rows.append(rowID)
      return true
    }
    _ = try testing.scanInOrder(classID, from: access.state.firstUnmergedRow, needsRecords: false) {
      rowID, _, _ throws(StoreError) in
      rows.append(rowID)
      return true
    }
    return rows
  }

  /// Returns the most relevant rows of the segments.
  ///
  /// - Parameters:
  ///   - access: The search.
  ///   - statistics: The numbers of all objects.
  ///   - testing: A run that tests the whole condition.
  /// - Returns: The rows; nil as for ``bestRows(by:)``.
  /// - Throws: ``StoreError``.
  private func bestMergedRows(
    _ access: TextAccess, _ statistics: TextPlan.Statistics, _ testing: QueryRun
  ) throws(StoreError) -> [RowID]? {
    guard let classID, let needed = query.neededCount else { return nil }
    let (test, state) = (access.test, access.state)
    let segments = try TextIndexSearch(
      test.plan, access.columns, state, of: store, withoutRows: unsavedRows)
    var limit = needed + Self.margin
    let isOnly = query.condition.simplified.conjunctNodes.count == 1
    if !isOnly { limit = max(128, 4 * limit) }
    while limit <= 2 * Self.rankedLimit {
      let ranked = try prepared(access.index) { () throws(BackendError) -> [RowID]? in
        let ranking = try TextRanking(
          limit: limit, rarities: test.plan.terms.indices.map { statistics.rarity(ofPhrase: $0) },
          weights: test.columns.map(\.weight), averageLength: statistics.averageWordCount)
        return try segments.rank(ranking) ? try ranking.rows() : nil
      }
      guard let ranked else { return nil }
      if isOnly { return ranked }
      var passing: [RowID] = []
      try testing.forEach(ranked, needsRecords: false, classID) { rowID, _, _ throws(StoreError) in
        passing.append(rowID)
        return true
      }
      // Rows that are not ranked are less relevant.
      if passing.count >= needed + Self.margin || ranked.count < limit { return passing }
      limit *= 8
    }
    return nil
  }
}
