// The search for the owners of references to objects that are deleted.
extension Deletion {
  /// Finds the owners of references to some items, saved or pending.
  func findReferrers(of range: Range<Int>) throws(StoreError) {
    var next = range.lowerBound
    while next < range.upperBound {
      let first = next
      guard let table = items[first].object.table else {
        next += 1
        continue
      }
      // The items of one class.
      while next < range.upperBound, let other = items[next].object.table, other === table { next += 1 }
      // A slice would make each addition of an item copy all of them.
      let objects = items[first..<next].filter { !$0.isGone }.map(\.object)
      try findReferrers(of: objects, in: table)
    }
  }

  /// Finds the owners of references to objects of one class.
  private func findReferrers(of objects: [StoredObject], in table: ClassTable) throws(StoreError) {
    guard let classID = table.classID, table.hasDeleteRules else { return }
    // Nothing that is saved refers to an object that is not.
    var rowIDs = objects.filter { !$0.state.contains(.inserted) }.map(\.rowID)
    rowIDs.sort()
    for relationship in table.incoming where relationship.isRuledByTargets {
      let owners = relationship.owners
      try store.forEachReference(of: relationship, to: rowIDs, classID, in: snapshot) {
        owner, _ throws(StoreError) in
        // The references of a pending object are those in memory.
        if owners.identity[owner]?.state.isPending != true { note(owner: owner, of: relationship) }
      }
      findPendingReferrers(of: objects, in: table, classID, relationship)
    }
    for unknown in store.unknownReferrers { try checkReferrers(unknown, to: rowIDs, of: table, classID) }
  }

  /// Finds the pending owners of references to objects of one class.
  private func findPendingReferrers(
    of objects: [StoredObject], in table: ClassTable, _ classID: KeyspaceID,
    _ relationship: ClassRelationship
  ) {
    let owners = relationship.owners
    guard !owners.pending.isEmpty else { return }
    let key = ObjectIdentifier(relationship)
    if let earlier = pendingReferences[key] {
      // A chain of owners takes a search for each, so that the references are sorted for the second one.
      let references = earlier ?? PendingReferences(of: relationship)
      pendingReferences[key] = references
      for object in objects {
        references.forEachOwner(of: AnyObjectID(classID: classID, rowID: object.rowID)) {
          note(owner: $0, of: relationship)
        }
      }
      return
    }
    pendingReferences[key] = .some(nil)
    var found: [RowID] = []
    for owner in owners.pending.objects where !owner.state.contains(.deleted) {
      relationship.declaration.forEachTarget(owner) { target in
        if target.classID == classID, table.identity[target.rowID]?.state.contains(.deleting) == true {
          found.append(owner.rowID)
        }
      }
    }
    for owner in found { note(owner: owner, of: relationship) }
  }

  /// Throws if an object of a class that the store was opened without refers to one of the objects.
  private func checkReferrers(
    _ unknown: UnknownReferrers, to rowIDs: [RowID], of table: ClassTable, _ classID: KeyspaceID
  ) throws(StoreError) {
    let deleted = Set(rowIDs)
    for run in RowRuns(rowIDs) {
      let range = rowIDs[run.lowerBound]...rowIDs[run.upperBound - 1]
      for isOptional in [false, true] {
        let key = ReferenceKey(isOptional: isOptional)
        let (lower, upper) = key.bounds(of: range, classID)
        try unsafe store.forEachKey(of: unknown.tree, from: lower, to: upper, in: snapshot) {
          bytes throws(StoreError) in
          guard let rows = unsafe key.rows(of: bytes), deleted.contains(rows.target) else { return }
          throw StoreError(
            .unknownClass,
            "An object of \(unknown.className), row \(rows.owner), refers to the object. List \(unknown.className) in "
              + "`classes`, so that the rule of its relationship can be obeyed.",
            className: table.name, rowID: rows.target)
        }
      }
    }
  }
}

/// The references of the pending owners of one relationship, sorted by their targets.
struct PendingReferences {
  private var references: [(target: AnyObjectID, owner: RowID)] = []

  init(of relationship: ClassRelationship) {
    for owner in relationship.owners.pending.objects where !owner.state.contains(.deleted) {
      relationship.declaration.forEachTarget(owner) { references.append(($0, owner.rowID)) }
    }
    references.sort { ($0.target, $0.owner) < ($1.target, $1.owner) }
  }

  /// Calls back with the row of each owner that refers to an object.
  ///
  /// - Complexity: O(log *n*), and O(1) for each owner.
  func forEachOwner(of target: AnyObjectID, _ body: (RowID) -> Void) {
    var (low, high) = (0, references.count)
    while low < high {
      let middle = (low + high) / 2
      if references[middle].target < target { low = middle + 1 } else { high = middle }
    }
    for (other, owner) in references[low...] {
      guard other == target else { return }
      body(owner)
    }
  }
}
