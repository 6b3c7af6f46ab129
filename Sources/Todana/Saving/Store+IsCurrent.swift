extension Store {
  /// Returns whether the content of an object in memory is the one that is saved now.
  ///
  /// It is not if the object has pending changes, or if another store has changed or deleted it. A fault has no content
  /// in memory, and is current if its row exists.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/notInserted``, ``StoreError/Code/objectOfOtherStore``,
  ///   ``StoreError/Code/damagedRecord``.
  /// - Complexity: One read of a record.
  public func isCurrent(_ object: StoredObject) throws(StoreError) -> Bool {
    try begin()
    let table = try table(of: object, to: "check")
    guard !object.state.isPending, let classID = try table.classIDForReading() else { return false }
    var isCurrent = false
    try readNewestRows([object.rowID], of: classID) { _, slice, chunk throws(StoreError) in
      guard slice.status != .absent else { return }
      guard slice.status == .found else { throw damaged(slice.rowID, table) }
      let token = unsafe recordToken(chunk.value(of: slice))
      isCurrent = object.isFault || token == object.token
    }
    return isCurrent
  }
}
