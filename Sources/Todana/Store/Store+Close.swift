extension Store {
  /// Ends the use of the store; what is pending is lost.
  ///
  /// Calling it again does nothing.
  ///
  /// Every object that is alive loses its content and becomes a fault that cannot be loaded any more: so objects that
  /// refer to each other in cycles let go of each other, and are released. Everything that throws throws
  /// ``StoreError/Code/closed`` from now on. The backend is closed with the last of its stores, if a store opened it.
  ///
  /// A ``save(durability:)`` that waits for its flush is flushed first.
  ///
  /// - Throws: ``StoreError``, if the backend fails to close, or to flush such a save; the store is closed nevertheless.
  /// - Complexity: O(*n*) in the objects alive.
  public func close() throws(StoreError) {
    guard !isClosed else { return }
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
