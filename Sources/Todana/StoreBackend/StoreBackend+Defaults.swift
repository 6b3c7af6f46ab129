extension StoreBackend {
  public var keyRing: KeyRing? { nil }
  public var sealsNamesAndTrees: Bool { false }
  public var operations: (any EngineOperations)? { nil }
  public func setExternalCommitHandler(_ handler: (@Sendable () -> Void)?) {}
}

extension BackendSnapshot {
  public func estimatedCount(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?
  ) throws(BackendError) -> Int {
    let scan = try scan(tree: tree, from: lower, to: upper, descending: false)
    let chunk = RecordChunk()
    var count = 0
    repeat {
      try scan.next(into: chunk)
      count += chunk.slices.count
    } while !chunk.slices.isEmpty
    return count
  }
}
