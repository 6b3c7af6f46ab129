extension Store {
  /// Opens a store, and waits for it, and for the recovery it may take, without blocking.
  ///
  /// As ``init(_:classes:configuration:expecting:)``. The store belongs to the domain that calls.
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
      // What the caller has to know is the first error.
      try? backend.close()
      throw error
    }
  }
}
