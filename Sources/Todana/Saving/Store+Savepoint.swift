// Changes that are made whole or not at all.
extension Store {
  /// Runs a closure; if it throws, everything that it changed in the store is as it was before.
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
  /// - Pending inserts, updates, deletes and named buffers are those from before. An object that was inserted within is
  ///   in no store again, one that was deleted is back.
  /// - Each object whose change was announced, by ``update(_:_:)`` or ``StoredObject/willUpdate()``, has its former
  ///   content, also if it was pending already. An object that a `prepareForDelete` changed and that was not pending is
  ///   read again. The delegate hears `didChange` of all of them.
  /// - A fault that was loaded stays loaded. What another store saved since is not taken back.
  ///
  /// **A change that nobody announced cannot be noticed**: within a savepoint announce changes of pending objects, too.
  /// An object whose content is over 1 GiB, or otherwise nothing that `writeContent` may write, keeps what the closure
  /// left.
  ///
  /// Within the closure ``discardChanges()`` and ``refresh()`` are taken back as other changes are. A save cannot be
  /// taken back: ``saveChanges(durability:)`` throws ``StoreError/Code/withinSavepoint`` there. So do named buffers that
  /// are written immediately, upgrades of records, ``close(discarding:)`` and ``reopen()``.
  ///
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``StoreError``: also an error that the closure left to be thrown by the next
  ///   call, such as that of a ``Loaded`` property that could not be read.
  /// - Complexity: O(*n*) in what is changed within, whatever else is pending or alive.
  @discardableResult
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try beginChange()
    return try allOrNothing { () throws -> Result in
      let result = try body()
      try begin()
      return result
    }
  }

  /// Runs a closure; if it throws, what it changed in the store is taken back.
  func allOrNothing<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let journal = openJournal()
    do throws(Failure) {
      let result = try body()
      savepointDepth -= 1
      journal.close()
      return result
    } catch {
      savepointDepth -= 1
      takeBack(journal)
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

  /// Makes everything again what it was when the innermost savepoint was opened.
  private func takeBack(_ journal: ChangeJournal) {
    let changes = journal.takeChanges()
    var difference = 0
    for entry in changes.objects.reversed() {
      difference += restore(entry) { journal.restoreContent(entry, to: $0) }
    }
    for entry in changes.buffers.reversed() {
      difference += namedBuffers.setPending(entry.change, for: entry.name)
      namedBuffers.note(entry.expectation, for: entry.name)
    }
    rereadContents(changes.objects)
    // What was refreshed within shows what it showed before.
    lastKnownCommit = min(lastKnownCommit, changes.lastKnownCommit)
    journal.finish(changes)
    adjustPendingCount(by: difference)
    guard hasDelegate else { return }
    var told: Set<ObjectIdentifier> = []
    for entry in changes.objects where told.insert(ObjectIdentifier(entry.object)).inserted {
      delegate?.store(self, didChange: entry.object)
    }
  }

  /// Reads the contents of clean objects again whose `prepareForDelete` may have changed them.
  ///
  /// An object whose record another store has changed, or that cannot be read now, keeps what it shows.
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

// Noting changes, for savepoints that may have to take them back.
extension Store {
  /// Notes what an object is, before its content is changed.
  @inline(__always)
  func noteChange(of object: StoredObject) {
    if savepointDepth > 0 { journal?.note(object, copiesContent: true) }
  }

  /// Notes what a named buffer is, before it is changed.
  @inline(__always)
  func noteChange(ofBuffer name: String) {
    if savepointDepth > 0 { journal?.note(name, in: namedBuffers) }
  }

  /// Refuses what cannot be taken back.
  func refuseWithinSavepoint(_ action: String) throws(StoreError) {
    guard savepointDepth > 0 else { return }
    throw StoreError(
      .withinSavepoint,
      "Cannot \(action) within a savepoint, or within a call that is taken back if it fails, such as a delete: "
        + "do so after it.")
  }
}
