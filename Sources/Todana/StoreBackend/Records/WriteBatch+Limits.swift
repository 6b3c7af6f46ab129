extension WriteBatch.Kind {
  /// Whether the change's key may be empty: a bound, or the end of a key that begins with the commit's number.
  var mayHaveEmptyKey: Bool { isOfRange || self == .putNumbered }

  /// Whether the change concerns all keys within bounds.
  public var isOfRange: Bool { self == .checkRange || self == .removeRange }

  /// Whether the change only checks an expectation, and changes nothing.
  public var isCheck: Bool { self == .check || self == .checkRange }
}

extension WriteBatch {
  /// Tests whether removed ranges overlap, or another change puts or removes a key within one.
  ///
  /// A backend refuses such a batch as ``BackendError/Code/invalidArgument``. The batch must be sorted.
  ///
  /// - Complexity: O(*n*)
  public var hasChangesWithinRemovedRanges: Bool {
    var ranges: [(lower: [UInt8], upper: [UInt8])] = []
    var next = 0
    var keyspace: KeyspaceID?
    for change in changes {
      if keyspace != change.keyspace { (keyspace, ranges, next) = (change.keyspace, [], 0) }
      guard case .bytes(let range) = change.key, change.kind != .checkRange, change.kind != .putNumbered,
        change.kind == .removeRange || !ranges.isEmpty
      else { continue }
      let key = unsafe Array(arena.bytes[range])
      func isBeyond(_ range: (lower: [UInt8], upper: [UInt8])) -> Bool {
        !range.upper.isEmpty && !key.lexicographicallyPrecedes(range.upper)
      }
      if change.kind == .removeRange {
        if let last = ranges.last, !isBeyond(last) { return true }
        ranges.append((key, unsafe Array(arena.bytes[change.value])))
        continue
      }
      while next < ranges.count, isBeyond(ranges[next]) { next += 1 }
      if next < ranges.count, !key.lexicographicallyPrecedes(ranges[next].lower) { return true }
    }
    return false
  }

  /// Checks that the batch is within limits, before any of it is written or sent.
  ///
  /// All changes count, including checks and entries of indexes, and so do all bytes of the arena. A backend calls this
  /// first; it checks keys and values itself.
  ///
  /// - Throws: ``BackendError/Code/limitExceeded``.
  public func check(_ limits: BackendLimits) throws(BackendError) {
    if packedChanges.count > limits.batchChangeCount {
      throw BackendError(
        .limitExceeded,
        "One save has \(packedChanges.count) changes, over the limit of \(limits.batchChangeCount): save in smaller steps."
      )
    }
    if arena.count > limits.batchByteCount {
      throw BackendError(
        .limitExceeded,
        "One save has \(arena.count) bytes, over the limit of \(limits.batchByteCount): save in smaller steps.")
    }
  }
}
