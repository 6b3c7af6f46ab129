extension Store {
  /// Ends the use of the store.
  ///
  /// Calling it again does nothing. While anything is pending the store stays open and usable, unless you give it up:
  ///
  /// ```swift
  /// try store.close(discarding: true)
  /// ```
  ///
  /// Every object that is alive loses its content and becomes a fault that cannot be loaded any more: so objects that
  /// refer to each other in cycles release each other. Everything that throws throws ``StoreError/Code/closed`` from now
  /// on. The backend is closed with the last of its stores, if a store opened it.
  ///
  /// A ``save(durability:)`` that waits for its flush is flushed first.
  ///
  /// - Parameter discarding: Whether changes that are not saved are given up. So a store whose saves fail can be closed.
  /// - Throws: ``StoreError``: ``StoreError/Code/unsavedChanges``, ``StoreError/Code/withinSavepoint`` and
  ///   ``StoreError/Code/reentrant``, after which the store is open; if the backend fails to close, or to flush such a
  ///   save, after which it is closed.
  /// - Complexity: O(*n*) in the objects alive.
  public func close(discarding: Bool = false) throws(StoreError) {
    guard !isClosed else { return }
    try checkForClosing(discarding: discarding)
    unresolvedSave = nil
    let flushFailure = landingFailure()
    isClosed = true
    deferredError = nil
    for table in registry.tables { release(table) }
    adjustPendingCount(by: -pendingCount)
    namedBuffers = NamedBuffers()
    withdrawIndexes()
    if !isWorker, BackendSession.leave(backend) {
      do throws(BackendError) {
        try backend.close()
      } catch {
        throw translate(error)
      }
    }
    if let flushFailure { throw flushFailure }
  }

  private func checkForClosing(discarding: Bool) throws(StoreError) {
    try refuseWithinSavepoint("close the store")
    if isSaving { throw StoreError(.reentrant, "The store is being saved; writeContent must not close it.") }
    guard !discarding, pendingCount > 0 else { return }
    throw StoreError(
      .unsavedChanges,
      "The store has unsaved changes (\(pendingChangesDescription)): save or discard them first, or call "
        + "close(discarding: true).")
  }

  /// How much is pending: `1 insert, 2 updates`.
  var pendingChangesDescription: String {
    let tables = registry.tables
    let counts = [
      (tables.reduce(0) { $0 + $1.pending.insertCount }, "insert"),
      (tables.reduce(0) { $0 + $1.pending.updateCount }, "update"),
      (tables.reduce(0) { $0 + $1.pending.deleteCount }, "delete"),
      (namedBuffers.pending.count, "named buffer"),
    ]
    return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: ", ")
  }

  /// What the flush of saves that are waited for met.
  private func landingFailure() -> StoreError? {
    do throws(StoreError) {
      try landFlights()
      return nil
    } catch {
      return error
    }
  }

  private func release(_ table: ClassTable) {
    // Kept alive while their contents go: releasing one may release others.
    let objects = table.identity.objects()
    let pending = table.pending.takeAll()
    for object in objects {
      object.state.subtract([.pending, .changedAgain])
      if !object.isFault { makeFault(object, of: table) }
    }
    table.blank = nil
    withExtendedLifetime((objects, pending)) {}
  }
}
