/// A snapshot of an encrypted backend, which opens the records that it reads.
final class SealedSnapshot: BackendSnapshot {
  private let base: any BackendSnapshot
  private let sealing: RecordSealing

  init(_ base: any BackendSnapshot, sealing: RecordSealing) {
    self.base = base
    self.sealing = sealing
  }

  var commitNumber: CommitNumber { base.commitNumber }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    try base.count(of: keyspace).requiringCount()
  }

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try base.read(rows: rows, of: keyspace, into: chunk)
    try chunk.requireAtMost(rows.count)
    try sealing.open(chunk, of: keyspace)
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try sealing.read(key: key, of: keyspace, into: chunk) { key throws(BackendError) in
      try base.read(key: key, of: keyspace, into: chunk)
    }
  }

  func rowIDBound(of keyspace: KeyspaceID) throws(BackendError) -> RowID? { try base.rowIDBound(of: keyspace) }

  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan {
    if sealing.treeSealing != nil, sealing.isTree(keyspace) {
      return try scan(tree: keyspace, from: nil, to: nil, descending: false)
    }
    return SealedScan(try base.scan(keyspace), keyspace: keyspace, sealing: sealing)
  }

  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    guard let trees = sealing.treeSealing else {
      return try base.scan(tree: tree, from: lower, to: upper, descending: descending)
    }
    return SealedTreeScan(
      try base.scan(tree), of: tree, sealing: sealing, trees: trees, from: lower, to: upper, descending: descending)
  }

  func estimatedCount(tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int {
    guard let trees = sealing.treeSealing else {
      return try base.estimatedCount(tree: tree, from: lower, to: upper)
    }
    if lower == nil, upper == nil { return try base.count(of: tree) }
    let scan = SealedTreeScan(
      try base.scan(tree), of: tree, sealing: sealing, trees: trees, from: lower, to: upper, descending: false)
    return try scan.count(atMost: .max)
  }
}

private final class SealedScan: BackendScan {
  private let base: any BackendScan
  private let keyspace: KeyspaceID
  private let sealing: RecordSealing

  init(_ base: any BackendScan, keyspace: KeyspaceID, sealing: RecordSealing) {
    self.base = base
    self.keyspace = keyspace
    self.sealing = sealing
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    try base.next(into: chunk)
    try sealing.open(chunk, of: keyspace)
  }
}
