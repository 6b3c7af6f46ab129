// Sorting by relevance, which depends on all objects of a class.
extension QueryRun {
  /// Whether the relevance by which the query sorts is not known yet.
  var needsRelevance: Bool { query.sortsByRelevance && !isRanked }

  /// Returns the relevance of objects, for which it reads all objects of the class.
  func relevance() throws(StoreError) -> Relevance { try Self.relevance(for: query, in: [self]) }

  /// Returns the relevance of objects for a query of several classes, all of whose objects it reads.
  static func relevance(for query: QuerySpecification, in runs: [QueryRun]) throws(StoreError) -> Relevance {
    guard var relevance = Relevance(query.condition) else {
      throw StoreError(.invalidQuery, "The query has no text condition: add one with matches(…).")
    }
    for run in runs { relevance = try run.countAllObjects(in: relevance) }
    return relevance
  }

  private func countAllObjects(in relevance: Relevance) throws(StoreError) -> Relevance {
    if let counted = try countingByIndex(relevance) { return counted }
    let counting = CountingTest(relevance)
    var run = self
    run.query = QuerySpecification(condition: .test(counting))
    let count = Double(try recordCount)
    run.plan = ExecutionPlan(
      access: .scan, residual: .test(counting), order: .rows, expectedCount: count, cost: count)
    try store.check(scan: run)
    // Helping threads also test the saved records of pending objects, which must not count.
    if includingPending, !table.pending.isEmpty { run.plan.expectedCount = 0 }
    _ = try run.matchingPendingObjects()
    try run.forEachMatch { _, _, _ throws(StoreError) in true }
    return counting.total
  }

  /// Returns the run that sorts by a relevance.
  func ranked(by relevance: Relevance) throws(StoreError) -> QueryRun {
    var run = self
    if let rows = try bestRows(by: relevance) {
      run.plan = ExecutionPlan(
        access: .rows(rows), residual: query.condition, order: .sorted, expectedCount: Double(rows.count), cost: 0)
    } else if isUnboundedScan, isRankedByIndex {
      try store.check(scan: self)
    }
    run.isRanked = true
    for index in query.sortKeys.indices where query.sortKeys[index].isRelevance {
      run.query.sortKeys[index] = SortKey(relevance)
    }
    return run
  }
}
