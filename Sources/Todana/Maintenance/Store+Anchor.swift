extension Store {
  /// The newest commit, to be kept elsewhere, and given to ``init(_:classes:configuration:expecting:)`` some day.
  ///
  /// Waits until everything saved is durable. Pending changes are not part of it.
  ///
  /// - Returns: Nil from a backend that gives none.
  /// - Throws: ``StoreError``.
  public func anchor() throws(StoreError) -> StoreAnchor? {
    try begin()
    return try onBackend { backend throws(BackendError) in try backend.anchor() }
  }
}
