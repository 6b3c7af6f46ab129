// Saving without blocking the isolation domain of the store. The names differ from the synchronous calls' names: in an
// asynchronous function, an overload would be chosen over the synchronous call.
extension Store {
  /// Saves all pending changes, as ``saveChanges(durability:)`` does, and waits for the disk without blocking.
  ///
  /// ```swift
  /// try store.update(song) { $0.seconds = 337 }
  /// try await store.save()
  /// ```
  ///
  /// **Before the first suspension** all changes are encoded and applied. They are no longer pending, and other stores
  /// of the backend see them. A conflict, a refusal or an encoding error is thrown before this, and nothing is saved.
  ///
  /// **During the suspension** the call only awaits the flush, on another thread. Other tasks of the domain may use the
  /// store without restriction:
  ///
  /// - Their inserts, updates, deletes and writes to named buffers are pending for the next save. None of them is lost,
  ///   even if this save holds the same object.
  /// - They may save, in either way. A second `save()` waits for a flush of its own. ``saveChanges(durability:)`` with
  ///   `.full` blocks until its changes, and so this save's, are on disk.
  /// - ``hasUnsavedChanges`` refers to pending changes, not to the flush.
  /// - ``close(discarding:)`` flushes first; this call then returns normally.
  ///
  /// **If the flush fails** the call throws ``StoreError/Code/mustReopen``, and only ``reopen()`` can find out whether
  /// the save counts. If it does not, its changes are pending again, together with later changes, so that all can be
  /// saved again.
  ///
  /// Cancelling the task neither undoes the applied changes nor ends the wait.
  ///
  /// A save that adds a mebibyte or more of new records to a class in a directory writes them directly to the class's
  /// file. It flushes that file while it is applied, before the first suspension. If that takes too long, save in
  /// smaller steps, or use a ``StoreActor``.
  ///
  /// - Parameter durability: The durability of the commit; nil for the configured durability. With `.relaxed` and
  ///   `.bulk` the call does not wait at all.
  /// - Throws: The errors of ``saveChanges(durability:)``.
  public nonisolated(nonsending) func save(durability: Durability? = nil) async throws {
    try beginChange()
    try refuseWithinSavepoint("save")
    let durability = durability ?? configuration.durability
    try checkForUnannouncedChanges()
    let hasChanges = pendingCount > 0
    if hasChanges { try callWillSave() } else { undoStack?.endLevelWithSave() }
    var saved = SavedObjects(pendingIn: self)
    if hasChanges {
      let flight = try commitChanges(
        durability: durability == .full ? .relaxed : durability, isAwaited: durability == .full)
      if let flight { flights.append(flight) }
    }
    if durability == .full, hasRelaxedCommits { try await flush(for: hasChanges ? flights.last : nil) }
    if hasChanges { saved.callHooks(in: self) }
  }

  /// Waits until all commits so far are on disk.
  private nonisolated(nonsending) func flush(for flight: SaveInFlight?) async throws(StoreError) {
    let saveCountBefore = saveCount
    let backend = backend
    do throws(BackendError) {
      _ = try await onWorker { () throws(BackendError) in try backend.commit(WriteBatch(), durability: .full) }
    } catch {
      return try flushFailed(error, for: flight)
    }
    flights.removeAll { $0 === flight }
    flight?.releaseDeletedObjects(in: self)
    if saveCount == saveCountBefore { hasRelaxedCommits = false }
  }

  private func flushFailed(_ error: BackendError, for flight: SaveInFlight?) throws(StoreError) {
    switch flight?.outcome {
    // The outcome was found out before this task resumed: the store was closed, or the backend was reopened.
    case .counts: return
    case .lost: throw StoreError(error)
    case nil:
      // After a failed flush the save stays in flight until the backend reports its outcome.
      if error.code != .mustReopen { flights.removeAll { $0 === flight } }
      throw translate(error)
    }
  }

  /// Flushes the saves in flight; called when the store is closed.
  func landFlights() throws(StoreError) {
    guard !flights.isEmpty else { return }
    let landed = flights
    flights = []
    _ = try onRecords { sealing throws(BackendError) in try sealing.commit(WriteBatch(), durability: .full) }
    for flight in landed {
      flight.outcome = .counts
      flight.releaseDeletedObjects(in: self)
    }
  }
}
