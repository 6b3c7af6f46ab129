// Undoing and redoing changes.
extension Store {
  /// Runs a closure whose changes are undone together.
  ///
  /// Groups within groups join the outer one. If the closure throws, its changes stay pending, and form a level; use
  /// ``savepoint(_:)`` to take them back.
  ///
  /// - Parameters:
  ///   - name: The name of the group for people, such as "Rename".
  ///   - body: Makes the changes. It may save.
  /// - Returns: The result of the closure.
  /// - Throws: The errors of the closure.
  @discardableResult
  public func undoGroup<Result>(_ name: String? = nil, _ body: () throws -> Result) throws -> Result {
    let stack = undoStack
    stack?.beginGroup(name)
    defer { stack?.endGroup() }
    return try body()
  }

  /// Undoes the last level of the ``undoStack``: makes the opposite changes pending, which the next save writes.
  ///
  /// Does nothing if there is no level. Unsaved changes that belong to no group are a level, too.
  ///
  /// If another store has changed one of the objects since this store saved it, the next save throws ``SaveConflict``. If
  /// another object now has one of the unique values, the next save throws ``UniqueViolation``. ``redo()`` or
  /// ``discardChanges()`` then takes the undoing back.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/withinSavepoint`` within a savepoint or an ``undoGroup(_:_:)``; an
  ///   error of reading objects that are not loaded. Nothing is undone then.
  /// - Complexity: O(*n*) in the objects of the level.
  public func undo() throws {
    guard let stack = try stackForUndo("undo") else { return }
    stack.closeLevel()
    guard let level = stack.takeUndoLevel() else { return }
    try apply(level, of: stack, isRedo: false)
  }

  /// Makes the changes of the last level that was undone again; they are pending until the next save.
  ///
  /// Does nothing if there is no such level, or if the store was changed since it was undone.
  ///
  /// - Throws: The errors of ``undo()``.
  public func redo() throws {
    guard let stack = try stackForUndo("redo"), let level = stack.takeRedoLevel() else { return }
    try apply(level, of: stack, isRedo: true)
  }

  private func stackForUndo(_ action: String) throws(StoreError) -> UndoStack? {
    try beginChange()
    try refuseWithinSavepoint(action)
    guard let undoStack else { return nil }
    if undoStack.groupDepth > 0 {
      throw StoreError(.withinSavepoint, "Cannot \(action) within an undo group: do it afterwards.")
    }
    return undoStack
  }

  /// Restores the states of a level.
  private func apply(_ level: UndoLevel, of stack: UndoStack, isRedo: Bool) throws {
    let opposite = UndoLevel(name: level.name)
    do {
      try loadObjects(of: level)
      for buffer in level.buffers { opposite.note(try undoState(ofBuffer: buffer.name)) }
    } catch {
      stack.append(level, isRedo: isRedo)
      throw error
    }
    for entry in level.entries.reversed() { stack.note(entry.entry.object, in: opposite, saveCount: saveCount) }
    var objects: [StoredObject] = []
    ChainRelease.releasingReferences(of: level.entries.lazy.map(\.entry.object)) {
      // Deleted objects return first, so that the contents of others can refer to them.
      let steps = level.entries.reversed().map { step(for: $0) }
      for step in steps { if let object = restore(step, of: level, stack) { objects.append(object) } }
    }
    for buffer in level.buffers.reversed() { restore(buffer) }
    // An object that returns to its former state may show a record that another store has changed since.
    lastKnownCommit = 0
    stack.append(opposite, isRedo: !isRedo)
    stack.release(level)
    if hasDelegate { for object in objects { delegate?.store(self, didChange: object) } }
    ChainRelease.release(&objects)
  }

  /// Loads the faults among a level's objects, whose contents are needed to redo the changes.
  private func loadObjects(of level: UndoLevel) throws(StoreError) {
    let faults = level.entries.map(\.entry.object).filter { object in
      object.isFault && object.table?.store === self && !object.state.contains(.deleted)
    }
    // An object that another store has deleted makes the next save a conflict.
    var failure: StoreError?
    try load(faults, onDamage: .report { if $0.code != .rowNotFound { failure = failure ?? $0 } })
    if let failure { throw failure }
  }

  /// The restoration of one entry.
  private struct RestoringStep {
    let noted: UndoLevel.Entry
    /// Whether the object returns to exactly its former state, pending or not, as nothing was saved in between.
    let isExact: Bool
    /// Whether the object was in no store, and was entered again.
    var returns = false
  }

  /// Prepares the restoration of an entry: enters a deleted object in its row again.
  private func step(for noted: UndoLevel.Entry) -> RestoringStep {
    let entry = noted.entry
    let isExact = noted.saveCount == saveCount && isUnchanged(entry.object, since: entry)
    var step = RestoringStep(noted: noted, isExact: isExact)
    guard entry.object.table == nil, let table = entry.table else { return step }
    // A content that could not be read when the object was deleted does not return.
    if !isExact {
      if case .notCopied = entry.content { return step }
      if entry.state.contains(.deleted) { return step }
    }
    adjustPendingCount(by: place(entry.object, at: entry.rowID, of: table))
    step.returns = true
    return step
  }

  /// Restores an object to the state before a level.
  ///
  /// - Returns: The object that now has the state; nil if nothing changed.
  private func restore(_ step: RestoringStep, of level: UndoLevel, _ stack: UndoStack) -> StoredObject? {
    let noted = step.noted
    let entry = noted.entry
    let object = entry.object
    if step.isExact {
      adjustPendingCount(by: restore(entry) { level.restoreContent(of: noted, to: $0) })
      return object
    }
    guard let table = entry.table, !entry.state.contains(.deleted) else { return removeForUndo(noted, stack) }
    // A fault has no content that could be restored.
    if case .notCopied = entry.content { return nil }
    return restoreContent(of: step, level, in: table, token: stack.expectedToken(for: noted))
  }

  /// Returns whether no other store's record of an object was read since an entry.
  private func isUnchanged(_ object: StoredObject, since entry: ObjectEntry) -> Bool {
    if object.table == nil || entry.table == nil { return true }
    // A fault was not found when it was loaded.
    return object.token == entry.token && (!object.isFault || object.state.contains(.deleted))
  }

  /// Makes a change pending that gives an object the content of an entry.
  private func restoreContent(
    of step: RestoringStep, _ level: UndoLevel, in table: ClassTable, token: UInt64
  ) -> StoredObject {
    let entry = step.noted.entry
    var object = entry.object
    var returns = step.returns
    if object.table?.store !== self {
      // The object has been inserted into another store since.
      object = table.type.init()
      adjustPendingCount(by: place(object, at: entry.rowID, of: table))
      returns = true
    }
    if returns {
      object.token = 0
      object.state.remove(.fault)
      table.pending.add(object, as: .inserted)
      adjustPendingCount(by: 1)
    } else {
      if object.state.contains(.deleted) {
        table.pending.change(object, to: .updated)
      } else if !object.state.isPending {
        table.pending.add(object, as: .updated)
        adjustPendingCount(by: 1)
      }
      object.state.remove(.fault)
      if !object.state.contains(.inserted) { object.token = token }
    }
    level.restoreContent(of: step.noted, to: object)
    return object
  }

  /// Makes the delete of an object pending that was in no store, or deleted, before a level.
  private func removeForUndo(_ noted: UndoLevel.Entry, _ stack: UndoStack) -> StoredObject? {
    let object = noted.entry.object
    guard let table = object.table, table.store === self, !object.state.contains(.deleted) else { return nil }
    // Another store has deleted the object already.
    if object.isFault { return nil }
    if object.state.contains(.inserted) {
      forget(object, of: table)
      return object
    }
    let token = stack.expectedToken(for: noted)
    if object.state.contains(.updated) {
      table.pending.change(object, to: .deleted)
    } else {
      table.pending.add(object, as: .deleted)
      adjustPendingCount(by: 1)
    }
    object.token = token
    return object
  }

  // MARK: Named buffers

  /// Returns the state of a buffer, for undoing a change of it.
  private func undoState(ofBuffer name: String) throws -> UndoLevel.Buffer {
    // Reading the content notes the state of the record.
    let content: NamedBuffers.PendingBuffer? = try readNamedBuffer(name) { buffer in
      .put(content: try buffer.readRawBytes(count: buffer.remainingByteCount), version: buffer.version)
    }
    return UndoLevel.Buffer(
      name: name, pending: namedBuffers.pendingChange(of: name), expectation: namedBuffers.knownState(of: name),
      content: content ?? .remove, saveCount: saveCount)
  }

  private func restore(_ buffer: UndoLevel.Buffer) {
    if buffer.saveCount == saveCount {
      adjustPendingCount(by: namedBuffers.setPending(buffer.pending, for: buffer.name))
      namedBuffers.note(buffer.expectation, for: buffer.name)
    } else {
      // A buffer that does not exist need not be removed.
      let isAbsent =
        if case .remove = buffer.content { namedBuffers.knownState(of: buffer.name) == .absent } else { false }
      adjustPendingCount(by: namedBuffers.setPending(isAbsent ? nil : buffer.content, for: buffer.name))
    }
  }
}

// Noting changes for the undo stack.
extension Store {
  /// Notes the state of an object before a change, for undoing it.
  @inline(__always)
  func noteForUndo(_ object: StoredObject) {
    if hasUndoStack { undoStack?.note(object, saveCount: saveCount) }
  }

  /// Loads the faults among objects that are deleted, so that their contents can be restored.
  ///
  /// Those that cannot be read stay faults, and do not return.
  func loadForUndo(_ objects: some Sequence<StoredObject>) {
    // The policy leaves no error but those of the backend, which the delete itself meets.
    try? load(objects.filter(\.isFault), onDamage: .report { _ in })
  }

  /// Notes the state of a named buffer before a change, for undoing it.
  func noteForUndo(buffer name: String) throws {
    if let undoStack { undoStack.note(try undoState(ofBuffer: name)) }
  }
}
