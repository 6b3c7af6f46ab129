// Conflicts between references that one store has added, and deletes by another.
extension Store {
  /// Resolves the conflicts of all references of relationships between pending objects and those of other stores.
  ///
  /// - Throws: Errors of hooks; ``StoreError/Code/deleteDenied`` if a rule allows neither side.
  func resolveReferences(keeping side: ConflictResolution) throws {
    guard registry.tables.contains(where: { !$0.relationships.isEmpty }) else { return }
    // The resolution of a conflict is no change to be undone.
    undoStack?.isPaused = true
    defer { undoStack?.isPaused = false }
    try resolveDeletes(keeping: side)
    try resolveAbsentTargets(keeping: side)
  }

  /// Resolves pending deletes of objects to which another store has added references, or to which objects refer that were
  /// changed since.
  private func resolveDeletes(keeping side: ConflictResolution) throws {
    var targets: [StoredObject] = []
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    for table in registry.tables where table.pending.deleteCount > 0 {
      guard let classID = table.classID else { continue }
      let deleted = table.pending.objects.filter { $0.state.contains(.deleted) }.map(\.rowID).sorted()
      var found: Set<RowID> = []
      for relationship in table.incoming where relationship.isRuledByTargets {
        let owners = relationship.owners
        try forEachReference(of: relationship, to: deleted, classID, in: snapshot) { owner, target throws(StoreError) in
          if owners.identity[owner]?.state.isPending != true { found.insert(target) }
        }
      }
      for relationship in table.incoming where relationship.isRuledByTargets {
        for owner in relationship.owners.pending.objects where !owner.state.contains(.deleted) && !owner.isFault {
          relationship.declaration.forEachTarget(owner) { target in
            let object = target.classID == classID ? table.identity[target.rowID] : nil
            if object?.state.contains(.deleted) == true { found.insert(target.rowID) }
          }
        }
      }
      targets += found.sorted().compactMap { table.identity[$0] }
    }
    if targets.isEmpty { return }
    switch side {
    case .mine: try Deletion(in: self).obeyRules(forDeleted: targets)
    case .theirs:
      for target in targets { if let table = target.table { keepTheirs(target, of: table) } }
    }
  }

  /// Resolves references of pending owners to objects that another store has deleted.
  private func resolveAbsentTargets(keeping side: ConflictResolution) throws {
    for table in registry.tables where !table.pending.isEmpty {
      for relationship in table.relationships where relationship.isRuledByTargets {
        let owners = table.pending.objects.filter { !$0.state.contains(.deleted) && !$0.isFault }
        let absent = try absentTargets(of: relationship, owners)
        if absent.isEmpty { continue }
        for owner in owners {
          var targets: Set<AnyObjectID> = []
          relationship.declaration.forEachTarget(owner) { if absent.contains($0) { targets.insert($0) } }
          if !targets.isEmpty { try resolve(relationship, of: owner, absent: targets, keeping: side) }
        }
      }
    }
  }

  /// Returns the targets of pending owners that do not exist, and that this store does not insert.
  private func absentTargets(
    of relationship: ClassRelationship, _ owners: [StoredObject]
  ) throws(StoreError) -> Set<AnyObjectID> {
    var rows: [KeyspaceID: Set<RowID>] = [:]
    for owner in owners {
      relationship.declaration.forEachTarget(owner) { id in
        if registry[id.classID]?.identity[id.rowID]?.state.contains(.inserted) == true { return }
        rows[id.classID, default: []].insert(id.rowID)
      }
    }
    var absent: Set<AnyObjectID> = []
    for (classID, rowIDs) in rows {
      try readNewestRows(rowIDs.sorted(), of: classID) { _, slice, _ throws(StoreError) in
        if slice.status == .absent { absent.insert(AnyObjectID(classID: classID, rowID: slice.rowID)) }
      }
    }
    return absent
  }

  private func resolve(
    _ relationship: ClassRelationship, of owner: StoredObject, absent targets: Set<AnyObjectID>,
    keeping side: ConflictResolution
  ) throws {
    switch relationship.declaration.onTargetDelete {
    case .keep: break
    case .nullify:
      noteForSavepoint(owner)
      relationship.declaration.removeTargets?(owner) { targets.contains($0) }
    case .cascade: try delete(owner)
    case .deny:
      if side == .theirs, owner.state.contains(.updated), let table = owner.table {
        return keepTheirs(owner, of: table)
      }
      for target in targets {
        guard side == .mine, let table = registry[target.classID], let object = table.identity[target.rowID],
          !object.isFault, !object.state.isPending
        else { throw denial(of: target, relationship, owner) }
        // The object is inserted again under its id, as one with pending changes is.
        noteForSavepoint(object)
        table.pending.add(object, as: .inserted)
        adjustPendingCount(by: 1)
      }
    }
  }

  private func denial(
    of target: AnyObjectID, _ relationship: ClassRelationship, _ owner: StoredObject
  ) -> StoreError {
    StoreError(
      .deleteDenied,
      "Another store has deleted an object to which \"\(relationship.name)\" of a changed object refers. Change the "
        + "reference, or discard the change.",
      className: relationship.owners.name, rowID: owner.rowID, objectIDs: [target])
  }
}
