// Inserting objects, or updating those that exist already.
extension Store {
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
  /// - Complexity: That of a query for the value, which tests all pending objects of the class. For many objects, use
  ///   ``upsert(contentsOf:by:onDamage:merging:)``.
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
    try allOrNothing { () throws -> Void in try update(existing, from: object, merge) }
    return existing
  }

  /// Inserts objects, or updates the existing objects with the same values of a property.
  ///
  /// ```swift
  /// let songs = try store.upsert(contentsOf: imported, by: \.isrc) { existing, new in existing.title = new.title }
  /// ```
  ///
  /// The result is that of ``upsert(_:by:onDamage:merging:)`` for one object after another. So if several of the objects
  /// have the same value, the first one is inserted, and the others update it. But existing objects are found by one
  /// query for many values.
  ///
  /// - Parameters:
  ///   - objects: Objects in no store.
  ///   - keyPath: The property that identifies an object.
  ///   - onDamage: The policy for records that cannot be read. Such a record may belong to an object with one of the
  ///     values.
  ///   - merge: Changes the existing object according to the new one. It must not change the property of any object. By
  ///     default, the existing object gets the entire content of the new one.
  /// - Returns: For each of the objects, the one that is in the store.
  /// - Throws: Errors of `merge`; ``StoreError``. Nothing in the store is changed then.
  /// - Complexity: O(*m* log *n*) with a unique index on the property, for *m* objects and *n* existing ones; otherwise
  ///   also O(*n*).
  @discardableResult
  public func upsert<T: StoredObject, Value: OrderedValue>(
    contentsOf objects: some Sequence<T>, by keyPath: any KeyPath<T, Value> & Sendable,
    onDamage: DamagePolicy = .fail, merging merge: ((_ existing: T, _ new: T) throws -> Void)? = nil
  ) throws -> [T] {
    try beginChange()
    let objects = Array(objects)
    return try allOrNothing { () throws -> [T] in
      var stored: [T] = []
      stored.reserveCapacity(objects.count)
      var start = 0
      while start < objects.count {
        let part = objects[start..<min(start + Self.upsertLimit, objects.count)]
        try upsert(part, by: Property(keyPath), onDamage, merge, &stored)
        start = part.endIndex
      }
      return stored
    }
  }

  /// The largest number of values that one query searches for.
  private static let upsertLimit = 1 << 15

  private func upsert<T: StoredObject, Value: OrderedValue>(
    _ objects: ArraySlice<T>, by property: Property<T, Value>, _ onDamage: DamagePolicy,
    _ merge: ((T, T) throws -> Void)?, _ stored: inout [T]
  ) throws {
    var existing = ValueMap<T, Value>(property)
    let values = try objects.map { try property.read($0) }
    let present = values.filter { !$0.isAbsent }
    if !present.isEmpty {
      for object in try fetch(Query(property.isIn(present)), onDamage: onDamage) { try existing.add(object) }
    }
    for (object, value) in zip(objects, values) {
      guard !value.isAbsent, let found = try existing.first(value), found !== object else {
        try insert(object)
        if !value.isAbsent { try existing.add(object) }
        stored.append(object)
        continue
      }
      try update(found, from: object, merge)
      stored.append(found)
    }
  }

  private func update<T: StoredObject>(
    _ existing: T, from new: T, _ merge: ((T, T) throws -> Void)?
  ) throws {
    try updateWithinSavepoint(existing) { existing in
      if let merge { return try merge(existing, new) }
      ContentSnapshot(of: new).restore(existing)
    }
  }
}

/// Objects by the value of a property.
private struct ValueMap<T: StoredObject, Value: OrderedValue> {
  private let property: Property<T, Value>
  /// The objects, by the bytes of their values in an index.
  ///
  /// The bytes of long values are cut, so different values may have the same bytes.
  private var objects: [[UInt8]: [T]] = [:]

  init(_ property: Property<T, Value>) { self.property = property }

  mutating func add(_ object: T) throws(StoreError) {
    objects[EncodedValue(try property.read(object)).bytes, default: []].append(object)
  }

  /// Returns the first object that was added with a value, and is not deleted; nil if there is none.
  func first(_ value: Value) throws(StoreError) -> T? {
    for object in objects[EncodedValue(value).bytes] ?? [] where !object.state.contains(.deleted) {
      if Value.isEqual(try property.read(object), value) { return object }
    }
    return nil
  }
}
