internal import CStorageEngine

extension KyotoBackend {
  /// Applies a batch entirely or not at all (`tdn_commit`).
  ///
  /// The batch is passed to C without copying or converting it.
  public func commit(
    _ batch: borrowing WriteBatch, durability: Durability
  ) throws(BackendError) -> CommitNumber {
    try batch.check(limits)
    try batch.requireOrder()
    var result = unsafe tdn_commit_result()
    defer { unsafe tdn_commit_result_free(&result) }
    do throws(BackendError) {
      try unsafe batch.withCBatch { batch throws(BackendError) in
        try unsafe cabinet.call { unsafe tdn_commit($0, &batch, durability.rawValue, &result, $1) }
      }
    } catch {
      throw error.code == .conflict ? unsafe error.listing(result) : error
    }
    return unsafe result.commit_number
  }

  /// Begins to load a new keyspace (`tdn_loader_open`).
  public func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    try KyotoLoader(in: self, kind, named: name, expecting: count)
  }

  /// Returns the commit that applied the batch (`tdn_outcome`).
  public func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? {
    var commitNumber: CommitNumber = 0
    var bytes = batch.bytes
    try unsafe cabinet.read { cabinet, error in
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
  /// Returns the error with the indexes of all changes whose expectation does not hold.
  fileprivate func listing(_ result: tdn_commit_result) -> BackendError {
    var error = self
    let indexes = unsafe UnsafeBufferPointer(start: result.conflicts, count: result.conflict_count)
    unsafe error.conflicts = indexes.map { Int(clamping: $0) }
    return error
  }
}

extension WriteBatch {
  /// Checks that no byte key is empty, as the C interface would mistake it for a row.
  ///
  /// The engine checks the order of the changes.
  func requireOrder() throws(BackendError) {
    guard !hasEmptyKey else {
      throw BackendError(.invalidArgument, "A byte key must have at least one byte, but the batch has an empty one.")
    }
  }

  /// Calls `body` with the batch as a `tdn_batch`, which refers to the same memory.
  func withCBatch(_ body: (inout tdn_batch) throws(BackendError) -> Void) throws(BackendError) {
    let (id, arena, changes) = (id, arena, packedChanges)
    try unsafe changes.span.withUnsafeBufferPointer { (changes) throws(BackendError) in
      // Both types have the same layout, which was checked when the backend was opened.
      try unsafe changes.withMemoryRebound(to: tdn_change.self) { (changes) throws(BackendError) in
        var batch = unsafe tdn_batch(
          id: id.bytes, changes: changes.baseAddress, change_count: changes.count,
          bytes: arena.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), byte_count: arena.count)
        try unsafe body(&batch)
      }
    }
  }
}
