extension Store {
  /// Returns the number of objects of a class.
  ///
  /// Counts the saved rows without reading them, including those whose records cannot be read (``DamagePolicy``).
  ///
  /// - Parameters:
  ///   - type: The class; objects of its subclasses are not counted by default.
  ///   - includingSubclasses: Whether objects of registered subclasses are counted as well.
  ///   - includingPending: Whether objects with pending inserts are counted and objects with pending deletes are not.
  /// - Returns: The number.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(1), as the backend keeps the number. If another store may have deleted the objects as well, O(*d*)
  ///   in the pending deletes.
  public func count(
    _ type: StoredObject.Type, includingSubclasses: Bool = false, includingPending: Bool = true
  ) throws(StoreError) -> Int {
    try begin()
    return try countAll(
      of: tables(for: type, includingSubclasses: includingSubclasses), includingPending: includingPending)
  }

  /// Returns the number of objects of some classes in one state.
  func countAll(of tables: [ClassTable], includingPending: Bool) throws(StoreError) -> Int {
    if tables.count == 1 { return try count(of: tables, includingPending: includingPending) }
    return try readingOneState { () throws(StoreError) in try count(of: tables, includingPending: includingPending) }
  }

  /// Returns the number of objects of some classes.
  func count(of tables: [ClassTable], includingPending: Bool) throws(StoreError) -> Int {
    var count = 0
    for table in tables {
      if let classID = try table.classIDForReading() {
        count += try savedCount(of: classID)
        if includingPending { count -= try existingDeleteCount(of: table, classID) }
      }
      if includingPending { count += table.pending.insertCount }
    }
    return count
  }

  /// Returns the number of pending deletes of rows that exist.
  private func existingDeleteCount(of table: ClassTable, _ classID: KeyspaceID) throws(StoreError) -> Int {
    guard table.pending.deleteCount > 0 else { return 0 }
    if try snapshotForReading().commitNumber == lastKnownCommit {
      return table.pending.deleteCount
        - table.absentPending.count { table.identity[$0]?.state.contains(.deleted) == true }
    }
    let absent = try absentPending(of: table, classID) { $0.contains(.deleted) }
    return table.pending.deleteCount - absent.count
  }

  /// Returns the rows of pending objects, of those with certain states, that another store has deleted.
  func absentPending(
    of table: ClassTable, _ classID: KeyspaceID, _ isWanted: (ObjectState) -> Bool
  ) throws(StoreError) -> Set<RowID> {
    let rowIDs = table.pending.objects.filter { isWanted($0.state) }.map(\.rowID)
    if rowIDs.isEmpty { return [] }
    let chunk = RecordChunk(byteCapacity: 4096, recordLimit: 4096, leavesOutValues: true)
    var absent: Set<RowID> = []
    var start = 0
    while start < rowIDs.count {
      try read(rows: rowIDs.span.extracting(start..<rowIDs.count), of: classID, into: chunk)
      if chunk.slices.isEmpty { throw StoreError(.backend, "The backend returned no result for requested rows.") }
      for slice in chunk.slices where slice.status == .absent { absent.insert(slice.rowID) }
      start += chunk.slices.count
    }
    return absent
  }
}
