extension WriteBatch.Kind {
  /// Whether the change's key may be empty: a bound, or the end of a key that begins with the commit's number.
  var mayHaveEmptyKey: Bool { self == .checkRange || self == .putNumbered }

  /// Whether the change only checks an expectation, and changes nothing.
  public var isCheck: Bool { self == .check || self == .checkRange }
}

extension WriteBatch {
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
