public import Observation

extension Store: Observable {
  /// Whether anything is pending.
  ///
  /// Observable: `withObservationTracking` and `Observations` see it change.
  public var hasUnsavedChanges: Bool {
    observation.access(self, keyPath: \.hasUnsavedChanges)
    return pendingCount > 0
  }

  /// Counts pending changes; observers hear of the first and of the last only.
  @inline(__always)
  func adjustPendingCount(by difference: Int) {
    let count = pendingCount + difference
    if (count == 0) == (pendingCount == 0) {
      pendingCount = count
    } else {
      observation.withMutation(of: self, keyPath: \.hasUnsavedChanges) { pendingCount = count }
    }
  }
}

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

  /// The table of an object that must be in this store.
  func table(of object: StoredObject, to action: String) throws(StoreError) -> ClassTable {
    guard let table = object.table else {
      throw StoreError(
        .notInserted, "Cannot \(action) an object that is in no store; insert it first.",
        className: registry[type(of: object)]?.name)
    }
    guard table.store === self else {
      throw StoreError(
        .objectOfOtherStore, "Cannot \(action) an object of another store; fetch it here by its id.",
        className: table.name, rowID: object.rowID)
    }
    return table
  }
}
