extension Store {
  /// Runs a closure in which everything that is read comes from one committed state.
  ///
  /// Use it where several reads have to agree, such as a count and the objects that are counted, or objects and a named
  /// buffer that lists them, while other stores of the ``backend`` may save.
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
  /// Within the closure, by the rules that follow:
  ///
  /// - **Saved records** are those of the state at the call: for every fetch (by id, by ids, of a class), for loading
  ///   faults, for ``count(_:includingSubclasses:includingPending:)``,
  ///   ``forEach(_:includingSubclasses:includingPending:onDamage:_:)``, named buffers and their names,
  ///   ``rawRecords(ofClassNamed:onDamage:_:)``, the counts of ``catalog``, and ``refresh()``. What other stores save
  ///   meanwhile is not seen: a row that they insert is not there, one that they delete is.
  /// - **What is pending in this store** stays visible as outside: in everything that is not told
  ///   `includingPending: false`. Inserting, updating and deleting work as ever.
  /// - **Objects that are loaded already keep their content**, even if they were loaded from an older state; a row has
  ///   one instance. ``refresh()`` as the first call of the closure brings those without pending changes to the state of
  ///   the snapshot.
  /// - **Conflicts are found as ever.** An object or named buffer that was read here remembers which record it was; if
  ///   another store has changed that record since, the save that would overwrite it is refused with ``SaveConflict``,
  ///   within the closure or after it.
  /// - **A save by this store** (``saveChanges(durability:)``, a named buffer written `immediately`, an upgrade) moves
  ///   the closure on to a newer state, one that holds the save: what a store has saved it sees. So save last.
  /// - Within another `withSnapshot` of the same store the outer one's state stands.
  ///
  /// Afterwards, also when the closure throws, the snapshot is let go and reads are of the newest state again: so faults
  /// that are loaded later are loaded from there.
  ///
  /// The closure is synchronous: the store cannot be used by anyone else meanwhile. As long as it runs, commits keep the
  /// old values of what they change, in memory up to 64 MiB, then in an unlinked file; neither side waits for the other.
  ///
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``StoreError``, if the snapshot cannot be taken. After the backend was closed or
  ///   reopened within the closure, its reads throw ``StoreError/Code/closed`` or ``StoreError/Code/backend`` with
  ///   ``BackendError/Code/snapshotEnded``.
  /// - Complexity: O(1); nothing is copied.
  public func withSnapshot<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    let isOutermost = try holdSnapshot()
    defer { if isOutermost { letGoOfSnapshot() } }
    return try body()
  }

  /// The same for the store's own reads of more than one keyspace.
  func readingOneState<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    let isOutermost = try holdSnapshot()
    defer { if isOutermost { letGoOfSnapshot() } }
    return try body()
  }

  /// Takes the snapshot that reads go through from now on; false if there is one.
  private func holdSnapshot() throws(StoreError) -> Bool {
    if holdsSnapshot { return false }
    heldSnapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    holdsSnapshot = true
    return true
  }

  private func letGoOfSnapshot() {
    holdsSnapshot = false
    heldSnapshot = nil
  }
}

// Where reads go: to the snapshot that is held, or to the newest committed state.
extension Store {
  /// A committed state for reads that must agree.
  func snapshotForReading() throws(StoreError) -> any BackendSnapshot {
    if let heldSnapshot { return heldSnapshot }
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    // This store has saved since the last one was taken.
    if holdsSnapshot { heldSnapshot = snapshot }
    return snapshot
  }

  /// A scan over the records of a keyspace.
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

  /// The number of records that are saved.
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
