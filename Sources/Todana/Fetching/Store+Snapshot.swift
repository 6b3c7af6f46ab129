extension Store {
  /// Runs a closure in which all reads come from one committed state.
  ///
  /// Use it if several reads have to agree while other stores of the ``backend`` may save. Examples are a count and the
  /// counted objects, or objects and a named buffer that lists them.
  ///
  /// ```swift
  /// let (songs, favourites) = try store.withSnapshot {
  ///   (
  ///     try store.fetch(Song.self),
  ///     try store.readNamedBuffer("favourites") { try $0.readReferences(Song.self) } ?? []
  ///   )
  /// }
  /// ```
  ///
  /// Within the closure:
  ///
  /// - **Saved records** are those of the state at the call. This holds for every fetch (by id, by ids, of a class),
  ///   for loading faults and for ``refresh()``. It also holds for ``count(_:includingSubclasses:includingPending:)``,
  ///   ``forEach(_:includingSubclasses:includingPending:onDamage:_:)``, named buffers and their names,
  ///   ``rawRecords(ofClassNamed:onDamage:_:)`` and the counts of ``catalog``. Concurrent saves by other stores are not
  ///   visible: a row that they insert does not exist, and a row that they delete still does.
  /// - **Pending changes of this store** stay visible in every call without `includingPending: false`. Inserting,
  ///   updating and deleting work as usual.
  /// - **Objects that are already loaded keep their content**, even if they were loaded from an older state, as a row
  ///   has one instance. Call ``refresh()`` first in the closure to bring those without pending changes to the state of
  ///   the snapshot.
  /// - **Conflicts are found as usual.** Another store may have changed an object or named buffer since it was read
  ///   here. A save that would overwrite the change is refused with ``SaveConflict``. This holds within the closure and
  ///   after it.
  /// - **A save by this store** (``saveChanges(durability:)``, a named buffer written `immediately`, an upgrade) moves
  ///   the closure to a newer state, which includes the save. Therefore, save last.
  /// - Within another `withSnapshot` of the same store, the outer call's state stays in effect.
  ///
  /// Afterwards, even if the closure throws, the snapshot is released, and reads use the newest state again. Faults
  /// that are loaded later are therefore loaded from there.
  ///
  /// The closure is synchronous, so no other task can use the store while it runs. During that time commits keep the
  /// old values of records that they change, in memory up to 64 MiB, then in an unlinked file. Neither side waits for
  /// the other.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: Errors of the closure; ``StoreError`` if the snapshot cannot be taken. If the backend was closed or
  ///   reopened within the closure, its reads throw ``StoreError/Code/closed``, or ``StoreError/Code/backend`` with
  ///   ``BackendError/Code/snapshotEnded``.
  /// - Complexity: O(1); nothing is copied.
  public func withSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    let isOutermost = try holdSnapshot()
    defer { if isOutermost { letGoOfSnapshot() } }
    let result = try body()
    try end()
    return result
  }

  /// Runs a closure in which the store's own reads of several keyspaces come from one committed state.
  func readingOneState<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    let isOutermost = try holdSnapshot()
    defer { if isOutermost { letGoOfSnapshot() } }
    return try body()
  }

  /// Takes the snapshot that reads use from now on; returns false if one is held already.
  private func holdSnapshot() throws(StoreError) -> Bool {
    if holdsSnapshot { return false }
    heldSnapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    holdsSnapshot = true
    return true
  }

  /// Makes the store read one state only, for work on another thread.
  func readOnly(from snapshot: any BackendSnapshot) {
    heldSnapshot = snapshot
    holdsSnapshot = true
  }

  private func letGoOfSnapshot() {
    holdsSnapshot = false
    heldSnapshot = nil
  }
}

// Reads of the snapshot that is held, or of the newest committed state.
extension Store {
  /// Returns a snapshot for reads that must agree.
  func snapshotForReading() throws(StoreError) -> any BackendSnapshot {
    if let heldSnapshot { return heldSnapshot }
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    // This store has saved since the held snapshot was taken.
    if holdsSnapshot { heldSnapshot = snapshot }
    return snapshot
  }

  /// Returns a scan over the records of a keyspace.
  func scan(_ keyspace: KeyspaceID) throws(StoreError) -> any BackendScan {
    let snapshot = try snapshotForReading()
    do throws(BackendError) { return try snapshot.scan(keyspace) } catch { throw translate(error) }
  }

  @inline(__always)
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(StoreError) {
    let snapshot = holdsSnapshot ? try snapshotForReading() : nil
    do throws(BackendError) {
      if let snapshot {
        try snapshot.read(rows: rows, of: keyspace, into: chunk)
      } else {
        try sealing.read(rows: rows, of: keyspace, into: chunk)
      }
    } catch {
      throw translate(error)
    }
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(StoreError) {
    let snapshot = holdsSnapshot ? try snapshotForReading() : nil
    do throws(BackendError) {
      if let snapshot {
        try snapshot.read(key: key, of: keyspace, into: chunk)
      } else {
        try sealing.read(key: key, of: keyspace, into: chunk)
      }
    } catch {
      throw translate(error)
    }
  }

  /// Returns the number of saved records of a keyspace.
  func savedCount(of keyspace: KeyspaceID) throws(StoreError) -> Int {
    let snapshot = holdsSnapshot ? try snapshotForReading() : nil
    do throws(BackendError) {
      if let snapshot { return try snapshot.count(of: keyspace) }
      return try sealing.count(of: keyspace)
    } catch {
      throw translate(error)
    }
  }
}
