internal import CStorageEngine

/// A snapshot of a ``KyotoBackend``, which it keeps alive: the state after one commit.
///
/// After the backend was closed or reopened every method throws ``BackendError/Code/snapshotEnded``.
final class KyotoSnapshot: BackendSnapshot {
  let commitNumber: CommitNumber
  let backend: KyotoBackend
  private let pointer: CabinetHandle.Pointer

  /// Takes ownership of an open snapshot.
  init(_ pointer: CabinetHandle.Pointer, commitNumber: CommitNumber, of backend: KyotoBackend) {
    self.pointer = pointer
    self.backend = backend
    self.commitNumber = commitNumber
  }

  deinit { backend.cabinet.closeSnapshot(pointer) }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    var count: UInt64 = 0
    try unsafe backend.cabinet.read(whenClosed: .snapshotEnded) {
      unsafe tdn_snapshot_count(pointer.raw, keyspace.rawValue, &count, $1)
    }
    return Int(clamping: count)
  }

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try unsafe backend.cabinet.read(
      rows: rows, of: keyspace, in: pointer.raw, into: chunk, whenClosed: .snapshotEnded)
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try unsafe backend.cabinet.read(
      key: key, of: keyspace, in: pointer.raw, into: chunk, whenClosed: .snapshotEnded)
  }

  func rowIDBound(of keyspace: KeyspaceID) throws(BackendError) -> RowID? {
    var bound: RowID = 0
    try unsafe backend.cabinet.read(whenClosed: .snapshotEnded) {
      unsafe tdn_snapshot_row_bound(pointer.raw, keyspace.rawValue, &bound, $1)
    }
    return bound
  }

  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan {
    do throws(BackendError) {
      let scan = try unsafe backend.cabinet.openScan { error in
        unsafe tdn_scan_open(pointer.raw, keyspace.rawValue, error)
      }
      return KyotoScan(scan, of: self)
    } catch {
      // `tdn_scan_open` refuses a tree. Trees are scanned within bounds, by another function.
      guard error.code == .invalidArgument else { throw error }
      return try scan(tree: keyspace, from: nil, to: nil, descending: false)
    }
  }

  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    let scan = try unsafe backend.cabinet.openScan { error in
      unsafe withPointer(toBound: lower) { lowerBytes in
        unsafe withPointer(toBound: upper) { upperBytes in
          unsafe tdn_range_open(
            pointer.raw, tree.rawValue, lowerBytes, lower?.count ?? 0, upperBytes, upper?.count ?? 0, descending,
            error)
        }
      }
    }
    return KyotoScan(scan, of: self)
  }

  /// Estimates the count from the positions of the bounds in the inner nodes (`tdn_estimate_range`), in a few
  /// microseconds.
  func estimatedCount(tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int {
    var count: UInt64 = 0
    try unsafe backend.cabinet.read(whenClosed: .snapshotEnded) { cabinet, error in
      unsafe withPointer(toBound: lower) { lowerBytes in
        unsafe withPointer(toBound: upper) { upperBytes in
          unsafe tdn_estimate_range(
            cabinet, pointer.raw, tree.rawValue, lowerBytes, lower?.count ?? 0, upperBytes, upper?.count ?? 0, &count,
            error)
        }
      }
    }
    return Int(clamping: count)
  }
}

/// Calls `body` with a pointer to the bound's bytes, or with null if there is no bound.
private func withPointer<R>(toBound bound: [UInt8]?, _ body: (UnsafePointer<UInt8>?) -> R) -> R {
  guard let bound else { return body(nil) }
  return unsafe withPointer(to: bound) { unsafe body($0) }
}
