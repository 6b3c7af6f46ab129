extension Store {
  /// Deletes objects with the next save by their identities, without loading them.
  ///
  /// Objects whose records cannot be read are deleted as well: a damaged record, one of a newer version of its class,
  /// one that `readContent` refuses. An identity without a row is ignored, as is one whose delete is pending. An insert
  /// that was never saved is forgotten.
  ///
  /// ```swift
  /// var unreadable: [AnyObjectID] = []
  /// _ = try store.fetch(Song.self, onDamage: .report { unreadable += [store.objectID(of: $0)].compactMap { $0 } })
  /// try store.delete(unreadable)
  /// try store.saveChanges()
  /// ```
  ///
  /// The rules of relationships hold (``Relationship``). ``StoredObject/prepareForDelete(in:)`` is **not** called for
  /// these objects, but for those that rules delete with them. An object that is in memory is otherwise treated as by
  /// ``delete(_:)``.
  ///
  /// The save removes any record that the row has at that time, so it conflicts with no change of another store. The
  /// exceptions are objects of classes with a rule for deletes of owners: the save expects the references that were
  /// followed.
  ///
  /// - Parameter ids: Identities of rows of this store's backend.
  /// - Returns: The number of these objects that are deleted by this call.
  /// - Throws: ``StoreError``: ``StoreError/Code/wrongClass``, ``StoreError/Code/unknownClass``,
  ///   ``StoreError/Code/deleteDenied``, ``StoreError/Code/vetoed`` for an error of a hook,
  ///   ``StoreError/Code/indexNotReady``, or the backend's error. After an error, nothing is deleted.
  /// - Complexity: O(*n*); no content is read. If a class has indexes, the save decodes the records to find their
  ///   entries. If it cannot decode one, it reads all entries of the class's indexes.
  @discardableResult
  public func delete<T: StoredObject>(_ ids: [ObjectID<T>]) throws(StoreError) -> Int {
    try beginChange()
    return try allOrNothing { () throws(StoreError) -> Int in try deleteRows(ids) }
  }

  /// Deletes objects of any class with the next save by their identities, without loading them.
  ///
  /// Unreadable records, pending changes and errors are treated as by ``delete(_:)-([ObjectID<T>])``.
  @discardableResult
  public func delete(_ ids: [AnyObjectID]) throws(StoreError) -> Int {
    try delete(ids.map { ObjectID<StoredObject>(unchecked: $0) })
  }

  /// Returns the identity of the object that an error of this store names by class and row; nil if it does not name
  /// both.
  public func objectID(of error: StoreError) -> AnyObjectID? {
    guard let className = error.className, let rowID = error.rowID,
      let classID = registry.tables.first(where: { $0.name.utf8.elementsEqual(className.utf8) })?.classID
    else { return nil }
    return AnyObjectID(classID: classID, rowID: rowID)
  }

  /// Makes the deletes of rows pending.
  ///
  /// - Parameters:
  ///   - ids: The identities of the rows.
  ///   - refusingReferrers: Whether any reference to one of the objects, by another one, forbids the delete.
  /// - Returns: The number of these rows whose delete was not pending.
  /// - Throws: The errors of ``delete(_:)-([ObjectID<T>])``.
  func deleteRows<T: StoredObject>(
    _ ids: [ObjectID<T>], refusingReferrers: Bool = false
  ) throws(StoreError) -> Int {
    try registerLateClasses()
    // Identities usually come grouped by class.
    var groups: [RowsToDelete] = []
    for id in ids {
      let table = try table(of: id)
      if groups.last?.table !== table { groups.append(RowsToDelete(table: table)) }
      groups[groups.count - 1].rowIDs.append(id.rowID)
    }
    if groups.contains(where: \.table.hasDeleteRules) {
      let objects = groups.flatMap { group in group.rowIDs.map { group.table.objectOrFault($0) } }
      let deletion = try Deletion(in: self, refusingReferrers: refusingReferrers)
      return try vetoable { () throws -> Int in try deletion.delete(objects, byID: true) }
    }
    var count = 0
    for group in groups { count += try delete(group.rowIDs, of: group.table) }
    return count
  }

  /// Rows of one class.
  private struct RowsToDelete {
    let table: ClassTable
    var rowIDs: [RowID] = []
  }

  private func delete(_ rowIDs: [RowID], of table: ClassTable) throws(StoreError) -> Int {
    var count = 0
    var saved: [RowID] = []
    for rowID in rowIDs {
      guard let object = table.identity[rowID], object.state.contains(.inserted) else {
        saved.append(rowID)
        continue
      }
      // If the object's own prepareForDelete made this call, the enclosing delete forgets the object afterwards.
      if object.state.contains(.deleting) { continue }
      try tellHooks(ofDeleting: object, of: table)
      guard object.state.contains(.inserted) else { continue }
      noteChange(of: object)
      forget(object, of: table)
      count += 1
    }
    guard !saved.isEmpty, let classID = try table.classIDForReading() else { return count }
    let chunk = RecordChunk(byteCapacity: 4096, recordLimit: 4096, leavesOutValues: true)
    var start = 0
    while start < saved.count {
      // Reads the newest state, against which the save is checked.
      try onRecords { sealing throws(BackendError) in
        try sealing.read(rows: saved.span.extracting(start..<saved.count), of: classID, into: chunk)
      }
      if chunk.slices.isEmpty {
        throw StoreError(.backend, "The backend returned no result for requested rows.")
      }
      if undoStack != nil {
        let found = chunk.slices.filter { $0.status != .absent }
        loadForUndo(found.map { table.objectOrFault($0.rowID) })
      }
      for (index, slice) in chunk.slices.enumerated() where slice.status != .absent {
        if try deleteRow(saved[start + index], of: table) { count += 1 }
      }
      start += chunk.slices.count
    }
    return count
  }

  /// Makes the delete of a row pending.
  ///
  /// - Returns: False if it is pending already, or if the delegate removed the object.
  private func deleteRow(_ rowID: RowID, of table: ClassTable) throws(StoreError) -> Bool {
    let object = table.objectOrFault(rowID)
    guard object.state.isDisjoint(with: [.deleted, .deleting]) else { return false }
    try tellHooks(ofDeleting: object, of: table)
    guard object.table === table, !object.state.contains(.deleted) else { return false }
    // A delete by identity does not change the content of a clean object.
    if savepointDepth > 0 { journal?.note(object, copiesContent: object.state.isPending) }
    noteForUndo(object)
    if object.state.contains(.updated) {
      table.pending.change(object, to: .deleted)
    } else {
      table.pending.add(object, as: .deleted)
      adjustPendingCount(by: 1)
    }
    table.pending.disregardRecord(of: object)
    return true
  }

  private func tellHooks(ofDeleting object: StoredObject, of table: ClassTable) throws(StoreError) {
    guard hasDelegate || table.hooks.contains(.willDelete) else { return }
    try vetoable { () throws -> Void in try callWillDelete(of: object, in: table) }
  }
}

// Saving deletes by identity.
extension Store {
  /// Stores the tokens of the current records of rows deleted by identity, so that their index entries are removed as
  /// well.
  ///
  /// - Returns: The rows without a known record, which are damaged or no longer exist. In a class without indexes, all
  ///   rows.
  func noteRecordsDeletedByID(of table: ClassTable) throws(StoreError) -> Set<RowID> {
    var unknown = table.pending.deletedByID
    guard !unknown.isEmpty, !table.indexes.isEmpty, let classID = table.classID else { return unknown }
    let objects = table.pending.objects.filter { unknown.contains($0.rowID) }
    try readNewestRows(objects.map(\.rowID), of: classID) { index, slice, chunk throws(StoreError) in
      let record = unsafe chunk.value(of: slice)
      guard slice.status == .found, record.count >= RecordEnvelope.trailerByteCount else { return }
      unknown.remove(slice.rowID)
      objects[index].token = unsafe recordToken(record)
    }
    return unknown
  }

  /// Returns whether a change deletes a row by its identity.
  func isOfDeleteByID(_ change: WriteBatch.Change) -> Bool {
    guard case .row(let rowID) = change.key, let table = registry[change.keyspace] else { return false }
    return table.pending.deletedByID.contains(rowID)
  }
}
