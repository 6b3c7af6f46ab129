extension Store {
  /// What every throwing call does first: throws what was left to be thrown, and settles what a failed flush left.
  @inline(__always)
  func begin() throws(StoreError) {
    if needsAttention || session.failureCount != seenFailureCount { try attend() }
  }

  /// The same for calls that change something.
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
    // A savepoint knows what objects were, not what a save makes of them; the first call after it finds out.
    if savepointDepth == 0 { try settleFailure() }
  }
}
