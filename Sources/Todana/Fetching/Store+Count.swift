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
  /// - Complexity: O(1); the backend keeps the number.
  public func count(
    _ type: StoredObject.Type, includingSubclasses: Bool = false, includingPending: Bool = true
  ) throws(StoreError) -> Int {
    try begin()
    let tables = try tables(for: type, includingSubclasses: includingSubclasses)
    if tables.count == 1 { return try count(of: tables, includingPending: includingPending) }
    return try readingOneState { () throws(StoreError) in try count(of: tables, includingPending: includingPending) }
  }

  /// Returns the number of objects of some classes.
  func count(of tables: [ClassTable], includingPending: Bool) throws(StoreError) -> Int {
    var count = 0
    for table in tables {
      if let classID = try table.classIDForReading() {
        count += try savedCount(of: classID)
      }
      if includingPending { count += table.pending.insertCount - table.pending.deleteCount }
    }
    return count
  }
}
