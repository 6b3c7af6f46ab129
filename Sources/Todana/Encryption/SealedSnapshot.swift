/// A snapshot of an encrypted backend, whose records come opened.
final class SealedSnapshot: BackendSnapshot {
  private let base: any BackendSnapshot
  private let backend: SealedBackend

  init(_ base: any BackendSnapshot, backend: SealedBackend) {
    self.base = base
    self.backend = backend
  }

  var commitNumber: CommitNumber { base.commitNumber }

  func count(of structure: ClassID) throws(BackendError) -> Int { try base.count(of: structure) }

  func read(
    rows: borrowing Span<RowID>, of structure: ClassID, into chunk: RecordChunk
  ) throws(BackendError) {
    try base.read(rows: rows, of: structure, into: chunk)
    try backend.open(chunk, of: structure)
  }

  func read(key: [UInt8], of structure: ClassID, into chunk: RecordChunk) throws(BackendError) {
    try base.read(key: key, of: structure, into: chunk)
    try backend.open(chunk, of: structure, key: key)
  }

  func rowIDBound(of structure: ClassID) throws(BackendError) -> RowID? { try base.rowIDBound(of: structure) }

  func scan(_ structure: ClassID) throws(BackendError) -> any BackendScan {
    SealedScan(try base.scan(structure), structure: structure, backend: backend)
  }

  func scan(
    tree: ClassID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    try base.scan(tree: tree, from: lower, to: upper, descending: descending)
  }

  func estimatedCount(tree: ClassID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int {
    try base.estimatedCount(tree: tree, from: lower, to: upper)
  }
}

private final class SealedScan: BackendScan {
  private let base: any BackendScan
  private let structure: ClassID
  private let backend: SealedBackend

  init(_ base: any BackendScan, structure: ClassID, backend: SealedBackend) {
    self.base = base
    self.structure = structure
    self.backend = backend
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    try base.next(into: chunk)
    try backend.open(chunk, of: structure)
  }
}
