/// A store in an isolation domain of its own, for work in the background.
///
/// ```swift
/// let library = try StoreActor(.directory("Music.todana"), classes: [Song.self, Playlist.self])
/// let titles = try await library.perform { store in try store.fetch(Song.self).map(\.title) }
/// ```
///
/// Objects stay inside: what ``perform(_:)`` returns is `Sendable`, such as values or an ``ObjectID``.
public actor StoreActor {
  /// The keeper of the records, over which further stores can be made.
  public nonisolated let backend: any StoreBackend
  private let store: Store

  /// Opens a store, as ``Store/init(_:classes:configuration:expecting:)``.
  public init(
    _ location: StoreLocation, classes: [StoredObject.Type], configuration: StoreConfiguration = StoreConfiguration(),
    expecting anchor: StoreAnchor? = nil
  ) throws(StoreError) {
    store = try Store(location, classes: classes, configuration: configuration, expecting: anchor)
    backend = store.backend
  }

  /// Makes a store over a backend that is open already, as ``Store/init(backend:classes:configuration:)``.
  public init(
    backend: any StoreBackend, classes: [StoredObject.Type],
    configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    store = try Store(backend: backend, classes: classes, configuration: configuration)
    self.backend = backend
  }

  /// Takes over a store that nothing else uses any more.
  public init(_ store: sending Store) {
    backend = store.backend
    self.store = store
  }

  /// Runs the closure on the store.
  ///
  /// Calls run one at a time, each to its end: what is pending after one is pending for the next.
  ///
  /// - Throws: What the closure throws.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (Store) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(store)
  }

  /// Runs a closure that awaits on the store, such as one that saves without blocking (``Store/save(durability:)``).
  ///
  /// ```swift
  /// let id = try await library.perform { store in
  ///   let id = try store.insert(Song())
  ///   try await store.save()
  ///   return id
  /// }
  /// ```
  ///
  /// It runs on the actor. Where it awaits, other calls come in: what is pending then is pending for them too. A closure
  /// that awaits nothing runs whole.
  ///
  /// - Throws: What the closure throws.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: nonisolated(nonsending) @Sendable (Store) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    try await body(store)
  }
}
