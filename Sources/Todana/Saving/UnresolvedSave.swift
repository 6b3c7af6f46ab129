internal import Logging

/// A save whose flush failed: only after the backend is reopened is it known whether the save counts.
struct UnresolvedSave {
  let batchID: BatchID
  let objects: [SavedObject]
  /// The states that the saved named buffers have if the save counts.
  let buffers: [(NamedBuffers.Name, WriteBatch.Expectation)]

  struct SavedObject {
    let object: StoredObject
    let table: ClassTable
    /// The token of the record that the save writes; nil for a delete.
    let token: UInt64?
  }

  init(
    _ batch: borrowing WriteBatch, registry: ClassRegistry, buffers: [(NamedBuffers.Name, WriteBatch.Expectation)]
  ) {
    batchID = batch.id
    self.buffers = buffers
    var objects: [SavedObject] = []
    let bytes = unsafe batch.arena.bytes
    for index in batch.changes.indices {
      let change = batch.changes[index]
      guard case .row(let rowID) = change.key, !change.kind.isCheck, let table = registry[change.keyspace],
        let object = table.identity[rowID]
      else { continue }
      let token =
        change.kind != .put ? nil : unsafe recordToken(UnsafeRawBufferPointer(rebasing: bytes[change.value]))
      objects.append(SavedObject(object: object, table: table, token: token))
    }
    self.objects = objects
  }
}

extension Store {
  /// Recovers the backend after a failed flush, and finds out whether the save counts.
  ///
  /// If the save counts, its changes are no longer pending. If it does not, they are still pending and can be saved
  /// again. Objects without pending changes become faults, as their content may be lost. An unnecessary call does no
  /// harm.
  ///
  /// Another store of the backend, or the backend's own ``StoreBackend/reopen()``, may have reopened the backend. The
  /// next call of this store then finds out the outcome.
  ///
  /// - Throws: ``StoreError`` if the backend cannot be recovered; ``StoreError/Code/withinSavepoint``.
  public func reopen() throws(StoreError) {
    if isClosed { return try begin() }
    if isInChild { throw StoreError(.usedAfterFork) }
    try refuseWithinSavepoint("reopen the backend")
    if unresolvedSave == nil, session.failureCount == seenFailureCount {
      // The backend may have failed elsewhere, in a checkpoint for example. Any request to it reports that.
      do throws(StoreError) {
        _ = try onBackend { backend throws(BackendError) in try backend.outcome(of: BatchID()) }
        return
      } catch {
        guard error.code == .mustReopen else { throw error }
      }
    }
    try onBackend { backend throws(BackendError) in try backend.reopen() }
    configuration.logger?.warning("store reopened after a failure, \(backend.openReport)")
    try settleFailure()
  }

  /// Settles the save whose flush failed, once the backend works again, and turns clean objects into faults.
  func settleFailure() throws(StoreError) {
    let failureCount = session.failureCount
    guard unresolvedSave != nil || failureCount != seenFailureCount else { return }
    // Any request to the backend throws `mustReopen` until the backend is reopened.
    let batchID = unresolvedSave?.batchID ?? BatchID()
    let outcome = try onBackend { backend throws(BackendError) in try backend.outcome(of: batchID) }
    let flightCounts = try flights.map { flight throws(StoreError) in
      try onBackend { backend throws(BackendError) in try backend.outcome(of: flight.batchID) != nil }
    }
    if let save = unresolvedSave {
      unresolvedSave = nil
      if outcome != nil { finish(save) }
      for entry in save.objects where entry.object.table != nil { entry.object.state.remove(.changedAgain) }
    }
    settleFlights(flightCounts)
    undoStack?.removeAll()
    lastKnownCommit = 0
    collections.forgetState()
    makeCleanObjectsFaults()
    seenFailureCount = failureCount
  }

  /// Clears the pending changes of a save that counts after all.
  private func finish(_ save: UnresolvedSave) {
    saveCount += 1
    for entry in save.objects where entry.object.table === entry.table && entry.object.state.isPending {
      let object = entry.object
      guard let token = entry.token else {
        entry.table.pending.remove(object)
        entry.table.detachDeleted(object)
        adjustPendingCount(by: -1)
        continue
      }
      object.token = token
      if object.state.contains(.changedAgain) {
        entry.table.pending.change(object, to: .updated)
      } else {
        entry.table.pending.remove(object)
        adjustPendingCount(by: -1)
      }
    }
    namedBuffers.didSave(save.buffers)
    for (name, _) in save.buffers { adjustPendingCount(by: namedBuffers.setPending(nil, for: name.string)) }
  }
}
