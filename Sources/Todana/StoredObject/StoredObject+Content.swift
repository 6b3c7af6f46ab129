extension StoredObject {
  /// Loads the content if the object is a fault.
  ///
  /// Does nothing if the object is already loaded or outside a store. To load many objects, use
  /// ``Store/load(_:onDamage:)``, which reads them together.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/rowNotFound`` if the row no longer exists, ``StoreError/Code/closed``
  ///   if the store was closed, or an error of reading the record.
  public final func loadContent() throws(StoreError) {
    guard state.contains(.fault) else { return }
    guard let table else {
      throw StoreError(.closed, "The store of this \(Self.self) was closed, so its content cannot be loaded.")
    }
    try table.store.load(self)
  }

  /// Loads the content of a fault for a getter or a setter, which cannot throw.
  ///
  /// ``Loaded`` properties call it by themselves. A subclass calls it in the accessors of properties that it computes
  /// from its content:
  ///
  /// ```swift
  /// var word: String {
  ///   get { loadOnAccess() ? storedWord : "" }
  ///   set {
  ///     guard loadOnAccess() else { return }
  ///     willUpdate()
  ///     storedWord = newValue
  ///   }
  /// }
  /// ```
  ///
  /// If loading fails, the store's next throwing call throws the error.
  ///
  /// - Returns: Whether the content is there: always for a loaded object and for one outside a store.
  public final func loadOnAccess() -> Bool {
    guard isFault, !state.contains(.decoding), let table else { return !isFault || state.contains(.decoding) }
    return table.store.loadOnAccess(self)
  }

  /// Announces that the content is about to change, so that the next save writes it.
  ///
  /// ``Store/update(_:_:)`` loads the content and calls this method. If you assign to a plain property without
  /// `update`, call it first, on a loaded object: this method does not load. Saving an object that is still a fault
  /// traps in debug builds, and throws ``StoreError/Code/savingFault`` in other builds. The call does nothing outside a
  /// store. For an object that is already pending, it only lets a ``Store/savepoint(_:)`` keep the content.
  public final func willUpdate() {
    guard let table else { return }
    table.store.willUpdate(self)
  }
}
