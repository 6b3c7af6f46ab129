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

  /// Calls back with each object of a query, loaded, in its order.
  ///
  /// The objects are loaded one after another, so that memory does not grow with their number. An object that was not
  /// in memory before is released after its visit, unless the program keeps it.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Sets its second argument to true to stop. It may insert, update, delete and save; the objects are those
  ///     that met the query's condition at the call, less those that it deletes.
  /// - Throws: Errors of `body`; ``StoreError``.
  public func forEach<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail,
    _ body: (T, _ stop: inout Bool) throws -> Void
  ) throws {
    var failure: (any Error)?
    var stop = false
    try forEachObject(of: query, includingPending: includingPending, onDamage: onDamage) { object in
      do {
        try checkNotClosed()
        try body(object, &stop)
      } catch {
        failure = error
      }
      return failure == nil && !stop
    }
    if let failure { throw failure }
    try end()
  }
}
