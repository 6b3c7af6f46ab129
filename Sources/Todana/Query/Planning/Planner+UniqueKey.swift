// The most frequent query of programs asks for the one object that has a key.
extension Planner {
  /// Returns the plan for a condition that determines the complete key of a unique index; nil for any other condition.
  ///
  /// A comparison of all plans would choose the same one, but takes longer than the lookup of the key.
  func uniqueKeyPlan(_ condition: ConditionNode, _ tests: [PlannedTest]) -> ExecutionPlan? {
    guard query.sortKeys.isEmpty, query.start == nil, tests.count == condition.conjunctNodes.count else { return nil }
    for index in indexes where index.isUnique && index.declaration.condition == nil && index.parts.count == tests.count
    {
      guard let keyspace = index.keyspace, let key = key(in: index, tests) else { continue }
      let access = IndexAccess(
        index: index, keyspace: keyspace, ranges: [ByteRange(prefix: key, isSingle: true)], exactTests: [],
        singlePartCount: tests.count, prefix: key, expectedCount: 1)
      return ExecutionPlan(
        access: .index(access), residual: .always, order: .given, expectedCount: 1,
        cost: Cost.start + Cost.entry + Cost.row)
    }
    return nil
  }

  /// Returns the key that the tests determine.
  ///
  /// - Returns: nil if a part of the index is descending or is not restricted to one value, or if an object has several
  ///   keys.
  private func key(in index: ClassIndex, _ tests: [PlannedTest]) -> [UInt8]? {
    var key = [IndexHeader.entryByte]
    for part in index.parts {
      guard !part.isDescending, !part.path.isEach,
        let values = tests.first(where: { $0.ranges?.path == part.path })?.ranges, values.isExact,
        values.ranges.count == 1, values.ranges[0].isSingle
      else { return nil }
      key += values.ranges[0].lower
    }
    return key
  }
}
