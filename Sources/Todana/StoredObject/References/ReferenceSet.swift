/// An unordered set of references to objects of any class, which are kept as identities.
///
/// Reading it makes no objects, and needs none of the classes. Objects that a program adds are kept themselves until
/// they are saved, because an object in no store has no identity.
package struct ReferenceSet {
  /// The identities of the members that are known by identity only.
  package private(set) var ids: Set<AnyObjectID> = []
  /// The members that the program has added, and that are in no store or were not saved yet.
  package private(set) var objects: Set<StoredObject> = []

  package init() {}

  package init(_ ids: Set<AnyObjectID>) { self.ids = ids }

  package init(objects: some Sequence<StoredObject>) {
    for object in objects { insert(object) }
  }

  package var count: Int { ids.count + objects.count }
  package var isEmpty: Bool { ids.isEmpty && objects.isEmpty }

  /// The identities of all members, without those in no store.
  package var allIDs: Set<AnyObjectID> { objects.isEmpty ? ids : ids.union(objects.lazy.compactMap(\.anyID)) }

  package func contains(_ object: StoredObject) -> Bool {
    objects.contains(object) || object.anyID.map(ids.contains) ?? false
  }

  package func contains(_ id: AnyObjectID) -> Bool { ids.contains(id) || objects.contains { $0.anyID == id } }

  package mutating func insert(_ object: StoredObject) {
    if !contains(object) { objects.insert(object) }
  }

  package mutating func remove(_ object: StoredObject) {
    objects.remove(object)
    if let id = object.anyID { ids.remove(id) }
  }

  package mutating func subtract(_ removed: Set<AnyObjectID>) {
    if removed.isEmpty { return }
    ids.subtract(removed)
    objects = objects.filter { !($0.anyID.map(removed.contains) ?? false) }
  }

  package mutating func formUnion(_ added: Set<AnyObjectID>) {
    ids.formUnion(added)
    // An object that is a member by its identity is not a second one.
    objects = objects.filter { !($0.anyID.map(ids.contains) ?? false) }
  }

  /// Removes the objects whose delete is pending or was saved.
  package mutating func removeDeletedObjects() {
    objects = objects.filter { !$0.isBeingDeleted && !$0.wasDeleted }
  }

  /// Releases the objects that were saved, and keeps their identities.
  package mutating func releaseSavedObjects() {
    for object in objects where !object.hasPendingInsert {
      guard let id = object.anyID else { continue }
      objects.remove(object)
      ids.insert(id)
    }
  }
}

// States that the owner of a reference needs to know.
extension StoredObject {
  /// Whether the object was inserted, and is saved for the first time by the next save.
  package final var hasPendingInsert: Bool { table != nil && state.contains(.inserted) }

  /// Whether the next save deletes the object.
  package final var isBeingDeleted: Bool { table != nil && state.contains(.deleted) }

  /// Whether the object is in no store because its delete was saved.
  package final var wasDeleted: Bool { table == nil && state.contains(.gone) }
}
