internal import CStorageEngine

extension KyotoBackend {
  /// Applies a batch wholly or not at all (`tdn_commit`).
  ///
  /// The batch is handed over as it stands: nothing is copied or converted.
  public func commit(
    _ batch: borrowing WriteBatch, durability: Durability
  ) throws(BackendError) -> CommitNumber {
    assert(batch.isSorted, "a batch is grouped by keyspace and sorted by key, at most one change for each key")
    guard !batch.hasEmptyKey else {
      throw BackendError(.invalidArgument, "A byte key has at least one byte; the batch holds an empty one.")
    }
    var result = unsafe tdn_commit_result()
    defer { unsafe tdn_commit_result_free(&result) }
    do throws(BackendError) {
      try unsafe commit(batch.packedChanges, in: batch.arena, id: batch.id, durability, result: &result)
    } catch {
      throw error.code == .conflict ? unsafe error.listing(result) : error
    }
    return unsafe result.commit_number
  }

  private func commit(
    _ changes: [WriteBatch.PackedChange], in arena: ByteArena, id: BatchID, _ durability: Durability,
    result: inout tdn_commit_result
  ) throws(BackendError) {
    try unsafe changes.span.withUnsafeBufferPointer { (changes) throws(BackendError) in
      // The layouts are the same: checked when the backend was opened.
      try unsafe changes.withMemoryRebound(to: tdn_change.self) { (changes) throws(BackendError) in
        var batch = unsafe tdn_batch(
          id: id.bytes, changes: changes.baseAddress, change_count: changes.count,
          bytes: arena.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), byte_count: arena.count)
        try unsafe cabinet.call { unsafe tdn_commit($0, &batch, durability.rawValue, &result, $1) }
      }
    }
  }

  /// The commit under which the batch was applied (`tdn_outcome`).
  public func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? {
    var commitNumber: CommitNumber = 0
    var bytes = batch.bytes
    try unsafe cabinet.call { cabinet, error in
      unsafe withUnsafeBytes(of: &bytes) { bytes in
        // 16 bytes have a base address.
        guard let id = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        return unsafe tdn_outcome(cabinet, id, &commitNumber, error)
      }
    }
    return commitNumber == 0 ? nil : commitNumber
  }
}

extension BackendError {
  /// The error with the indexes of all changes that met something else than they expected.
  fileprivate func listing(_ result: tdn_commit_result) -> BackendError {
    var error = self
    let indexes = unsafe UnsafeBufferPointer(start: result.conflicts, count: result.conflict_count)
    unsafe error.conflicts = indexes.map { Int(clamping: $0) }
    return error
  }
}
