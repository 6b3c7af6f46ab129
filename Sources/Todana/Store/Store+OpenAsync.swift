extension Store {
  /// Opens a store without blocking, including any recovery.
  ///
  /// The parameters are those of ``init(_:classes:configuration:expecting:)``. The store belongs to the isolation
  /// domain of the caller.
  ///
  /// ```swift
  /// let store = try await Store.open(.directory("Music.todana"), classes: [Song.self, Playlist.self])
  /// ```
  ///
  /// - Throws: ``StoreError``.
  public nonisolated(nonsending) static func open(
    _ location: StoreLocation, classes: [StoredObject.Type], configuration: StoreConfiguration = StoreConfiguration(),
    expecting anchor: StoreAnchor? = nil
  ) async throws(StoreError) -> Store {
    let backend = try await onWorker { () throws(StoreError) in
      try location.openBackend(configuration, expecting: anchor)
    }
    do throws(StoreError) {
      return try Store(backend: backend, classes: classes, configuration: configuration, opened: true)
    } catch {
      // The first error is the one to report.
      try? backend.close()
      throw error
    }
  }
}
