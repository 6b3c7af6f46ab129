/// The objects to which a ``ReferenceSet`` leads.
package struct ReferencedObjects {
  /// The objects, loaded, in the order of their identities, followed by those in no store.
  package var objects: [StoredObject] = []
  /// The identities that lead to no object.
  package var absent: Set<AnyObjectID> = []
}

extension Store {
  /// Loads the objects to which a set refers.
  ///
  /// Objects of classes that the store was opened without are left out, and so are those whose delete is pending.
  ///
  /// - Parameters:
  ///   - set: References to objects of this store, or to objects in no store.
  ///   - types: Classes of objects in collections that the set may refer to.
  /// - Returns: The objects, and the identities that lead to none.
  /// - Throws: The errors of ``fetch(_:includingPending:onDamage:)-([AnyObjectID],_,_)``.
  package func objects(
    of set: ReferenceSet, inCollectionsOf types: [StoredObject.Type]
  ) throws(StoreError) -> ReferencedObjects {
    try begin()
    var found = ReferencedObjects()
    for (classID, ids) in try knownClasses(of: set, types, &found.absent) {
      let objects = try fetch(ids)
      for (id, object) in zip(ids, objects) {
        if let object {
          found.objects.append(object)
        } else if registry[classID]?.identity[id.rowID]?.state.isPending != true {
          found.absent.insert(id)
        }
      }
    }
    found.objects += set.objects.filter { $0.table == nil }
    return found
  }

  /// Returns the objects to which a set refers, which may be faults, and may not exist.
  package func faults(
    of set: ReferenceSet, inCollectionsOf types: [StoredObject.Type]
  ) throws(StoreError) -> [StoredObject] {
    try begin()
    var absent: Set<AnyObjectID> = []
    var found: [StoredObject] = []
    for (classID, ids) in try knownClasses(of: set, types, &absent) {
      guard let table = registry[classID] else { continue }
      found += ids.map { table.objectOrFault($0.rowID) }
    }
    return found + set.objects.filter { $0.table == nil }
  }

  /// Returns the members of a set whose delete is pending.
  package func pendingDeletes(in set: ReferenceSet) -> Set<AnyObjectID> {
    set.allIDs.filter { registry[$0.classID]?.identity[$0.rowID]?.state.contains(.deleted) == true }
  }

  /// Finds the identities in a set whose classes the store has.
  ///
  /// - Parameters:
  ///   - set: The set.
  ///   - types: Classes of objects in collections.
  ///   - absent: Receives the identities whose class does not exist any more.
  /// - Returns: The identities by class, in ascending order.
  /// - Throws: The errors of reading the list of collections.
  private func knownClasses(
    of set: ReferenceSet, _ types: [StoredObject.Type], _ absent: inout Set<AnyObjectID>
  ) throws(StoreError) -> [(KeyspaceID, [AnyObjectID])] {
    let idsByClass = Dictionary(grouping: set.allIDs, by: \.classID)
    var found: [(KeyspaceID, [AnyObjectID])] = []
    for (classID, ids) in idsByClass.sorted(by: { $0.key < $1.key }) {
      if try isKnown(classID, types) {
        found.append((classID, ids.sorted()))
      } else if try !classExists(classID) {
        absent.formUnion(ids)
      }
    }
    return found
  }

  private func isKnown(_ classID: KeyspaceID, _ types: [StoredObject.Type]) throws(StoreError) -> Bool {
    if registry[classID] != nil { return true }
    for type in types { try updateCollections(of: type) }
    if registry[classID] != nil { return true }
    registry.adopt(try onRecords { sealing throws(BackendError) in try sealing.keyspaces() })
    return registry[classID] != nil
  }

  /// Returns whether the backend has a class, registered or not.
  private func classExists(_ classID: KeyspaceID) throws(StoreError) -> Bool {
    try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }.contains { $0.id == classID }
  }
}
