// What waits for the disk without occupying the domain that the store lives in. The names differ from those of the
// synchronous calls: in an asynchronous function an overload would take the place of the synchronous one.
extension Store {
  /// Saves everything that is pending, as ``saveChanges(durability:)``, and waits for the disk without blocking.
  ///
  /// ```swift
  /// try store.update(song) { $0.seconds = 337 }
  /// try await store.save()
  /// ```
  ///
  /// **Before the first suspension** everything is encoded and applied: what was pending is not pending any more, other
  /// stores of the backend see it, and a conflict, a refusal or an encoding error has been thrown, with nothing saved.
  /// **While it is suspended** only the flush is awaited, on another thread, and the domain is free. Other tasks of the
  /// domain may use the store meanwhile, without any limit:
  ///
  /// - What they insert, update, delete or write into named buffers is pending for the next save; none of it is lost,
  ///   also of objects that this save holds.
  /// - They may save, in either way. A second `save()` waits for a flush of its own; ``saveChanges(durability:)`` with
  ///   `.full` blocks until its changes, and so this save's, are on disk.
  /// - ``hasUnsavedChanges`` speaks of what is pending, not of the flush.
  /// - ``close(discarding:)`` flushes first; this call then returns as if nothing had happened.
  ///
  /// **If the flush fails** the call throws ``StoreError/Code/mustReopen``, and only ``reopen()`` can tell whether the
  /// save counts. If it does not, its changes are pending again, together with what was changed since, so that they
  /// can be saved once more.
  ///
  /// Cancelling the task does not take back what was applied, and does not end the wait.
  ///
  /// A save that adds a mebibyte or more of new records to a class in a directory writes them straight to the class's
  /// file and flushes that file while it is applied, so before the first suspension. Save in smaller steps, or use a
  /// ``StoreActor``, where that matters.
  ///
  /// - Parameter durability: When the save counts as done; nil for what the configuration says. With
  ///   `.relaxed` and `.bulk` the call does not wait at all.
  /// - Throws: As ``saveChanges(durability:)``.
  public nonisolated(nonsending) func save(durability: Durability? = nil) async throws {
    try beginChange()
    try refuseWithinSavepoint("save")
    let durability = durability ?? configuration.durability
    try checkForUnannouncedChanges()
    let hasChanges = pendingCount > 0
    if hasChanges {
      let flight = try commitChanges(
        durability: durability == .full ? .relaxed : durability, isAwaited: durability == .full)
      if let flight { flights.append(flight) }
    }
    if durability == .full, hasRelaxedCommits { try await flush(for: hasChanges ? flights.last : nil) }
    if hasChanges, hasDelegate { delegate?.storeDidSave(self) }
  }

  /// Waits until everything that was committed so far is on disk.
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
    // Settled while this was about to be told: by a closing, or because somebody has reopened the backend.
    case .counts: return
    case .lost: throw StoreError(error)
    case nil:
      // After a failed flush the save stays in flight until the backend tells what became of it.
      if error.code != .mustReopen { flights.removeAll { $0 === flight } }
      throw translate(error)
    }
  }

  /// Flushes what is in flight, on closing.
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
