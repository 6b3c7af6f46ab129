extension Store {
  /// Deletes all objects of a class with the next save, without loading them.
  ///
  /// Inserts that were never saved are forgotten. Objects are deleted as by ``delete(_:)-([ObjectID<T>])``:
  /// ``StoredObject/prepareForDelete(in:)`` is **not** called. The objects that a relationship refers to can be deleted
  /// only if no other objects refer to them: no reference is removed. To remove a class that the program no longer has, use
  /// ``dropClass(named:)``.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - includingSubclasses: Whether the objects of registered subclasses are deleted, too.
  /// - Returns: The number of objects that are deleted by this call.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/damagedRecord`` if a part of the class's file in which records
  ///   may be is unreadable. Nothing is deleted then.
  /// - Complexity: O(*n*); no content is read.
  @discardableResult
  public func removeAll<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false
  ) throws(StoreError) -> Int {
    try beginChange()
    let tables = try tables(for: type, includingSubclasses: includingSubclasses)
    var ids: [AnyObjectID] = []
    for table in tables {
      guard let classID = try table.classIDForReading() else { continue }
      for object in table.pending.objects where object.state.contains(.inserted) {
        ids.append(AnyObjectID(classID: classID, rowID: object.rowID))
      }
      let chunk = takeChunk()
      defer { giveBack(chunk) }
      let scan = try scan(classID)
      while try next(of: scan, into: chunk) {
        for slice in chunk.slices {
          // Row 0 stands for damage that affects an unknown row.
          if slice.rowID == 0 { throw damaged(0, table) }
          ids.append(AnyObjectID(classID: classID, rowID: slice.rowID))
        }
      }
    }
    let all = ids
    return try allOrNothing { () throws(StoreError) -> Int in
      try deleteRows(all.map { ObjectID<StoredObject>(unchecked: $0) }, refusingReferrers: true)
    }
  }
}
