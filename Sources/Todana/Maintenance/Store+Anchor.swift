extension Store {
  /// Returns the newest commit as an anchor, to be kept elsewhere.
  ///
  /// Pass it to ``init(_:classes:configuration:expecting:)`` later to detect an older store in its place. Waits until
  /// all saved changes are durable. Pending changes are not included.
  ///
  /// - Returns: The anchor.
  /// - Throws: ``StoreError``; ``StoreError/Code/notSupported``.
  public func anchor() throws(StoreError) -> StoreAnchor? {
    try begin()
    return try onEngine("anchors") { engine throws(BackendError) in try engine.anchor() }
  }
}
