extension Store {
  /// Throws a deferred error, and settles the consequences of a failed flush; every throwing call starts with this.
  @inline(__always)
  func begin() throws(StoreError) {
    if needsAttention || session.failureCount != seenFailureCount { try attend() }
  }

  /// Calls ``begin()``, and throws if the store is being saved; every changing call starts with this.
  @inline(__always)
  func beginChange() throws(StoreError) {
    try begin()
    if isSaving {
      throw StoreError(.reentrant, "The store is being saved; writeContent must not insert, update, delete or save.")
    }
  }

  @inline(never)
  private func attend() throws(StoreError) {
    if isClosed { throw StoreError(.closed, "The store is closed; open it again.") }
    if let error = deferredError {
      deferredError = nil
      throw error
    }
    // A savepoint cannot undo the settling of a save, so the first call after the savepoint does it.
    if savepointDepth == 0 { try settleFailure() }
  }
}
