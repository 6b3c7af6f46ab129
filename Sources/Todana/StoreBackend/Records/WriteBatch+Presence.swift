extension WriteBatch {
  /// Requires that rows exist before the batch, none of which the batch changes.
  ///
  /// The changes that the batch has for the keyspace must be adjacent, and in order.
  ///
  /// - Parameters:
  ///   - rowIDs: The rows, in ascending order.
  ///   - keyspace: A keyspace of rows.
  /// - Complexity: O(*n*)
  mutating func appendPresenceChecks(of rowIDs: [RowID], in keyspace: KeyspaceID) {
    let checks = rowIDs.map { rowID in
      PackedChange(
        Change(keyspace: keyspace, kind: .check, expectation: .present, key: .row(rowID), value: 0..<0))
    }
    insertInOrder(checks, of: keyspace)
  }
}
