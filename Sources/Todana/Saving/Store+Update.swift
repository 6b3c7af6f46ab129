extension Store {
  /// Changes an object: loads it if it is a fault, announces the change, and runs the closure.
  ///
  /// ```swift
  /// try store.update(song) { $0.seconds = 337 }
  /// ```
  ///
  /// If the closure throws, the content from before the call is restored, and the object is pending only if it was
  /// pending before. The content is everything that `writeContent` writes. No copy of it is made for a closure that
  /// cannot throw. Changes of other objects are not undone; ``savepoint(_:)`` undoes all.
  ///
  /// Changes of an object whose delete is pending are lost with it.
  ///
  /// The closure may save or discard changes. After such a closure, whether it throws or not, the object is pending if
  /// its content differs from its saved content.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: Errors of the closure; ``StoreError`` if the object is in no store or another, or cannot be loaded, or if
  ///   the closure read a ``Loaded`` property that cannot be loaded. In the last case, changes of a closure that cannot
  ///   throw stay pending.
  @discardableResult
  public func update<T: StoredObject, Result, Failure: Error>(
    _ object: T, _ change: (T) throws(Failure) -> Result
  ) throws -> Result {
    try beginChange()
    let table = try table(of: object, to: "update")
    try load(object)
    if Failure.self == Never.self {
      // The closure cannot throw, so no copy is needed to restore the content.
      try announceChange(of: object)
      let result = try self.change(object, of: table, change)
      try end()
      return result
    }
    // The closure may update other objects, so the spare copies are taken, not shared.
    let copies = spareCopies.take() ?? ContentCopies()
    defer {
      copies.removeAll()
      spareCopies = copies
    }
    let entry = ObjectEntry(object, content: copies.take(of: object).map { .copied($0) } ?? .unwritable)
    let saveCount = saveCount
    let mark = hasUndoStack ? undoStack?.mark : nil
    do {
      try announceChange(of: object)
      let result = try self.change(object, of: table, change)
      try end()
      return result
    } catch {
      takeBack(entry, copies, isSaved: saveCount != self.saveCount)
      if let mark, saveCount == self.saveCount { undoStack?.removeChange(of: object, since: mark) }
      if hasDelegate { delegate?.store(self, didChange: object) }
      throw error
    }
  }

  /// Changes an object as ``update(_:_:)`` does, within a savepoint that restores the content if the closure throws.
  func updateWithinSavepoint<T: StoredObject>(_ object: T, _ change: (T) throws -> Void) throws {
    try beginChange()
    let table = try table(of: object, to: "update")
    try load(object)
    try announceChange(of: object)
    try self.change(object, of: table, change)
    try end()
  }

  /// Runs the closure that makes an announced change.
  @inline(__always)
  private func change<T: StoredObject, Result, Failure: Error>(
    _ object: T, of table: ClassTable, _ change: (T) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try change(object)
    if !object.state.isPending || unresolvedSave != nil { announceUnsavedContent(of: object, in: table) }
    return result
  }

  /// Makes an object pending again if a closure changed it after saving it or discarding its changes.
  @inline(never)
  private func announceUnsavedContent(of object: StoredObject, in table: ClassTable) {
    guard object.table === table, !object.isFault else { return }
    // While the outcome of a save is unknown after a failed flush, its objects stay pending. The object may have been
    // changed after that save, so the change is announced.
    if unresolvedSave != nil || !showsSavedContent(object, of: table) { willUpdate(object) }
  }

  /// Returns whether an object that is not pending has the content of its record; false if that cannot be determined.
  private func showsSavedContent(_ object: StoredObject, of table: ClassTable) -> Bool {
    guard !isClosed, let classID = table.classID else { return false }
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: self)
    buffer.beginRecord(version: table.version, headerByteCount: 0)
    object.writeContent(to: &buffer)
    guard buffer.firstError == nil else { return false }
    _ = buffer.endRecord(trailerByteCount: 0)
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    do throws(StoreError) {
      try read(rows: CollectionOfOne(object.rowID).span, of: classID, into: chunk)
      guard let slice = chunk.slices.first, slice.status == .found else { return false }
      let record = unsafe try open(chunk.value(of: slice), rowID: object.rowID, of: table)
      return unsafe record.version == table.version && record.token == object.token
        && record.content.elementsEqual(arena.bytes)
    } catch {
      // At worst the object is saved once more than necessary.
      return false
    }
  }

  /// Restores an object after its closure threw.
  ///
  /// If the object was saved within the closure, it is pending unless its restored content is the saved content.
  private func takeBack(_ entry: ObjectEntry, _ copies: ContentCopies, isSaved: Bool) {
    let object = entry.object
    let restoreContent = { (object: StoredObject) in
      guard case .copied(let copy) = entry.content else { return }
      ChainRelease.releasingReferences(of: [object]) { copies.restore(copy, to: object) }
    }
    let isInPlace = object.table === entry.table && object.rowID == entry.rowID
    let isUnresolved = isInPlace && unresolvedSave != nil
    if !isUnresolved, !isSaved || (isInPlace && object.token == entry.token) {
      return adjustPendingCount(by: restore(entry, restoreContent))
    }
    restoreContent(object)
    guard isInPlace, let table = entry.table else { return }
    if object.isFault { object.state.remove(.fault) }
    if !object.state.isPending || isUnresolved { announceUnsavedContent(of: object, in: table) }
  }

  /// Announces that an object's content is about to change, so that the next save writes it.
  ///
  /// ``StoredObject/willUpdate()`` says more. Does nothing for an object that is not in this store.
  public func willUpdate(_ object: StoredObject) {
    do throws(StoreError) {
      try vetoable { () throws -> Void in try announceChange(of: object) }
    } catch {
      deferredError = deferredError ?? error
    }
  }

  /// Announces a change as ``willUpdate(_:)`` does.
  ///
  /// - Throws: The error of a hook that refuses the change; the object is not pending then.
  @inline(__always)
  func announceChange(of object: StoredObject) throws {
    guard let table = object.table, table.store === self, !isClosed else { return }
    let isFirst = !object.state.isPending && !isSaving
    if isFirst, hasDelegate || table.hooks.contains(.willUpdate) { try callWillUpdate(of: object, in: table) }
    if !isSaving { noteChange(of: object) }
    if unresolvedSave != nil { object.state.insert(.changedAgain) }
    guard !object.state.isPending else { return }
    if isSaving {
      deferredError =
        deferredError
        ?? StoreError(
          .reentrant, "The store is being saved; writeContent must not change stored objects.",
          className: table.name, rowID: object.rowID)
      return
    }
    table.pending.add(object, as: .updated)
    adjustPendingCount(by: 1)
  }
}
