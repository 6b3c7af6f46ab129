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
      try findReferrers(of: first..<next, in: table)
    }
  }

  /// Finds the owners of references to items of one class.
  private func findReferrers(of range: Range<Int>, in table: ClassTable) throws(StoreError) {
    guard let classID = table.classID, table.hasDeleteRules else { return }
    let relationships = table.incoming.filter(\.isRuledByTargets)
    guard !relationships.isEmpty || !store.unknownReferrers.isEmpty else { return }
    var rowIDs: [RowID] = []
    rowIDs.reserveCapacity(range.count)
    // Nothing that is saved refers to an object that is not.
    for index in range where !items[index].isGone && !items[index].object.state.contains(.inserted) {
      rowIDs.append(items[index].object.rowID)
    }
    rowIDs.sort()
    for relationship in relationships {
      let owners = relationship.owners
      var lastOwner: RowID?
      try store.forEachReference(of: relationship, to: rowIDs, classID, in: snapshot) {
        owner, _ throws(StoreError) in
        // Targets that follow one another often have the same owner.
        if owner == lastOwner { return }
        lastOwner = owner
        // The references of a pending object are those in memory.
        if owners.identity[owner]?.state.isPending != true { note(owner: owner, of: relationship) }
      }
      findPendingReferrers(of: range, in: table, classID, relationship)
    }
    for unknown in store.unknownReferrers { try checkReferrers(unknown, to: rowIDs, of: table, classID) }
  }

  /// Finds the pending owners of references to items of one class.
  private func findPendingReferrers(
    of range: Range<Int>, in table: ClassTable, _ classID: KeyspaceID,
    _ relationship: ClassRelationship
  ) {
    let owners = relationship.owners
    guard !owners.pending.isEmpty else { return }
    let key = ObjectIdentifier(relationship)
    if let earlier = pendingReferences[key] {
      // A chain of owners takes a search for each, so that the references are sorted for the second one.
      let references = earlier ?? PendingReferences(of: relationship)
      pendingReferences[key] = references
      // The number of items may grow.
      for index in range where !items[index].isGone {
        references.forEachOwner(of: AnyObjectID(classID: classID, rowID: items[index].object.rowID)) {
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
