internal import CStorageEngine

extension KyotoBackend {
  public func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try unsafe cabinet.read(rows: rows, of: keyspace, in: nil, into: chunk, whenClosed: .closed)
  }

  public func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try unsafe cabinet.read(key: key, of: keyspace, in: nil, into: chunk, whenClosed: .closed)
  }

  public func snapshot() throws(BackendError) -> any BackendSnapshot {
    let (pointer, commitNumber) = try cabinet.openSnapshot()
    return KyotoSnapshot(pointer, commitNumber: commitNumber, of: self)
  }
}

extension CabinetHandle {
  /// Reads rows in the given order, from a snapshot or the newest committed state (`tdn_get_rows`).
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, in snapshot: OpaquePointer?, into chunk: RecordChunk,
    whenClosed closedError: @autoclosure () -> BackendError
  ) throws(BackendError) {
    try unsafe rows.withUnsafeBufferPointer { (rows) throws(BackendError) in
      guard let first = rows.baseAddress, !rows.isEmpty else { return chunk.removeAll() }
      try unsafe fill(chunk, sliceLimit: rows.count, whenClosed: closedError()) { cabinet, memory, error in
        unsafe tdn_get_rows(cabinet, snapshot, keyspace.rawValue, first, rows.count, memory, error)
      }
    }
  }

  /// Reads one record by a byte key, from a snapshot or the newest committed state (`tdn_get_key`).
  func read(
    key: [UInt8], of keyspace: KeyspaceID, in snapshot: OpaquePointer?, into chunk: RecordChunk,
    whenClosed closedError: @autoclosure () -> BackendError
  ) throws(BackendError) {
    try unsafe fill(chunk, sliceLimit: 1, whenClosed: closedError()) { cabinet, memory, error in
      unsafe withPointer(to: key) { key_ in
        unsafe tdn_get_key(cabinet, snapshot, keyspace.rawValue, key_, key.count, memory, error)
      }
    }
  }

  /// Calls `read` to fill the chunk, and calls it again with more memory if the next record does not fit.
  func fill(
    _ chunk: RecordChunk, sliceLimit: Int = .max, whenClosed closedError: @autoclosure () -> BackendError,
    _ read: (OpaquePointer, UnsafeMutablePointer<tdn_chunk>, UnsafeMutablePointer<tdn_error>) -> Bool
  ) throws(BackendError) {
    let sliceCapacity = min(sliceLimit, chunk.recordLimit)
    var byteCapacity = chunk.byteLimit
    while true {
      var needed = 0
      var failure: BackendError?
      unsafe chunk.refill(byteCapacity: byteCapacity, sliceCapacity: sliceCapacity) { bytes, slices in
        var filled = (byteCount: 0, sliceCount: 0)
        var isSealed = false
        do throws(BackendError) {
          try unsafe self.read(whenClosed: closedError()) { cabinet, error in
            guard var memory = unsafe Self.memory(bytes, slices, chunk.leavesOutValues) else { return true }
            guard unsafe read(cabinet, &memory, error) else { return false }
            unsafe (filled, needed) = ((memory.byte_count, memory.slice_count), memory.needed)
            isSealed = unsafe memory.sealed
            return true
          }
        } catch {
          failure = error
        }
        chunk.isSealed = isSealed
        return filled
      }
      if let failure { throw failure }
      guard chunk.slices.isEmpty, needed > byteCapacity else { return }
      byteCapacity = needed
    }
  }

  /// Returns the memory for C to fill; nil if a buffer is empty.
  private static func memory(
    _ bytes: UnsafeMutableRawBufferPointer, _ slices: UnsafeMutableBufferPointer<RecordChunk.Slice>,
    _ leavesOutValues: Bool
  ) -> tdn_chunk? {
    guard let firstByte = bytes.baseAddress, let firstSlice = slices.baseAddress else { return nil }
    // Both types have the same layout, which was checked when the backend was opened.
    return unsafe tdn_chunk(
      bytes: firstByte.assumingMemoryBound(to: UInt8.self), byte_capacity: bytes.count, byte_count: 0,
      slices: UnsafeMutableRawPointer(firstSlice).assumingMemoryBound(to: tdn_slice.self),
      slice_capacity: slices.count, slice_count: 0, needed: 0, sealed: false, leaves_out_values: leavesOutValues)
  }
}
