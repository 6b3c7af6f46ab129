// Saves that were refused because other stores have added or removed references.
extension Store {
  /// Returns whether a change checks the references to deleted objects, in an index that this save alone does not
  /// contradict.
  ///
  /// The entries may have changed while the save was encoded, together with those owners that it changes itself.
  func isOfReferences(_ change: WriteBatch.Change) -> Bool {
    guard relationship(ofTree: change.keyspace) != nil || isOfUnknownReferrers(change.keyspace) else { return false }
    return change.kind.isOfRange || change.kind == .remove
  }

  /// Returns the objects that a refused save deletes and to which another store has added references.
  func targetsOfUnseenReferences(
    in batch: borrowing WriteBatch, _ error: BackendError
  ) throws(StoreError) -> Set<AnyObjectID> {
    var found: Set<AnyObjectID> = []
    for position in error.conflicts {
      let change = batch.changes[position]
      guard change.kind.isOfRange, case .bytes(let key) = change.key else { continue }
      let bytes = unsafe batch.arena.bytes
      let (lower, upper) = unsafe (Array(bytes[key]), Array(bytes[change.value]))
      found.formUnion(try targets(from: lower, to: upper, inTree: change.keyspace))
    }
    return found
  }

  /// Returns the deleted objects within bounds to which owners refer that are not pending in this store.
  private func targets(
    from lower: [UInt8], to upper: [UInt8], inTree tree: KeyspaceID
  ) throws(StoreError) -> Set<AnyObjectID> {
    var targets: Set<AnyObjectID> = []
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    let relationship = relationship(ofTree: tree)
    let keys = relationship.map { [$0.key] } ?? [false, true].map { ReferenceKey(isOptional: $0) }
    try unsafe forEachKey(of: tree, from: lower, to: upper, in: snapshot) { bytes throws(StoreError) in
      for key in keys {
        guard let rows = unsafe key.rows(of: bytes) else { continue }
        if relationship?.owners.identity[rows.owner]?.state.isPending == true { continue }
        targets.insert(AnyObjectID(classID: unsafe key.classID(of: bytes), rowID: rows.target))
      }
    }
    return targets
  }

  private func relationship(ofTree tree: KeyspaceID) -> ClassRelationship? {
    for table in registry.tables {
      if let found = table.relationships.first(where: { $0.index.keyspace == tree }) { return found }
    }
    return nil
  }

  private func isOfUnknownReferrers(_ tree: KeyspaceID) -> Bool { unknownReferrers.contains { $0.tree == tree } }
}
