/// A store in an isolation domain of its own, for work in the background.
///
/// ```swift
/// let library = try StoreActor(.directory("Music.todana"), classes: [Song.self, Playlist.self])
/// let titles = try await library.perform { store in try store.fetch(Song.self).map(\.title) }
/// ```
///
/// Objects stay inside the actor: results of `perform(_:)` are `Sendable`, such as values or an ``ObjectID``.
public actor StoreActor {
  /// The backend that keeps the records; more stores can be created over it.
  public nonisolated let backend: any StoreBackend
  private let store: Store

  /// Opens a store; the parameters are those of ``Store/init(_:classes:configuration:expecting:)``.
  public init(
    _ location: StoreLocation, classes: [StoredObject.Type], configuration: StoreConfiguration = StoreConfiguration(),
    expecting anchor: StoreAnchor? = nil
  ) throws(StoreError) {
    store = try Store(location, classes: classes, configuration: configuration, expecting: anchor)
    backend = store.backend
  }

  /// Creates a store over an open backend; the parameters are those of ``Store/init(backend:classes:configuration:)``.
  public init(
    backend: any StoreBackend, classes: [StoredObject.Type],
    configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    store = try Store(backend: backend, classes: classes, configuration: configuration)
    self.backend = backend
  }

  /// Takes over a store that is not used anywhere else.
  public init(_ store: sending Store) {
    backend = store.backend
    self.store = store
  }

  /// Runs a closure on the store.
  ///
  /// Calls run one at a time, each to its end. Changes that one call leaves pending are pending for the next.
  ///
  /// - Throws: Errors of the closure.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (Store) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let result = try body(store)
    if let error = store.takeDeferredError(as: Failure.self) { throw error }
    return result
  }

  /// Runs an asynchronous closure on the store, such as one that saves without blocking (``Store/save(durability:)``).
  ///
  /// ```swift
  /// let id = try await library.perform { store in
  ///   let id = try store.insert(Song())
  ///   try await store.save()
  ///   return id
  /// }
  /// ```
  ///
  /// The closure runs on the actor. While it is suspended, other calls may run, and its pending changes are pending for
  /// them too. A closure that never suspends runs without interruption.
  ///
  /// - Throws: Errors of the closure. If it may throw a ``StoreError``, also that of a ``Loaded`` property which the
  ///   closure read and which could not be loaded.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: nonisolated(nonsending) @Sendable (Store) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let result = try await body(store)
    if let error = store.takeDeferredError(as: Failure.self) { throw error }
    return result
  }
}
