extension StoreBackend {
  public var keyRing: KeyRing? { nil }
  public var keyManagement: (any KeyManagement)? { nil }
  public func releaseMemory() throws(BackendError) {}
  public func anchor() throws(BackendError) -> StoreAnchor? { nil }
  public func acceptContents(progress: (_ done: Int, _ total: Int) -> Bool) throws(BackendError) -> Bool { false }
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
