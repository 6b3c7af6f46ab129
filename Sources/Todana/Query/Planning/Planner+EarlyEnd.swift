extension Planner {
  /// Returns a plan that ends as soon as enough objects are found, with another plan in case only few objects meet the
  /// condition, so that the end comes late.
  func endingEarly(
    _ best: ExecutionPlan, _ accesses: [IndexAccess], _ condition: ConditionNode
  ) -> ExecutionPlan {
    guard let needed = query.neededCount.map(Double.init) else { return best }
    if query.sortKeys.isEmpty { return scanEndingEarly(insteadOf: best, accesses, condition, needed) }
    // An order that an index gives, if enough of its objects meet the rest of the condition.
    guard best.order == .given, case .index = best.access, best.needsRecords else { return best }
    let scan = scanPlan(condition)
    var plan = best
    plan.fallback = .init(scan, after: scan.cost / 2 / (Cost.row + Cost.entry))
    return plan
  }

  /// Returns a scan in the order of the identities, if enough of the objects meet the condition; otherwise the best
  /// plan.
  private func scanEndingEarly(
    insteadOf best: ExecutionPlan, _ accesses: [IndexAccess], _ condition: ConditionNode, _ needed: Double
  ) -> ExecutionPlan {
    if case .scan = best.access { return best }
    guard best.order == .rows, let access = accesses.min(by: { $0.expectedCount < $1.expectedCount }) else {
      return best
    }
    let matchCount = max(1, passing(access.expectedCount, condition.without(access.exactTests)))
    let scannedCount = min(recordCount, 2 * needed * recordCount / matchCount)
    var scan = scanPlan(condition)
    scan.cost = Cost.start + scannedCount * (Cost.scannedRecord + condition.testCost)
    // An index that reads little, or not much more, is the safer choice.
    guard best.cost > 30, 2 * scan.cost < best.cost else { return best }
    scan.fallback = .init(best, after: max(best.cost, 2 * scan.cost) / Cost.scannedRecord)
    return scan
  }
}
