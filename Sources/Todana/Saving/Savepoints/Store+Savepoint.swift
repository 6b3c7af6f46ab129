// Changes that are made entirely or not at all.
extension Store {
  /// Runs a closure; if it throws, undoes everything that it changed in the store.
  ///
  /// ```swift
  /// try store.savepoint {
  ///   let playlist = try store.insert(Playlist())
  ///   for line in lines { try store.insert(Song(parsing: line)) }
  /// }
  /// ```
  ///
  /// Savepoints nest. If the closure throws:
  ///
  /// - Pending inserts, updates, deletes and named buffers are those from before. An object that was inserted within
  ///   the closure is in no store again. An object that was deleted is back in the store.
  /// - Each object whose change was announced, by ``update(_:_:)`` or ``StoredObject/willUpdate()``, has its former
  ///   content, even if it was pending already. An object that a `prepareForDelete` changed and that was not pending is
  ///   read again. The delegate's `didChange` is called for all of them.
  /// - A fault that was loaded stays loaded. Changes saved by other stores are not undone.
  ///
  /// **A change that was not announced cannot be noticed**: within a savepoint announce changes of pending objects,
  /// too. If an object's content cannot be copied, the object keeps the content that the closure gave it. That is so if
  /// the content is over 1 GiB, or if `writeContent` cannot write it for another reason.
  ///
  /// Within the closure ``discardChanges()`` and ``refresh()`` are undone as other changes are. A save cannot be
  /// undone: ``saveChanges(durability:)`` throws ``StoreError/Code/withinSavepoint``. Named buffers that are written
  /// immediately, upgrades of records, ``close(discarding:)`` and ``reopen()`` throw it as well.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: Errors of the closure; ``StoreError``. This includes a deferred error that the next throwing call
  ///   reports, for example of a ``Loaded`` property that could not be read.
  /// - Complexity: O(*n*) in the objects changed within the closure, independent of other pending or live objects.
  @discardableResult
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try beginChange()
    return try allOrNothing { () throws -> Result in
      let result = try body()
      try begin()
      return result
    }
  }

  /// Runs a closure; if it throws, undoes everything that it changed in the store.
  func allOrNothing<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let journal = openJournal()
    let mark = undoStack?.mark
    do throws(Failure) {
      let result = try body()
      savepointDepth -= 1
      journal.close()
      return result
    } catch {
      savepointDepth -= 1
      takeBack(journal)
      if let mark { undoStack?.removeChanges(since: mark) }
      throw error
    }
  }

  private func openJournal() -> ChangeJournal {
    let journal = journal ?? ChangeJournal()
    self.journal = journal
    journal.open(lastKnownCommit: lastKnownCommit)
    savepointDepth += 1
    return journal
  }

  /// Restores the state at the opening of the innermost savepoint.
  private func takeBack(_ journal: ChangeJournal) {
    let changes = journal.takeChanges()
    var difference = 0
    ChainRelease.releasingReferences(of: changes.objects.lazy.map(\.object)) {
      for entry in changes.objects.reversed() {
        difference += restore(entry) { journal.restoreContent(entry, to: $0) }
      }
    }
    for entry in changes.buffers.reversed() {
      difference += namedBuffers.setPending(entry.change, for: entry.name)
      namedBuffers.note(entry.expectation, for: entry.name)
    }
    rereadContents(changes.objects)
    // Objects that were refreshed within the savepoint show their former content, so the next refresh must check them
    // again.
    lastKnownCommit = min(lastKnownCommit, changes.lastKnownCommit)
    journal.finish(changes)
    adjustPendingCount(by: difference)
    var objects = changes.objects.map(\.object)
    _ = consume changes
    if hasDelegate {
      var told: Set<ObjectIdentifier> = []
      for object in objects where told.insert(ObjectIdentifier(object)).inserted {
        delegate?.store(self, didChange: object)
      }
    }
    ChainRelease.release(&objects)
  }

  /// Reads the contents of clean objects again if their `prepareForDelete` may have changed them.
  ///
  /// An object keeps its current content if another store has changed its record, or if it cannot be read now.
  private func rereadContents(_ entries: [ObjectEntry]) {
    var objects: [ObjectIdentifier: [StoredObject]] = [:]
    for entry in entries where entry.isReread && !entry.object.state.isPending {
      if let table = entry.table, entry.object.table === table {
        objects[ObjectIdentifier(table), default: []].append(entry.object)
      }
    }
    for objects in objects.values {
      if let table = objects[0].table { rereadContents(objects, of: table) }
    }
  }

  private func rereadContents(_ objects: [StoredObject], of table: ClassTable) {
    var reader = makeReader()
    try? unsafe compare(objects, of: table) { object, record throws(StoreError) in
      guard let record = unsafe record, unsafe recordToken(record) == object.token else { return }
      try unsafe decode(object, of: table, record: record, reader: &reader)
    }
  }
}

// Noting states before changes, for savepoints that may have to undo them.
extension Store {
  /// Notes the current state of an object before its content is changed.
  @inline(__always)
  func noteChange(of object: StoredObject) {
    noteForSavepoint(object)
    noteForUndo(object)
  }

  /// Notes the current state of an object before the resolution of a conflict, which is no change to be undone.
  @inline(__always)
  func noteForSavepoint(_ object: StoredObject) {
    if savepointDepth > 0 { journal?.note(object, copiesContent: true) }
  }

  /// Notes the current state of a named buffer before it is changed.
  @inline(__always)
  func noteChange(ofBuffer name: String) {
    if savepointDepth > 0 { journal?.note(name, in: namedBuffers) }
  }

  /// Throws ``StoreError/Code/withinSavepoint`` within a savepoint, for an action that cannot be undone.
  func refuseWithinSavepoint(_ action: String) throws(StoreError) {
    guard savepointDepth > 0 else { return }
    throw StoreError(
      .withinSavepoint,
      "Cannot \(action) within a savepoint, or within a call that is undone if it fails, such as a delete: "
        + "do it afterwards.")
  }
}
