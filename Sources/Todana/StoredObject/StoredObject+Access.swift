extension StoredObject {
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
}
