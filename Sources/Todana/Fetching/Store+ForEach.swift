extension Store {
  /// Calls a closure with each object of a class, loaded, one after another; memory does not grow.
  ///
  /// ```swift
  /// try store.forEach(Song.self) { song, stop in
  ///   if song.seconds > 600 { stop = true }
  /// }
  /// ```
  ///
  /// The saved objects are those of one commit, regardless of later saves; pending inserts come last. The order is the
  /// backend's.
  ///
  /// An object that only the loop holds is released after its step, even if it refers to itself. An object that you
  /// keep stays unchanged. Objects that refer to each other in a larger cycle, and that the closure loads, keep each
  /// other alive until ``turnIntoFault(_:)`` or ``close(discarding:)``.
  ///
  /// The closure may insert, update, delete and save. Objects that it inserts are not visited, and objects that it
  /// deletes are no longer visited.
  ///
  /// - Parameters:
  ///   - type: The class; objects of its subclasses are not visited by default.
  ///   - includingSubclasses: Whether objects of registered subclasses are visited as well, class by class.
  ///   - includingPending: Whether objects with pending inserts are visited and objects with pending deletes are not.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: A closure that receives the object, and a flag that ends the loop when set.
  /// - Throws: Errors of the closure; ``StoreError``.
  public func forEach<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail, _ body: (T, inout Bool) throws -> Void
  ) throws {
    try begin()
    let tables = try tables(for: type, includingSubclasses: includingSubclasses)
    // One snapshot for all classes: the objects of one commit.
    let snapshot = try snapshotForReading()
    // The pending inserts are collected at the start. So an insert that the closure saves is visited exactly once, and
    // one that it adds is not visited.
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
      if stopped { break }
    }
    try end()
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
          try checkNotClosed()
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
    for object in inserted where !stop && isStillThere(object, in: table) {
      try checkNotClosed()
      try body(object, &stop)
    }
    return stop
  }

  /// Notes that objects are loaded from an older commit than the last ``refresh()`` checked, so that the next refresh
  /// checks again.
  @inline(__always)
  func noteReading(ofCommit number: CommitNumber) {
    if lastKnownCommit > number { lastKnownCommit = 0 }
  }

  /// Returns whether an object whose insert was pending is still in the store, saved or not, and not deleted.
  func isStillThere(_ object: StoredObject, in table: ClassTable) -> Bool {
    object.table === table && !object.state.contains(.deleted)
  }

  /// Returns the loaded object of a row from the newest state; nil if it is not wanted or does not exist.
  ///
  /// Used after this store has saved during a scan: the scan's record may be older than the store's knowledge.
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

  /// Releases an object that the loop brought into memory, if only its own references keep it alive.
  func release(_ object: inout StoredObject, of table: ClassTable) {
    if isKnownUniquelyReferenced(&object) { return }
    // The delete of the object was saved while the loop held the object.
    if object.table == nil { return release(deleted: &object, of: table) }
    if object.isFault || object.state.isPending || object.table !== table { return }
    // The object is also held by the caller, or by itself through a cycle of references. Clearing its content breaks
    // the cycle, so that only the caller's reference remains.
    let content = ContentSnapshot(of: object)
    table.clearContent(of: object)
    if !isKnownUniquelyReferenced(&object) { content.restore(object) }
  }
}
