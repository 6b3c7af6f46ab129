extension Store {
  /// Closes the store.
  ///
  /// Closing a closed store does nothing. If changes are pending, this throws and the store stays open and usable,
  /// unless you discard them:
  ///
  /// ```swift
  /// try store.close(discarding: true)
  /// ```
  ///
  /// Every live object loses its content and becomes a fault that can no longer be loaded. Objects that refer to each
  /// other in cycles are therefore released. All throwing calls throw ``StoreError/Code/closed`` afterwards. The
  /// backend is closed with the last of its stores, if a store opened it.
  ///
  /// A ``save(durability:)`` that is waiting for its flush is flushed first.
  ///
  /// - Parameter discarding: Whether unsaved changes are discarded. Use it to close a store whose saves fail.
  /// - Throws: ``StoreError``. After ``StoreError/Code/unsavedChanges``, ``StoreError/Code/changedWithoutWillUpdate``,
  ///   ``StoreError/Code/withinSavepoint`` and ``StoreError/Code/reentrant`` the store is still open. After an error of closing the backend, or of flushing
  ///   such a save, the store is closed.
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
    if discarding { return }
    try checkForUnannouncedChanges()
    if pendingCount == 0 { return }
    throw StoreError(
      .unsavedChanges,
      "The store has unsaved changes (\(pendingChangesDescription)): save or discard them first, or call "
        + "close(discarding: true).")
  }

  /// The counts of pending changes as text: `1 insert, 2 updates`.
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

  /// Flushes the saves in flight, and returns the error if that fails.
  private func landingFailure() -> StoreError? {
    do throws(StoreError) {
      try landFlights()
      return nil
    } catch {
      return error
    }
  }

  private func release(_ table: ClassTable) {
    // The objects are kept alive while their contents are released, as releasing one may release others.
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
