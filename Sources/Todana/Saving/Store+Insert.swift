extension Store {
  /// Inserts an object into the store; the next save writes it.
  ///
  /// If the object is in the store already, nothing changes. If its delete is pending, the delete is cancelled and the
  /// object is saved again.
  ///
  /// - Returns: The object's identity, which is permanent once the object is saved.
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownClass``, ``StoreError/Code/objectOfOtherStore``.
  /// - Complexity: O(1); row ids are reserved from the backend in blocks.
  @discardableResult
  public func insert<T: StoredObject>(_ object: T) throws(StoreError) -> ObjectID<T> {
    ObjectID(unchecked: try insertAny(object))
  }

  /// Inserts objects into the store, all or none.
  ///
  /// ```swift
  /// let ids = try store.insert(contentsOf: lines.map(Song.init(parsing:)))
  /// ```
  ///
  /// - Returns: The objects' identities, in the order of `objects`.
  /// - Throws: The errors of ``insert(_:)``. No object is in the store then that was not in it before.
  /// - Complexity: O(*n*)
  @inlinable
  @discardableResult
  public func insert<T: StoredObject>(contentsOf objects: some Sequence<T>) throws(StoreError) -> [ObjectID<T>] {
    var ids: [ObjectID<T>] = []
    ids.reserveCapacity(objects.underestimatedCount)
    try insertTogether { () throws(StoreError) -> Void in
      for object in objects { ids.append(ObjectID(unchecked: try insertAny(object))) }
    }
    return ids
  }

  @usableFromInline
  func insertTogether(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    try beginChange()
    try allOrNothing(body)
  }

  @usableFromInline
  func insertAny(_ object: StoredObject) throws(StoreError) -> AnyObjectID {
    try beginChange()
    if object.table != nil { return try reinsert(object) }
    return try insertAny(object, into: table(for: type(of: object)))
  }

  /// Inserts an object into its table.
  func insertAny(_ object: StoredObject, into table: ClassTable) throws(StoreError) -> AnyObjectID {
    if object.table != nil {
      guard object.table === table else {
        throw StoreError(
          .objectOfOtherStore, "The object is in another store or collection: insert a copy.", className: table.name)
      }
      return try reinsert(object)
    }
    if object.isFault {
      throw StoreError(.closed, "The object is a fault of a store that was closed; it has no content to insert.")
    }
    let rowID = try table.takeRowID()
    let classID = try table.resolveClassID()
    if savepointDepth > 0 { journal?.note(object, copiesContent: false) }
    let mark = hasUndoStack ? undoStack?.mark : nil
    noteForUndo(object)
    table.attach(object, at: rowID)
    object.token = 0
    table.pending.add(object, as: .inserted)
    adjustPendingCount(by: 1)
    if hasDelegate || table.hooks.contains(.willInsert) { try callWillInsert(of: object, in: table, since: mark) }
    return AnyObjectID(classID: classID, rowID: rowID)
  }

  /// Inserts an object that is in a store already; throws if that is another store.
  private func reinsert(_ object: StoredObject) throws(StoreError) -> AnyObjectID {
    let table = try table(of: object, to: "insert")
    if object.state.contains(.deleted) {
      noteChange(of: object)
      try vetoable { () throws -> Void in try callWillUpdate(of: object, in: table) }
      // The object may have been changed before the delete; writing it again is correct in either case.
      table.pending.change(object, to: .updated)
    }
    return AnyObjectID(classID: try table.resolveClassID(), rowID: object.rowID)
  }

  /// Returns the table of a class; the table used last is found without a search.
  @inline(__always)
  func table(for type: StoredObject.Type) throws(StoreError) -> ClassTable {
    if let table = lastTable, table.type == type, table.collection == nil {
      noteUse(of: table)
      return table
    }
    if registry[type] == nil { try registerAtFirstUse(type) }
    let table = try registry.table(for: type)
    lastTable = table
    noteUse(of: table)
    return table
  }
}
