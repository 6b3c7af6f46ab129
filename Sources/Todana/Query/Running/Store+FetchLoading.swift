// Fetches of a query that load the objects to which a property of its objects refers.
extension Store {
  /// Returns the objects of a query, and loads the objects that a property of each refers to, with few reads.
  ///
  /// ```swift
  /// let mixes = try store.fetch(Playlist.where { $0.title.hasPrefix("Mix") }, loading: \.songs)
  /// ```
  ///
  /// - Parameters:
  ///   - query: A query.
  ///   - relation: The property with the references.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read, both of the query and of objects that the property refers
  ///     to. It also applies to references to objects that no longer exist (``StoreError/Code/rowNotFound``): such a
  ///     reference stays a fault in its object.
  /// - Returns: The objects of the query.
  /// - Throws: ``StoreError``.
  public func fetch<T: StoredObject, Related: StoredObject>(
    _ query: Query<T>, loading relation: KeyPath<T, [Related]>, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try fetch(query, includingPending, onDamage) { objects, onDamage throws(StoreError) in
      try load(objects.lazy.flatMap { $0[keyPath: relation] }, onDamage: onDamage)
    }
  }

  /// Returns the objects of a query, and loads the objects of a set that each has, with few reads.
  ///
  /// See ``fetch(_:loading:includingPending:onDamage:)-(_,KeyPath<T,[Related]>,_,_)``.
  public func fetch<T: StoredObject, Related: StoredObject>(
    _ query: Query<T>, loading relation: KeyPath<T, Set<Related>>, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try fetch(query, includingPending, onDamage) { objects, onDamage throws(StoreError) in
      try load(objects.lazy.flatMap { $0[keyPath: relation] }, onDamage: onDamage)
    }
  }

  /// Returns the objects of a query, and loads the object that a property of each refers to, with few reads.
  ///
  /// See ``fetch(_:loading:includingPending:onDamage:)-(_,KeyPath<T,[Related]>,_,_)``.
  public func fetch<T: StoredObject, Related: StoredObject>(
    _ query: Query<T>, loading relation: KeyPath<T, Related?>, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try fetch(query, includingPending, onDamage) { objects, onDamage throws(StoreError) in
      try load(objects.lazy.compactMap { $0[keyPath: relation] }, onDamage: onDamage)
    }
  }

  private func fetch<T: StoredObject>(
    _ query: Query<T>, _ includingPending: Bool, _ onDamage: DamagePolicy,
    _ loadRelated: ([T], DamagePolicy) throws(StoreError) -> Void
  ) throws(StoreError) -> [T] {
    try begin()
    let onDamage = onDamage.reportingOnce
    return try readingOneState { () throws(StoreError) in
      let objects = try fetch(query, includingPending: includingPending, onDamage: onDamage)
      try loadRelated(objects, onDamage)
      return objects
    }
  }

  /// Returns the objects of a query, and loads the objects that a property of each refers to, without blocking.
  ///
  /// See ``fetch(_:loading:includingPending:onDamage:)-(_,KeyPath<T,[Related]>,_,_)``.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject, Related: StoredObject>(
    _ query: Query<T>, loading relation: KeyPath<T, [Related]>, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [T] {
    let objects = try await fetchAsync(query, includingPending: includingPending, onDamage: onDamage)
    try await loadAsync(objects.flatMap { $0[keyPath: relation] }, onDamage: onDamage)
    return objects
  }

  /// Returns the objects of a query, and loads the object that a property of each refers to, without blocking.
  ///
  /// See ``fetch(_:loading:includingPending:onDamage:)-(_,KeyPath<T,Related?>,_,_)``.
  public nonisolated(nonsending) func fetchAsync<T: StoredObject, Related: StoredObject>(
    _ query: Query<T>, loading relation: KeyPath<T, Related?>, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [T] {
    let objects = try await fetchAsync(query, includingPending: includingPending, onDamage: onDamage)
    try await loadAsync(objects.compactMap { $0[keyPath: relation] }, onDamage: onDamage)
    return objects
  }
}
