// Changes to the objects of a query.
extension Store {
  /// Changes every object of a query; the next save writes the changes.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - change: Receives each object, loaded.
  /// - Returns: The objects.
  /// - Throws: Errors of `change`; ``StoreError``. After an error, no object is changed, as in ``savepoint(_:)``.
  @discardableResult
  public func update<T: StoredObject>(
    _ query: Query<T>, onDamage: DamagePolicy = .fail, _ change: (T) throws -> Void
  ) throws -> [T] {
    let objects = try fetch(query, onDamage: onDamage)
    try allOrNothing { () throws -> Void in
      for object in objects { try updateWithinSavepoint(object, change) }
    }
    return objects
  }

  /// Deletes every object of a query with the next save.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - onDamage: The policy for records that cannot be read; their objects are not deleted.
  /// - Returns: The identities of the objects.
  /// - Throws: Errors of a `prepareForDelete`; ``StoreError``. After an error, no object is deleted.
  @discardableResult
  public func delete<T: StoredObject>(
    _ query: Query<T>, onDamage: DamagePolicy = .fail
  ) throws -> [ObjectID<T>] {
    let objects = try fetch(query, onDamage: onDamage)
    let ids = objects.compactMap(\.id)
    try delete(objects)
    return ids
  }

  /// Inserts an object, or updates the existing object with the same value of a property.
  ///
  /// ```swift
  /// let song = try store.upsert(imported, by: \.isrc)
  /// ```
  ///
  /// With a unique index on the property, there is at most one such object. Otherwise, the object with the lowest row
  /// id is used. An object whose value is nil is always inserted.
  ///
  /// - Parameters:
  ///   - object: An object in no store.
  ///   - keyPath: The property that identifies the object.
  ///   - onDamage: The policy for records that cannot be read. Such a record may belong to an object with this value.
  ///   - merge: Changes the existing object according to the new one. By default, the existing object gets the entire
  ///     content of the new one.
  /// - Returns: The object that is in the store.
  /// - Throws: Errors of `merge`, after which nothing in the store is changed; ``StoreError``.
  @discardableResult
  public func upsert<T: StoredObject, Value: OrderedValue>(
    _ object: T, by keyPath: any KeyPath<T, Value> & Sendable, onDamage: DamagePolicy = .fail,
    merging merge: ((_ existing: T, _ new: T) throws -> Void)? = nil
  ) throws -> T {
    let property = Property<T, Value>(keyPath)
    let value = try property.read(object)
    let sameValue = Query(property == value)
    guard !value.isAbsent, let existing = try first(sameValue, onDamage: onDamage), existing !== object else {
      try insert(object)
      return object
    }
    try allOrNothing { () throws -> Void in
      try updateWithinSavepoint(existing) { existing in
        if let merge { return try merge(existing, object) }
        ContentSnapshot(of: object).restore(existing)
      }
    }
    return existing
  }

  /// Calls back with each object of a query, loaded, in its order.
  ///
  /// The objects are loaded one after another, so that memory does not grow with their number. An object that was not
  /// in memory before is released after its visit, unless the program keeps it.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Sets its second argument to true to stop. It must not save.
  /// - Throws: Errors of `body`; ``StoreError``.
  public func forEach<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail,
    _ body: (T, _ stop: inout Bool) throws -> Void
  ) throws {
    var failure: (any Error)?
    var stop = false
    try forEachObject(of: query, includingPending: includingPending, onDamage: onDamage) { object in
      do {
        try body(object, &stop)
      } catch {
        failure = error
      }
      return failure == nil && !stop
    }
    if let failure { throw failure }
  }
}
