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
  /// In a child of the process that opened the store, this lets the child's copy go, with its unsaved changes, and
  /// leaves the files alone: the parent still uses them.
  ///
  /// - Parameter discarding: Whether unsaved changes are discarded. Use it to close a store whose saves fail.
  /// - Throws: ``StoreError``. After ``StoreError/Code/unsavedChanges``, ``StoreError/Code/changedWithoutWillUpdate``,
  ///   ``StoreError/Code/withinSavepoint`` and ``StoreError/Code/reentrant`` the store is still open. After an error of closing the backend, or of flushing
  ///   such a save, the store is closed.
  /// - Complexity: O(*n*) in the objects alive.
  public func close(discarding: Bool = false) throws(StoreError) {
    guard !isClosed else { return }
    if isInChild { return closeInChild() }
    try checkForClosing(discarding: discarding)
    undoStack?.removeAll()
    unresolvedSave = nil
    let flushFailure = landingFailure()
    isClosed = true
    deferredError = nil
    releaseObjects()
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

  /// Lets the copy of the store go that `fork` has made; the store belongs to the parent.
  private func closeInChild() {
    unresolvedSave = nil
    flights = []
    isClosed = true
    deferredError = nil
    releaseObjects()
    adjustPendingCount(by: -pendingCount)
    namedBuffers = NamedBuffers()
    // There is nothing to report: closing does nothing to files.
    if !isWorker, session.leaveInChild(backend) { try? backend.close() }
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

  /// Turns all objects into faults.
  private func releaseObjects() {
    // The objects are kept alive while their contents are released, as releasing one may release others.
    let objects = registry.tables.map { ($0, $0.identity.objects(), $0.pending.takeAll()) }
    for (table, objects, _) in objects {
      for object in objects {
        object.state.subtract([.pending, .changedAgain])
        if !object.isFault { makeFault(object, of: table) }
      }
      table.blank = nil
    }
    withExtendedLifetime(objects) {}
  }
}
