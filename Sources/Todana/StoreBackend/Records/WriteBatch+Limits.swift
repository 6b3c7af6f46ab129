extension WriteBatch.Kind {
  /// Whether bytes of a key may be missing: a bound, or a key that the commit's number begins.
  var mayHaveEmptyKey: Bool { self == .checkRange || self == .putNumbered }

  /// Whether it changes nothing.
  public var isCheck: Bool { self == .check || self == .checkRange }
}

extension WriteBatch {
  /// Refuses a batch that no commit can take, before anything of it is written or sent.
  ///
  /// Every change counts, checks and entries of indexes among them, and so does every byte of the arena. A backend calls
  /// this first; it checks keys and values itself.
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
