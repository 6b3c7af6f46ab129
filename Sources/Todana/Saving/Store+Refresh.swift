/// The side of a conflict that is kept.
public enum ConflictResolution: Sendable {
  /// The changes that are pending in this store: the next save overwrites the other stores' changes.
  case mine
  /// The changes that other stores saved: this store's change is dropped.
  case theirs
}

extension Store {
  /// Turns loaded objects whose records another store has changed or deleted into faults, unless they have pending
  /// changes.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(1) if no other store has committed, else O(*n*) in the objects alive.
  public func refresh() throws(StoreError) {
    try begin()
    let commit = try snapshotForReading().commitNumber
    guard commit != lastKnownCommit else { return }
    // All objects are kept alive, so that releasing a content releases no other.
    var objects: [StoredObject] = []
    defer { ChainRelease.release(&objects) }
    for table in registry.tables { table.absentPending = [] }
    for table in registry.tables where table.identity.count > 0 {
      let clean = table.identity.objects().filter { !$0.isFault && !$0.state.isPending }
      objects += clean
      try refresh(clean, of: table)
      guard let classID = table.classID else { continue }
      table.absentPending = try absentPending(of: table, classID) { !$0.contains(.inserted) }
    }
    lastKnownCommit = commit
  }

  /// Turns the given loaded objects of one class into faults if their records have changed.
  func refresh(_ objects: [StoredObject], of table: ClassTable) throws(StoreError) {
    try unsafe compare(objects, of: table) { object, record throws(StoreError) in
      if let record = unsafe record, unsafe recordToken(record) == object.token { return }
      makeFault(object, of: table)
      if hasDelegate { delegate?.store(self, didChange: object) }
    }
  }

  /// Resolves conflicts between other stores' changes and all pending updates, deletes and named buffers.
  ///
  /// With `.mine`, the next save overwrites the other stores' changes. An object that another store deleted is inserted
  /// again under its id.
  ///
  /// With `.theirs`, the pending change is dropped and the object gets its saved content. If another store deleted the
  /// object, it is a fault that cannot be loaded.
  ///
  /// The rules of relationships (``Relationship``) hold for references between an object that one store deleted and an
  /// object that the other one changed. With `.theirs`, an object to which another store has added a reference stays.
  ///
  /// Objects without pending changes are refreshed too.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/deleteDenied`` if a rule allows neither side. After an error, no conflict
  ///   is resolved.
  public func refresh(keeping side: ConflictResolution) throws(StoreError) {
    try begin()
    try allOrNothing { () throws(StoreError) -> Void in
      for (object, table, record) in try conflictingObjects() {
        switch side {
        case .mine: keepMine(object, of: table, record: record)
        case .theirs: keepTheirs(object, of: table)
        }
      }
      try vetoable { () throws -> Void in try resolveReferences(keeping: side) }
      try resolveBuffers(keeping: side)
      try refresh()
    }
  }

  /// Resolves conflicts of pending updates by a closure that merges.
  ///
  /// The closure receives the object with its pending changes, and a second object, in no store, with the content that
  /// another store saved. The second one is nil if the object was deleted. The closure changes the first object, which
  /// the next save then writes. Deletes and named buffers are resolved as ``refresh(keeping:)`` does with `.mine`.
  ///
  /// - Throws: Errors of the closure; ``StoreError``. Nothing is resolved then, and pending objects have their former
  ///   content.
  public func refresh(merging merge: (_ mine: StoredObject, _ theirs: StoredObject?) throws -> Void) throws {
    try begin()
    try allOrNothing { () throws -> Void in
      for (object, table, record) in try conflictingObjects() {
        noteForSavepoint(object)
        if object.state.contains(.updated) { try merge(object, try theirs(object, of: table, record: record)) }
        keepMine(object, of: table, record: record)
      }
      try resolveReferences(keeping: .mine)
      try resolveBuffers(keeping: .mine)
      try refresh()
    }
  }

  /// Gives an object the newest saved content, with which a closure merges a pending update.
  ///
  /// A fault is loaded. A pending insert or delete stays as it is.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - merge: Receives an object in no store with the saved content, if another store has changed it.
  /// - Throws: Errors of the closure; ``StoreError``: ``StoreError/Code/rowNotFound``. Nothing has changed then.
  package func refresh(_ object: StoredObject, merging merge: (_ theirs: StoredObject) throws -> Void) throws {
    try begin()
    let table = try table(of: object, to: "refresh")
    if object.isFault { return try load(object) }
    guard object.state.isDisjoint(with: [.inserted, .deleted]) else { return }
    try allOrNothing { () throws -> Void in
      var record: [UInt8]?
      try unsafe compare([object], of: table) { _, bytes throws(StoreError) in
        if let bytes = unsafe bytes { record = unsafe Array(bytes) }
      }
      guard object.state.isPending else {
        if let record, unsafe record.withUnsafeBytes({ unsafe recordToken($0) }) == object.token { return }
        makeFault(object, of: table)
        try load(object)
        if hasDelegate { delegate?.store(self, didChange: object) }
        return
      }
      guard let record, let theirs = try theirs(object, of: table, record: record) else {
        throw StoreError(
          .rowNotFound, "Another store has deleted the object: discard its changes, or call refresh(keeping:).",
          className: table.name, rowID: object.rowID)
      }
      guard unsafe record.withUnsafeBytes({ unsafe recordToken($0) }) != object.token else { return }
      noteForSavepoint(object)
      try merge(theirs)
      keepMine(object, of: table, record: record)
    }
  }

  /// Returns the pending updates and deletes whose record has changed since it was read, with the current record or
  /// nil.
  private func conflictingObjects() throws(StoreError) -> [(StoredObject, ClassTable, [UInt8]?)] {
    var found: [(StoredObject, ClassTable, [UInt8]?)] = []
    for table in registry.tables where !table.pending.isEmpty {
      // A delete by identity conflicts with no change. An insert does if it is one that was undone or made again.
      let changed = table.pending.objects.filter { !table.pending.deletedByID.contains($0.rowID) }
      try unsafe compare(changed, of: table) { object, record throws(StoreError) in
        if let record = unsafe record {
          if unsafe object.state.contains(.inserted) || recordToken(record) != object.token {
            unsafe found.append((object, table, Array(record)))
          }
        } else if !object.state.contains(.inserted) {
          found.append((object, table, nil))
        }
      }
    }
    return found
  }

  /// Reads the records of objects of one class, and passes each object with its record to a closure.
  ///
  /// The record is nil if it is gone or damaged.
  func compare(
    _ objects: [StoredObject], of table: ClassTable,
    _ body: (StoredObject, UnsafeRawBufferPointer?) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !objects.isEmpty, let classID = try table.classIDForReading() else { return }
    try readRows(objects.map(\.rowID), of: classID) { index, slice, chunk throws(StoreError) in
      try unsafe body(objects[index], slice.status == .found ? chunk.value(of: slice) : nil)
    }
  }

  private func keepMine(_ object: StoredObject, of table: ClassTable, record: [UInt8]?) {
    noteForSavepoint(object)
    if let record {
      if object.state.contains(.inserted) { table.pending.change(object, to: .updated) }
      object.token = unsafe record.withUnsafeBytes { unsafe recordToken($0) }
      undoStack?.noteSave(of: object)
    } else if object.state.contains(.deleted) {
      // Both stores deleted the object, so there is nothing to save.
      forget(object, of: table)
    } else {
      table.pending.change(object, to: .inserted)
    }
  }

  func keepTheirs(_ object: StoredObject, of table: ClassTable) {
    noteForSavepoint(object)
    table.pending.remove(object)
    adjustPendingCount(by: -1)
    object.state.insert(.fault)
    reload([object], of: table)
    if hasDelegate { delegate?.store(self, didChange: object) }
  }

  /// Returns an object in no store with the content of a record; nil if there is no record.
  private func theirs(
    _ object: StoredObject, of table: ClassTable, record: [UInt8]?
  ) throws(StoreError) -> StoredObject? {
    guard let record else { return nil }
    let bytes = ByteArena(capacity: record.count)
    _ = unsafe record.withUnsafeBytes { unsafe bytes.append($0) }
    let copy = table.type.init()
    try unsafe decodeDetached(copy, rowID: object.rowID, of: table, record: bytes.bytes)
    return copy
  }

  /// Resolves conflicts of pending named buffers that other stores changed since they were read.
  private func resolveBuffers(keeping side: ConflictResolution) throws(StoreError) {
    for (name, change) in namedBuffers.pending {
      let name = name.string
      let known = namedBuffers.expectation(of: NamedBuffers.Name(string: name))
      let saved = try savedState(ofBuffer: name)
      guard known != .anything, saved != known else { continue }
      noteChange(ofBuffer: name)
      namedBuffers.note(saved, for: name)
      if case .remove = change, saved == .absent {
        // Both stores removed the buffer.
        adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
      } else if side == .theirs {
        adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
      }
    }
  }
}
