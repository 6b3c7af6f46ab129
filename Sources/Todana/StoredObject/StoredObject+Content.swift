extension StoredObject {
  /// Loads the content, if the object is a fault; does nothing if it is loaded, or outside a store.
  ///
  /// To load many, ``Store/load(_:onDamage:)`` reads them together.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/rowNotFound`` if the row no longer exists, ``StoreError/Code/closed``
  ///   if the store was closed, or what reading the record met.
  public final func loadContent() throws(StoreError) {
    guard state.contains(.fault) else { return }
    guard let table else {
      throw StoreError(.closed, "The store of this \(Self.self) was closed, so its content cannot be loaded.")
    }
    try table.store.load(self)
  }

  /// Announces that the content is about to change, so that the next save writes it.
  ///
  /// ``Store/update(_:_:)`` calls it, and loads the content first. Before assigning to a property by hand, call it
  /// yourself, on a loaded object: it does not load, and saving an object that is still a fault traps in debug builds
  /// and throws ``StoreError/Code/savingFault`` in others. Does nothing outside a store; for a pending object, it only
  /// lets a ``Store/savepoint(_:)`` keep the content.
  public final func willUpdate() {
    guard let table else { return }
    table.store.willUpdate(self)
  }
}
