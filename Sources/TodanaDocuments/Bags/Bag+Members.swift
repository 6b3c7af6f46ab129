public import Todana

// The members of a bag.
extension Bag {
  /// The number of members, with unsaved additions and without unsaved removals.
  ///
  /// No member is loaded. References that lead nowhere count until ``objects()`` or ``inflate()`` has met them.
  ///
  /// - Complexity: O(1) for a loaded bag.
  public var count: Int {
    guard loadOnAccess() else { return 0 }
    return members.count - absent.count
  }

  public var isEmpty: Bool { count == 0 }

  /// Tests whether an object is a member.
  ///
  /// - Complexity: O(1) for a loaded bag.
  public func contains(_ object: StoredObject) -> Bool {
    guard loadOnAccess() else { return false }
    if let store, let other = object.store, store !== other { return false }
    return members.contains(object)
  }

  /// Tests whether the object with an identity is a member.
  public func contains(_ id: AnyObjectID) -> Bool { loadOnAccess() && members.contains(id) }

  /// Returns the members, loaded, in the order of their identities; those in no store come last.
  ///
  /// Left out are references that lead nowhere, and objects of classes that the store was opened without. The bag keeps
  /// the latter. The bag does not keep the loaded objects in memory (``inflate()``).
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(*n*); members that are not in memory are read together.
  public func objects() throws -> [StoredObject] {
    try loadContent()
    guard let store else {
      members.removeDeletedObjects()
      for object in members.objects { try object.loadContent() }
      return Array(members.objects)
    }
    let found = try store.objects(of: members, inCollectionsOf: Self.collectionTypes)
    absent = found.absent
    return found.objects
  }

  /// Loads all members, and keeps them in memory until ``deflate()``.
  ///
  /// - Throws: `StoreError`.
  public func inflate() throws { inflated = try objects() }

  /// Releases the members that the bag keeps in memory, so that they are faults when they are next reached.
  ///
  /// Members that the program holds, or that have pending changes, stay as they are.
  public func deflate() {
    inflated = []
    // The identities of a bag that was never saved are not known to be permanent.
    if store != nil, !hasPendingInsert { members.releaseSavedObjects() }
  }

  // MARK: Adding

  /// Adds an object of any class; does nothing if it is a member.
  ///
  /// An object that is in no store is inserted into the bag's store. If the bag is in no store either, it is inserted
  /// together with the bag. The next save writes both in one commit.
  ///
  /// - Throws: `StoreError`: `objectOfOtherStore`, `unknownClass`; ``DocumentError/Code/invalidMember`` for the bag
  ///   itself, for an object with a pending delete, and for a document in no collection.
  public func add(_ object: StoredObject) throws { try add(contentsOf: CollectionOfOne(object)) }

  /// Adds objects, all or none.
  ///
  /// - Throws: The errors of ``add(_:)``. No object is added then.
  /// - Complexity: O(*n*) in the objects.
  public func add<Object: StoredObject>(contentsOf objects: some Sequence<Object>) throws {
    try loadContent()
    var added: [StoredObject] = []
    var owner = store.map { ObjectIdentifier($0) } ?? memberStore
    for object in objects {
      try check(object, &owner)
      if !members.contains(object) { added.append(object) }
    }
    if added.isEmpty { return }
    guard let store else {
      memberStore = owner
      for object in added { members.insert(object) }
      return
    }
    for object in added { try Self.checkInsertable(object) }
    try store.savepoint {
      try store.insert(contentsOf: added.filter { $0.store == nil })
      try change { members in
        for object in added { members.insert(object) }
      }
    }
  }

  /// Checks that an object can be a member.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - owner: The store of the other members; set to that of the object if there is none yet.
  /// - Throws: `StoreError`: `objectOfOtherStore`; ``DocumentError/Code/invalidMember``.
  private func check(_ object: StoredObject, _ owner: inout ObjectIdentifier?) throws {
    if object === self { throw DocumentError(.invalidMember, "a bag cannot be a member of itself") }
    if object.isBeingDeleted {
      throw DocumentError(.invalidMember, "an object with a pending delete cannot be added to a bag: \(object)")
    }
    guard let objectStore = object.store else { return }
    let identifier = ObjectIdentifier(objectStore)
    if let owner, owner != identifier { throw Self.otherStore }
    owner = identifier
  }

  /// Throws if an object is in no store, and can be inserted only by its collection.
  static func checkInsertable(_ object: StoredObject) throws(DocumentError) {
    guard object.store == nil, type(of: object).isInCollections else { return }
    throw DocumentError(
      .invalidMember, "a document in no collection cannot be added to a bag: insert it into a collection first")
  }

  static var otherStore: StoreError {
    StoreError(.objectOfOtherStore, "The members of a bag are objects of the bag's store: fetch the object there.")
  }

  // MARK: Removing

  /// Removes an object, which stays in the store; does nothing if it is no member.
  ///
  /// - Throws: `StoreError`.
  public func remove(_ object: StoredObject) throws { try remove(contentsOf: CollectionOfOne(object)) }

  /// Removes objects, which stay in the store.
  ///
  /// - Throws: `StoreError`.
  public func remove<Object: StoredObject>(contentsOf objects: some Sequence<Object>) throws {
    try loadContent()
    let removed = objects.filter { contains($0) }
    if removed.isEmpty { return }
    try change { members in
      for object in removed { members.remove(object) }
    }
  }

  /// Removes the object with an identity, which stays in the store; does nothing if it is no member.
  ///
  /// - Throws: `StoreError`.
  public func remove(_ id: AnyObjectID) throws { try remove(contentsOf: CollectionOfOne(id)) }

  /// Removes the objects with identities, which stay in the store.
  ///
  /// - Throws: `StoreError`.
  public func remove(contentsOf ids: some Sequence<AnyObjectID>) throws {
    try loadContent()
    let removed = members.allIDs.intersection(ids)
    if !removed.isEmpty { try change { $0.subtract(removed) } }
  }

  /// Removes all members, which stay in the store.
  ///
  /// - Throws: `StoreError`.
  public func removeAll() throws {
    try loadContent()
    if !members.isEmpty { try change { $0 = ReferenceSet() } }
  }

  /// Changes the members, and announces the change.
  func change(_ body: (inout ReferenceSet) -> Void) throws {
    if let store {
      try store.update(self) { bag in body(&bag.members) }
    } else {
      body(&members)
    }
    absent.formIntersection(members.ids)
    if !inflated.isEmpty { inflated.removeAll { !members.contains($0) } }
  }
}
