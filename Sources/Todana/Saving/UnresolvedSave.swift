internal import Logging

/// A save whose flush failed: whether it counts is known only after the backend was reopened.
struct UnresolvedSave {
  let batchID: BatchID
  let objects: [SavedObject]
  /// What the save would leave under the names of named buffers.
  let buffers: [NamedBuffers.Name: WriteBatch.Expectation]

  struct SavedObject {
    let object: StoredObject
    let table: ClassTable
    /// The token of the record that was to be written; nil for a delete.
    let token: UInt64?
  }

  init(
    _ batch: borrowing WriteBatch, registry: ClassRegistry, buffers: [NamedBuffers.Name: WriteBatch.Expectation]
  ) {
    batchID = batch.id
    self.buffers = buffers
    var objects: [SavedObject] = []
    let bytes = unsafe batch.arena.bytes
    for index in batch.changes.indices {
      let change = batch.changes[index]
      guard case .row(let rowID) = change.key, let table = registry[change.keyspace],
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
  /// After a flush that failed: recovers the backend, and finds out whether the save counts.
  ///
  /// If it does, nothing of it is pending any more; if not, it is, and can be saved again. Clean objects become faults,
  /// as what they show may be lost. Calling it without need does no harm.
  ///
  /// Another store of the backend, or the backend's own ``StoreBackend/reopen()``, may do the reopening: the next call
  /// then finds out.
  ///
  /// - Throws: ``StoreError``, if the backend cannot be recovered; ``StoreError/Code/withinSavepoint``.
  public func reopen() throws(StoreError) {
    if isClosed { return try begin() }
    try refuseWithinSavepoint("reopen the backend")
    if unresolvedSave == nil, session.failureCount == seenFailureCount {
      // The backend may know more: of a checkpoint that failed, say. Any question does.
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

  /// Once the backend works again: settles the save that failed, and makes clean objects load anew.
  func settleFailure() throws(StoreError) {
    let failureCount = session.failureCount
    guard unresolvedSave != nil || failureCount != seenFailureCount else { return }
    // Any question does: as long as the backend has to be reopened it throws so.
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
    lastKnownCommit = 0
    makeCleanObjectsFaults()
    seenFailureCount = failureCount
  }

  /// The save counts after all.
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
    for name in save.buffers.keys { adjustPendingCount(by: namedBuffers.setPending(nil, for: name.string)) }
  }
}
