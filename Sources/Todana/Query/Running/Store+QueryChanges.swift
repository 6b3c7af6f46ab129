// Changing what a query finds.
extension Store {
  /// Changes every object of a query; the next save writes them.
  ///
  /// - Parameters:
  ///   - query: Of exactly this class.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - change: Gets each object, loaded.
  /// - Returns: The objects.
  /// - Throws: What the closure throws; ``StoreError``. No object is changed then: see ``savepoint(_:)``.
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
  ///   - query: Of exactly this class.
  ///   - onDamage: The policy for records that cannot be read; their objects stay.
  /// - Returns: The identities of the objects.
  /// - Throws: What a `prepareForDelete` throws; ``StoreError``. Nothing is deleted then.
  @discardableResult
  public func delete<T: StoredObject>(
    _ query: Query<T>, onDamage: DamagePolicy = .fail
  ) throws -> [ObjectID<T>] {
    let objects = try fetch(query, onDamage: onDamage)
    let ids = objects.compactMap(\.id)
    try delete(objects)
    return ids
  }

  /// Inserts an object, or, where another has the same value of a property, gives that one its content.
  ///
  /// ```swift
  /// let song = try store.upsert(imported, by: \.isrc)
  /// ```
  ///
  /// With a unique index on the property there is one such object at most; otherwise the one with the lowest row id is
  /// taken. An object whose value is nil is always inserted.
  ///
  /// - Parameters:
  ///   - object: An object in no store.
  ///   - keyPath: The property that tells which object it is.
  ///   - onDamage: The policy for records that cannot be read, which may be of an object with this value.
  ///   - merge: What is to become of the object that is there and the new one: it changes the first. By default the first
  ///     gets all the content of the second.
  /// - Returns: The object that is in the store.
  /// - Throws: What `merge` throws, after which nothing in the store is changed; ``StoreError``.
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

  /// Visits the objects of a query, loaded, in its order, one after another, so that memory does not grow with them.
  ///
  /// An object that was not in memory before and that nobody keeps is let go after its visit.
  ///
  /// - Parameters:
  ///   - query: Of exactly this class.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Sets its second argument to true to end. It must not save.
  /// - Throws: What the body throws; ``StoreError``.
  public func forEach<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail,
    _ body: (T, _ stop: inout Bool) throws -> Void
  ) throws {
    let run = try begin(query, includingPending: includingPending, onDamage: onDamage)
    var failure: (any Error)?
    var stop = false
    try run.forEachObject { object in
      do {
        // The table's class is T.
        try body(unsafe unsafeDowncast(object, to: T.self), &stop)
      } catch {
        failure = error
      }
      return failure == nil && !stop
    }
    if let failure { throw failure }
  }
}
