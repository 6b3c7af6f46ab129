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
    for run in runs { try run.ofAllObjects().countAll(in: &relevance) }
    return relevance
  }

  private func ofAllObjects() throws(StoreError) -> QueryRun {
    var run = self
    run.query = QuerySpecification(condition: .always)
    let count = try recordCount
    run.plan = ExecutionPlan(
      access: .scan, residual: .always, order: .rows, expectedCount: Double(count), cost: Double(count))
    try store.check(scan: run)
    return run
  }

  private func countAll(in relevance: inout Relevance) throws(StoreError) {
    try forEachContent(inOrder: false) { object throws(StoreError) in try relevance.count(object) }
  }

  /// Returns the run that sorts by a relevance.
  func ranked(by relevance: Relevance) -> QueryRun {
    var run = self
    run.isRanked = true
    for index in query.sortKeys.indices where query.sortKeys[index].isRelevance {
      run.query.sortKeys[index] = SortKey(relevance)
    }
    return run
  }
}
