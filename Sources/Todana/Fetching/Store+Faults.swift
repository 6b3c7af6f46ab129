extension Store {
  /// Releases an object's content, which is loaded again when it is needed.
  ///
  /// References in the content are released as well. Does nothing for a fault.
  ///
  /// - Throws: ``StoreError/Code/unsavedChanges`` for an object with pending changes.
  public func turnIntoFault(_ object: StoredObject) throws(StoreError) {
    try begin()
    let table = try table(of: object, to: "turn into a fault")
    guard !object.isFault else { return }
    guard !object.state.isPending else {
      throw StoreError(
        .unsavedChanges, "The object has changes that are not saved; save or discard them first.",
        className: table.name, rowID: object.rowID)
    }
    ChainRelease.releasingReferences(of: [object]) { makeFault(object, of: table) }
  }

  /// Releases the content of every object without pending changes, which is loaded again when it is needed.
  ///
  /// References in the content are released as well. Use it when memory is short, or to release objects that refer to
  /// each other in cycles without closing the store.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(*n*) in the objects alive.
  public func turnCleanObjectsIntoFaults() throws(StoreError) {
    try begin()
    makeCleanObjectsFaults()
  }

  func makeCleanObjectsFaults() {
    // All objects are kept alive, so that releasing a content releases no other.
    let objects = registry.tables.map { ($0, $0.identity.objects()) }
    for (table, objects) in objects {
      for object in objects where !object.state.isPending && !object.isFault { makeFault(object, of: table) }
    }
  }

  /// Turns a clean object into a fault without content.
  ///
  /// The caller keeps the objects that it refers to alive, if there may be a long chain of them.
  func makeFault(_ object: StoredObject, of table: ClassTable) {
    object.state.insert(.fault)
    if !table.fingerprints.isEmpty { table.fingerprints[object.rowID] = nil }
    table.clearContent(of: object)
  }
}
