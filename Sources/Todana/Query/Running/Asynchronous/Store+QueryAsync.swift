// Queries without blocking the isolation domain of the store. The names differ from those of the synchronous calls: in
// an asynchronous function, an overload would be chosen over the synchronous call.
//
// Another thread carries out the query, on a copy of the changes that are pending at the call.
extension Store {
  /// Returns the objects of a query, loaded, in its order, without blocking.
  ///
  /// ```swift
  /// let songs = try await store.fetchAsync(Song.where { $0.seconds > 200 }.sorted(by: \.title))
  /// ```
  ///
  /// Another thread finds and reads the records, as it is when the call is made: in the state of the newest commit, with
  /// the changes that are pending in this store. The objects are decoded in steps of about a millisecond, between which
  /// the isolation domain is free. Other tasks of the domain may use the store concurrently. Their changes appear in
  /// the objects, as each row has one instance, and objects that they delete are left out.
  ///
  /// The parameters are those of ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///
  /// - Throws: ``StoreError``; ``StoreError/Code/cancelled`` if the task was cancelled.
  /// - Complexity: In the domain, O(*n*) in the pending changes and in the objects that are not in memory yet.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [T] {
    if query.specification.asksForAll, query.specification.collection == nil,
      !query.specification.includesSubclasses
    {
      return try await fetchAsync(T.self, includingPending: includingPending, onDamage: onDamage)
    }
    let onDamage = onDamage.reportingOnce
    let stream = try RowStream(of: self, includingPending: includingPending, onDamage: onDamage)
    let ids = try await idsAsync(query, includingPending: includingPending, onDamage: onDamage)
    return try await stream.objects(ids).compactMap { $0 }
  }

  /// Returns the first object of a query without blocking; nil if there is none.
  ///
  /// See ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)`` and ``first(_:includingPending:onDamage:)``.
  public nonisolated(nonsending) func firstAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> T? {
    try await fetchAsync(
      query.limit(min(1, query.specification.limit ?? 1)), includingPending: includingPending, onDamage: onDamage
    ).first
  }

  /// Returns the number of objects of a query without blocking.
  ///
  /// See ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)`` and ``count(_:includingPending:onDamage:)``.
  public nonisolated(nonsending) func countAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Int {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.count(query, includingPending: includingPending, onDamage: onDamage)
    }
  }

  /// Tests without blocking whether a query has any objects.
  ///
  /// See ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  public nonisolated(nonsending) func existsAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Bool {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.exists(query, includingPending: includingPending, onDamage: onDamage)
    }
  }

  /// Returns the identities of the objects of a query, in its order, without blocking.
  ///
  /// See ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)`` and ``ids(_:includingPending:onDamage:)``.
  public nonisolated(nonsending) func idsAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [ObjectID<T>] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.ids(query, includingPending: includingPending, onDamage: onDamage)
    }
  }

  // MARK: Changes

  /// Changes every object of a query, which is found without blocking; the next save writes the changes.
  ///
  /// All objects are changed in one step, after which the closure does not run again. Objects that other tasks have
  /// deleted in the meantime are left out. See ``update(_:onDamage:_:)`` and
  /// ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  @discardableResult
  public nonisolated(nonsending) func updateAsync<T: StoredObject>(
    _ query: Query<T>, onDamage: DamagePolicy = .fail, _ change: (T) throws -> Void
  ) async throws -> [T] {
    let objects = try await fetchAsync(query, onDamage: onDamage)
    try allOrNothing { () throws -> Void in
      for object in objects { try updateWithinSavepoint(object, change) }
    }
    return objects
  }

  /// Changes an object, which is loaded without blocking if it is a fault.
  ///
  /// See ``update(_:_:)``.
  @discardableResult
  public nonisolated(nonsending) func updateAsync<T: StoredObject, Result>(
    _ object: T, _ change: (T) throws -> Result
  ) async throws -> Result {
    try await loadAsync(object)
    return try update(object, change)
  }

  /// Deletes every object of a query, which is found without blocking, with the next save.
  ///
  /// All objects are deleted in one step. See ``delete(_:onDamage:)-(Query<T>,_)`` and
  /// ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  @discardableResult
  public nonisolated(nonsending) func deleteAsync<T: StoredObject>(
    _ query: Query<T>, onDamage: DamagePolicy = .fail
  ) async throws -> [ObjectID<T>] {
    let objects = try await fetchAsync(query, onDamage: onDamage)
    let ids = objects.compactMap(\.id)
    try delete(objects)
    return ids
  }

  /// Deletes objects with the next save, all or none; the faults among them are loaded without blocking.
  ///
  /// See ``delete(_:onDamage:)-(Objects,_)``.
  public nonisolated(nonsending) func deleteAsync<Objects: Sequence>(
    _ objects: Objects, onDamage: DamagePolicy = .fail
  ) async throws where Objects.Element: StoredObject {
    let objects = Array(objects)
    try await loadAsync(objects, onDamage: onDamage)
    try delete(objects, onDamage: onDamage)
  }
}
