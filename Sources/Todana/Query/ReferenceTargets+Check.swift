extension ReferenceTargets {
  /// Throws if references of a store cannot lead to the objects.
  ///
  /// - Throws: ``StoreError/Code/objectOfOtherStore``; ``StoreError/Code/invalidQuery`` for an identity of a class that
  ///   the property cannot refer to.
  func check(in store: Store) throws(StoreError) {
    if storeIDs.contains(where: { $0 != store.backend.storeID }) {
      throw StoreError(
        .objectOfOtherStore,
        "A condition has an object of another store; fetch it here first, or use an id of this store.")
    }
    var lastClass: KeyspaceID?
    for id in ids where id.classID != lastClass {
      lastClass = id.classID
      guard let table = store.registry[id.classID], !table.type.inherits(from: type) else { continue }
      throw StoreError(
        .invalidQuery, "A condition compares a reference to \(type) with \(id), which is the id of a \(table.name).",
        className: table.name, rowID: id.rowID)
    }
  }
}
