public import Todana

// The unsaved changes of a bag, and its content.
extension Bag {
  /// Whether the next save would change the bag's record, or the bag is in no store.
  public var hasUnsavedChanges: Bool {
    if store == nil || hasPendingInsert || isBeingDeleted { return true }
    return !isFault && saved != content
  }

  /// The members that the saved bag does not have, in the order of their identities; they may be faults.
  public var unsavedAdditions: [StoredObject] {
    guard loadOnAccess() else { return [] }
    var added = members
    added.subtract(saved?.ids ?? [])
    guard let store else { return Array(added.objects) }
    do throws(StoreError) {
      return try store.faults(of: added, inCollectionsOf: Self.collectionTypes)
    } catch {
      store.deferError(error)
      return []
    }
  }

  /// The identities of the saved bag's members that were removed, in ascending order.
  ///
  /// A member whose delete is pending was removed, too.
  public var unsavedRemovals: [AnyObjectID] {
    guard loadOnAccess(), let saved else { return [] }
    return saved.ids.subtracting(members.allIDs).sorted()
  }

  /// Reads the saved members again, and keeps unsaved additions and removals.
  ///
  /// A changed name is kept, too. Does nothing to a bag that was never saved. The changes of another store are no
  /// conflict after this call.
  ///
  /// - Throws: `StoreError`: `rowNotFound` if another store has deleted the bag.
  public func reload() throws {
    guard let store else { return }
    try store.refresh(self) { other in
      guard let theirs = other as? Bag else { return }
      let former = saved?.ids ?? []
      let removed = former.subtracting(members.allIDs)
      var merged = members
      merged.subtract(former.intersection(members.allIDs).subtracting(theirs.members.ids))
      merged.formUnion(theirs.members.ids.subtracting(removed))
      if storedLabel == saved?.label { storedLabel = theirs.storedLabel }
      members = merged
      saved = theirs.content
    }
    // References that lead nowhere are found now, and no longer counted.
    _ = try objects()
  }

  /// Drops the unsaved changes of the bag, and reads the saved members and the saved name again.
  ///
  /// A bag that was never saved loses all members. Objects that were inserted when they were added stay inserted.
  ///
  /// - Throws: `StoreError`: `rowNotFound` if another store has deleted the bag.
  public func undoChanges() throws {
    guard let store, !hasPendingInsert else { return try removeAll() }
    try store.discardUpdate(of: self)
    try reload()
    // Members with pending deletes stay out of the bag.
    let deleted = store.pendingDeletes(in: members)
    if !deleted.isEmpty { try change { $0.subtract(deleted) } }
  }

  // MARK: Content

  /// Tests whether two bags have one name and the same members; their keys may differ.
  ///
  /// - Throws: `StoreError` if a bag cannot be loaded.
  /// - Complexity: O(*n*)
  public func hasSameContent(as other: Bag) throws -> Bool {
    try loadContent()
    try other.loadContent()
    func loose(_ bag: Bag) -> Set<StoredObject> { bag.members.objects.filter { $0.anyID == nil } }
    if let store, let otherStore = other.store, store.backend.storeID != otherStore.backend.storeID {
      return storedLabel == other.storedLabel && members.isEmpty && other.members.isEmpty
    }
    return content == other.content && loose(self) == loose(other)
  }

  /// Returns a bag with the same name and members, and with a key of its own, in no store.
  ///
  /// - Throws: `StoreError` if the bag cannot be loaded.
  public func copy() throws -> Bag {
    try loadContent()
    guard let store else { return try Bag(name: storedLabel, objects: members.objects) }
    return try Bag(
      name: storedLabel, objects: store.faults(of: members, inCollectionsOf: Self.collectionTypes))
  }

  /// The bag as a dictionary, for export: its `name`, its `key`, and as `members` the identities of its members, such as
  /// `3-17`, in ascending order.
  ///
  /// Members in no store have no identity, and are left out.
  public var documentValue: DocumentValue {
    let ids = loadOnAccess() ? members.allIDs.subtracting(absent).sorted() : []
    return [
      "name": name.map { DocumentValue($0) } ?? .null, "key": DocumentValue(key),
      "members": DocumentValue(ids.map { DocumentValue($0.description) }),
    ]
  }
}
