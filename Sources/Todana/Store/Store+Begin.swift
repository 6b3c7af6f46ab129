internal import Logging

extension Store {
  /// Throws a deferred error, and settles the consequences of a failed flush; every throwing call starts with this.
  @inline(__always)
  func begin() throws(StoreError) {
    if needsAttention || session.failureCount != seenFailureCount { try attend() }
  }

  /// Calls ``begin()``, and throws if the store is being saved or belongs to a parent process; every changing call
  /// starts with this.
  @inline(__always)
  func beginChange() throws(StoreError) {
    try begin()
    if isInChild { throw StoreError(.usedAfterFork) }
    if isSaving {
      throw StoreError(.reentrant, "The store is being saved; writeContent must not insert, update, delete or save.")
    }
  }

  /// Throws if the store was closed; loops call this between the calls of a closure, which may close the store.
  @inline(__always)
  func checkNotClosed() throws(StoreError) {
    if isClosed { throw Self.closedError }
  }

  private static var closedError: StoreError { StoreError(.closed, "The store is closed; open it again.") }

  /// Whether this process is a child of the one that opened the store.
  var isInChild: Bool { session.process.isInChild }

  /// Keeps an error of code that cannot throw, such as a setter; the store's next throwing call throws it.
  ///
  /// If an error is kept already, the new one is ignored. An error that is no ``StoreError`` becomes the cause of one
  /// (``StoreError/Code/vetoed``).
  public func deferError(_ error: any Error) {
    guard deferredError == nil else { return }
    deferredError =
      error as? StoreError
      ?? StoreError(.vetoed, "A call that cannot throw has failed: \(error)", underlying: error)
  }

  /// Throws an error that was deferred during the call; every throwing call that runs a closure ends with this.
  @inline(__always)
  func end() throws(StoreError) {
    if needsAttention, let error = takeDeferredError(as: StoreError.self) { throw error }
  }

  /// Returns the deferred error, which is then no longer deferred; nil if it is not of the type.
  func takeDeferredError<Failure: Error>(as type: Failure.Type) -> Failure? {
    guard let error = deferredError, let failure = error as? Failure else { return nil }
    deferredError = nil
    return failure
  }

  /// Loads a fault for a property that cannot throw, and defers the error.
  ///
  /// - Returns: Whether the object is loaded.
  func loadOnAccess(_ object: StoredObject) -> Bool {
    if isClosed {
      if !hasLoggedAccess {
        configuration.logger?.error("A property of \(object) was read or assigned after its store was closed.")
      }
      hasLoggedAccess = true
      return false
    }
    // An earlier error must not keep other objects from being loaded.
    let earlier = deferredError
    deferredError = nil
    do throws(StoreError) {
      defer { deferredError = earlier }
      try load(object)
      return true
    } catch {
      deferredError = earlier ?? error
      return false
    }
  }

  @inline(never)
  private func attend() throws(StoreError) {
    try checkNotClosed()
    if let error = deferredError {
      deferredError = nil
      throw error
    }
    // A savepoint cannot undo the settling of a save, so the first call after the savepoint does it.
    if savepointDepth == 0 { try settleFailure() }
  }
}
