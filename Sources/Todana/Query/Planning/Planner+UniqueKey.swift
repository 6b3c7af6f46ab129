// What a program asks for most: the one object that has a key.
extension Planner {
  /// The plan for a condition that is the whole key of a unique index; nil for any other.
  ///
  /// It is the one that a comparison of all plans would find; to compare takes longer than to look the key up.
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

  /// The key that the tests say; nil where one leaves a choice, or each object has several.
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
