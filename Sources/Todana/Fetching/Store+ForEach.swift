extension Store {
  /// Calls the closure with each object of a class, loaded, one after another; memory does not grow.
  ///
  /// ```swift
  /// try store.forEach(Song.self) { song, stop in
  ///   if song.seconds > 600 { stop = true }
  /// }
  /// ```
  ///
  /// The saved objects are those of one commit, whatever is saved meanwhile; pending inserts come last. The order is
  /// the backend's. An object that nothing else holds is released after its step, also if it refers to itself; one that
  /// you keep stays as it is. (Objects that refer to each other in a larger cycle, and that the closure loads, keep each
  /// other until ``turnIntoFault(_:)`` or ``close(discarding:)``.)
  ///
  /// The closure may insert, update, delete and save: what it inserts is not visited, and what it deletes is not visited
  /// any more.
  ///
  /// - Parameters:
  ///   - type: Exactly this class is visited.
  ///   - includingSubclasses: Also every registered class that inherits from it, class by class.
  ///   - includingPending: Whether pending inserts are visited and pending deletes are not.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Gets the object, and a flag that ends the loop when set.
  /// - Throws: What the closure throws; ``StoreError``.
  public func forEach<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail, _ body: (T, inout Bool) throws -> Void
  ) throws {
    try begin()
    let tables = try registry.tables(for: type, includingSubclasses: includingSubclasses)
    // One snapshot for all classes: the objects of one commit.
    let snapshot = try snapshotForReading()
    // Taken at once too, so that what the closure inserts or saves comes neither twice nor not at all.
    let inserted = tables.map { table in
      includingPending ? table.pending.objects.filter { $0.state.contains(.inserted) } : []
    }
    for (table, inserted) in zip(tables, inserted) {
      let stopped = try stream(
        table, from: snapshot, inserted: inserted, includingPending: includingPending, onDamage: onDamage
      ) { object, stop in
        // The table's class is T or a subclass of it.
        try body(unsafe unsafeDowncast(object, to: T.self), &stop)
      }
      if stopped { return }
    }
  }

  private func stream(
    _ table: ClassTable, from snapshot: any BackendSnapshot, inserted: [StoredObject], includingPending: Bool,
    onDamage: DamagePolicy, _ body: (StoredObject, inout Bool) throws -> Void
  ) throws -> Bool {
    var stop = false
    if let classID = try table.classIDForReading() {
      let scan: any BackendScan
      do throws(BackendError) { scan = try snapshot.scan(classID) } catch { throw translate(error) }
      let chunk = takeChunk()
      defer { giveBack(chunk) }
      var reader = makeReader()
      let saveCountAtStart = saveCount
      let commitNumber = snapshot.commitNumber
      while !stop, try next(of: scan, into: chunk, onDamage: onDamage) {
        for slice in chunk.slices where !stop {
          let wasAlive = table.identity.contains(slice.rowID)
          noteReading(ofCommit: commitNumber)
          var visited: StoredObject?
          do throws(StoreError) {
            visited =
              saveCount == saveCountAtStart
              ? try object(for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
              : try newestObject(slice.rowID, of: table, includingPending: includingPending)
          } catch {
            try onDamage.handle(error)
          }
          guard var object = visited.take() else { continue }
          try body(object, &stop)
          if !wasAlive { release(&object, of: table) }
        }
      }
    }
    for object in inserted where !stop && isStillThere(object, in: table) { try body(object, &stop) }
    return stop
  }

  /// Objects that are loaded now may be older than what the last ``refresh()`` found, so the next one has to look.
  @inline(__always)
  func noteReading(ofCommit number: CommitNumber) {
    if lastKnownCommit > number { lastKnownCommit = 0 }
  }

  /// Whether an object whose insert was pending is in the store still, saved or not, and not deleted.
  func isStillThere(_ object: StoredObject, in table: ClassTable) -> Bool {
    object.table === table && !object.state.contains(.deleted)
  }

  /// The loaded object of a row, once this store has saved since the scan began: the scan's record may be older than
  /// what the store knows.
  func newestObject(
    _ rowID: RowID, of table: ClassTable, includingPending: Bool
  ) throws(StoreError) -> StoredObject? {
    let object = table.objectOrFault(rowID)
    guard includes(object, includingPending: includingPending) else { return nil }
    do throws(StoreError) {
      try load(object)
    } catch {
      if error.code == .rowNotFound { return nil }
      throw error
    }
    return object
  }

  /// Lets go of an object that the loop brought in, where only its own references keep it alive.
  func release(_ object: inout StoredObject, of table: ClassTable) {
    if isKnownUniquelyReferenced(&object) { return }
    // The loop held it while its delete was saved.
    if object.table == nil { return release(deleted: &object, of: table) }
    if object.isFault || object.state.isPending || object.table !== table { return }
    // Something else holds it: itself, over some path, or the caller. Without its content only the caller is left.
    let content = ContentSnapshot(of: object)
    table.clearContent(of: object)
    if !isKnownUniquelyReferenced(&object) { content.restore(object) }
  }
}
