// Fetching without blocking the isolation domain of the store. The names differ from the synchronous calls' names: in
// an asynchronous function, an overload would be chosen over the synchronous call.
extension Store {
  /// Returns all objects of a class, loaded, in the order of their row ids, read without blocking.
  ///
  /// The parameters are those of ``fetch(_:includingSubclasses:includingPending:onDamage:)``. Records are read on
  /// another thread, chunk by chunk. They are decoded in steps of about a millisecond, between which the isolation
  /// domain is free.
  ///
  /// ```swift
  /// let songs = try await store.all(Song.self)
  /// ```
  ///
  /// The saved objects are those of the newest commit at the call, with the changes that are pending in this store at
  /// the call. Other tasks of the domain may use the store concurrently. Their changes appear in the objects, as each
  /// row has one instance. Objects that they insert are not included. Objects that they delete are included only if
  /// they were read before.
  ///
  /// - Throws: ``StoreError``; `CancellationError` if the task was cancelled.
  public nonisolated(nonsending) func all<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws -> [T] {
    let stream = try ObjectStream(
      of: type, in: self, includingSubclasses: includingSubclasses, includingPending: includingPending,
      onDamage: onDamage)
    var objects: [T] = []
    repeat {
      while let object = try stream.next() {
        // The stream's classes are T and subclasses of it.
        objects.append(unsafe unsafeDowncast(object, to: T.self))
      }
    } while try await stream.readOn()
    stream.order(&objects)
    return objects
  }

  /// Returns a sequence of the loaded objects of a class, read one after another without blocking.
  ///
  /// ```swift
  /// for try await song in store.objects(Song.self) {
  ///   if song.seconds > 600 { break }
  /// }
  /// ```
  ///
  /// The parameters are those of ``forEach(_:includingSubclasses:includingPending:onDamage:_:)``, but records are read
  /// on another thread, chunk by chunk, and the loop's body may await. The saved objects are those of the newest commit
  /// at the first step, with the changes pending then; pending inserts come last. Each pass over the sequence reads
  /// again.
  ///
  /// The body may insert, update, delete and save, as may other tasks of the domain while the sequence or the body is
  /// suspended. Inserted objects are not visited, and deleted objects are no longer visited. An object that only the
  /// sequence holds is released at the next step, so the memory in use does not grow.
  ///
  /// The sequence must be used in the store's isolation domain. It throws ``StoreError``, and `CancellationError` if
  /// the task was cancelled.
  public func objects<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) -> ObjectSequence<T> {
    ObjectSequence(
      store: self, includingSubclasses: includingSubclasses, includingPending: includingPending, onDamage: onDamage)
  }
}

extension Store {
  /// Returns all objects of a class, loaded, in the order of their row ids, without blocking.
  ///
  /// As ``all(_:includingSubclasses:includingPending:onDamage:)``, which throws `CancellationError` in place of
  /// ``StoreError/Code/cancelled``.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [T] {
    do {
      return try await all(
        type, includingSubclasses: includingSubclasses, includingPending: includingPending, onDamage: onDamage)
    } catch let error as StoreError {
      throw error
    } catch {
      try checkForCancellation()
      throw StoreError(.backend, "The objects could not be read.", underlying: error)
    }
  }

  /// Returns the object with this identity, loaded without blocking; nil if there is none, or its delete is pending.
  ///
  /// See ``fetch(_:includingPending:)-(ObjectID<T>,_)``.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject>(
    _ id: ObjectID<T>, includingPending: Bool = true
  ) async throws(StoreError) -> T? {
    try await fetchAsync([id], includingPending: includingPending)[0]
  }

  /// Returns the objects with these identities, loaded without blocking, in the same order; nil for an identity without
  /// an object.
  ///
  /// See ``fetch(_:includingPending:onDamage:)-([ObjectID<T>],_,_)``.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject>(
    _ ids: [ObjectID<T>], includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [T?] {
    try begin()
    return try await RowStream(of: self, includingPending: includingPending, onDamage: onDamage.reportingOnce)
      .objects(ids)
  }

  /// Returns the number of objects of a class without blocking.
  ///
  /// The backend keeps the number, so ``count(_:includingSubclasses:includingPending:)`` takes no longer.
  public nonisolated(nonsending) func countAsync(
    _ type: StoredObject.Type, includingSubclasses: Bool = false, includingPending: Bool = true
  ) async throws(StoreError) -> Int {
    try count(type, includingSubclasses: includingSubclasses, includingPending: includingPending)
  }

  /// Loads the content of a fault without blocking; does nothing for an object that is loaded.
  ///
  /// See ``load(_:)``.
  public nonisolated(nonsending) func loadAsync(_ object: StoredObject) async throws(StoreError) {
    try await loadAsync([object])
  }

  /// Loads the faults among the objects without blocking.
  ///
  /// See ``load(_:onDamage:)``.
  public nonisolated(nonsending) func loadAsync<Objects: Sequence>(
    _ objects: Objects, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) where Objects.Element: StoredObject {
    try begin()
    try await RowStream(of: self, includingPending: true, onDamage: onDamage.reportingOnce).load(Array(objects))
  }
}
