/// Which side of a conflict stands.
public enum ConflictResolution: Sendable {
  /// What this store has pending: the next save overwrites what the others did.
  case mine
  /// What the others saved: this store's change is dropped.
  case theirs
}

extension Store {
  /// Makes every loaded object without pending changes a fault whose record another store changed or deleted.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(1) if no other store has committed, else O(*n*) in the objects alive.
  public func refresh() throws(StoreError) {
    try begin()
    let commit = try snapshotForReading().commitNumber
    guard commit != lastKnownCommit else { return }
    for table in registry.tables where table.identity.count > 0 {
      let clean = table.identity.objects().filter { !$0.isFault && !$0.state.isPending }
      try refresh(clean, of: table)
    }
    lastKnownCommit = commit
  }

  /// Makes those of some loaded objects of one class faults whose record is another one now.
  func refresh(_ objects: [StoredObject], of table: ClassTable) throws(StoreError) {
    try unsafe compare(objects, of: table) { object, record throws(StoreError) in
      if let record = unsafe record, unsafe recordToken(record) == object.token { return }
      makeFault(object, of: table)
      if hasDelegate { delegate?.store(self, didChange: object) }
    }
  }

  /// Resolves conflicts for every pending update, delete and named buffer that another store's change stands against.
  ///
  /// Keeping `.mine`, the next save overwrites; an object that the others deleted is inserted again under its id.
  /// Keeping `.theirs`, the change is dropped and the object shows what was saved; where the others deleted it, it is a
  /// fault that cannot be loaded. Clean objects are refreshed too.
  ///
  /// - Throws: ``StoreError``; nothing is resolved then.
  public func refresh(keeping side: ConflictResolution) throws(StoreError) {
    try begin()
    try allOrNothing { () throws(StoreError) -> Void in
      for (object, table, record) in try conflictingObjects() {
        switch side {
        case .mine: keepMine(object, of: table, record: record)
        case .theirs: keepTheirs(object, of: table)
        }
      }
      try resolveBuffers(keeping: side)
      try refresh()
    }
  }

  /// Resolves conflicts of pending updates by a closure that merges.
  ///
  /// The closure gets the object with its pending changes, and another one, in no store, with what was saved
  /// meanwhile, nil where the object was deleted. It changes the first; what it leaves there is what the next save
  /// writes. Deletes and named buffers stay as ``refresh(keeping:)`` leaves them with `.mine`.
  ///
  /// - Throws: What the closure throws; ``StoreError``. Nothing is resolved then, and pending objects have their former
  ///   content.
  public func refresh(merging merge: (_ mine: StoredObject, _ theirs: StoredObject?) throws -> Void) throws {
    try begin()
    try allOrNothing { () throws -> Void in
      for (object, table, record) in try conflictingObjects() {
        noteChange(of: object)
        if object.state.contains(.updated) { try merge(object, try theirs(object, of: table, record: record)) }
        keepMine(object, of: table, record: record)
      }
      try resolveBuffers(keeping: .mine)
      try refresh()
    }
  }

  /// Pending updates and deletes whose record is not the one that was read, with the record that is there now.
  private func conflictingObjects() throws(StoreError) -> [(StoredObject, ClassTable, [UInt8]?)] {
    var found: [(StoredObject, ClassTable, [UInt8]?)] = []
    for table in registry.tables where !table.pending.isEmpty {
      // A delete by identity stands against no change.
      let changed = table.pending.objects.filter {
        !$0.state.contains(.inserted) && !table.pending.deletedByID.contains($0.rowID)
      }
      try unsafe compare(changed, of: table) { object, record throws(StoreError) in
        if let record = unsafe record {
          if unsafe recordToken(record) != object.token { unsafe found.append((object, table, Array(record))) }
        } else {
          found.append((object, table, nil))
        }
      }
    }
    return found
  }

  /// Reads the records of objects of one class; nil for one that is gone or damaged.
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
    noteChange(of: object)
    if let record {
      object.token = unsafe record.withUnsafeBytes { unsafe recordToken($0) }
    } else if object.state.contains(.deleted) {
      // Both deleted it: nothing is left to be saved.
      forget(object, of: table)
    } else {
      table.pending.change(object, to: .inserted)
    }
  }

  private func keepTheirs(_ object: StoredObject, of table: ClassTable) {
    noteChange(of: object)
    table.pending.remove(object)
    adjustPendingCount(by: -1)
    object.state.insert(.fault)
    reload([object], of: table)
    if hasDelegate { delegate?.store(self, didChange: object) }
  }

  /// An object in no store with the content of a record.
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

  /// Resolves pending named buffers that were read before others changed them.
  private func resolveBuffers(keeping side: ConflictResolution) throws(StoreError) {
    for (name, change) in namedBuffers.pending {
      let name = name.string
      let known = namedBuffers.expectation(of: name)
      let saved = try savedState(ofBuffer: name)
      guard known != .anything, saved != known else { continue }
      noteChange(ofBuffer: name)
      namedBuffers.note(saved, for: name)
      if case .remove = change, saved == .absent {
        // Both removed it.
        adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
      } else if side == .theirs {
        adjustPendingCount(by: namedBuffers.setPending(nil, for: name))
      }
    }
  }
}
