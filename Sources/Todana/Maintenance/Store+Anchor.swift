extension Store {
  /// The newest commit, to be kept elsewhere, and given to ``init(_:classes:configuration:expecting:)`` some day.
  ///
  /// Waits until everything saved is durable. Pending changes are not part of it.
  ///
  /// - Returns: The anchor.
  /// - Throws: ``StoreError``; ``StoreError/Code/notSupported``.
  public func anchor() throws(StoreError) -> StoreAnchor? {
    try begin()
    return try onEngine("anchors") { engine throws(BackendError) in try engine.anchor() }
  }
}
