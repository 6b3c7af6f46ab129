public import Todana

extension ValueCollection {
  /// A condition on values.
  public typealias ValueCondition = Condition<StoredValue<Value>>

  // MARK: Queries

  /// Returns the query of a condition, for sorts, for `explain`, and for live queries.
  ///
  /// ```swift
  /// let query = people.query { $0.age > 20 }.sorted(by: \.value!.name).limit(10)
  /// let values = try people.values(of: query)
  /// ```
  public func query(_ condition: (ValueProperties<Value>) -> ValueCondition) -> Query<StoredValue<Value>> {
    let condition = condition(ValueProperties())
    return all.where { _ in condition }
  }

  /// Returns the values of a query.
  ///
  /// - Parameters:
  ///   - query: A query of this collection.
  ///   - onDamage: The policy for records that cannot be read or decoded.
  /// - Returns: The values in the query's order.
  /// - Throws: `StoreError`.
  public func values(of query: Query<StoredValue<Value>>, onDamage: DamagePolicy = .fail) throws -> [Value] {
    guard try exists else { return [] }
    var values: [Value] = []
    try store.forEach(query, onDamage: onDamage) { object, _ in if let value = object.value { values.append(value) } }
    return values
  }

  /// Returns the values that meet a condition.
  ///
  /// ```swift
  /// let adults = try people.find(orderBy: \.name, limit: 10) { $0.age > 20 }
  /// ```
  ///
  /// - Parameters:
  ///   - limit: The maximum number of values; nil for all.
  ///   - offset: The number of values that are skipped.
  ///   - onDamage: The policy for records that cannot be read or decoded. By default, the first one is an error.
  ///   - condition: The condition.
  /// - Returns: The values in the order of insertion; none if there is no such value.
  /// - Throws: `StoreError`.
  public func find(
    limit: Int? = nil, offset: Int = 0, onDamage: DamagePolicy = .fail,
    _ condition: (ValueProperties<Value>) -> ValueCondition
  ) throws -> [Value] {
    try values(of: page(query(condition), limit, offset), onDamage: onDamage)
  }

  /// Returns the values that meet a condition, sorted by a property.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - order: The order.
  ///   - limit: As for the other forms.
  ///   - offset: As for the other forms.
  ///   - onDamage: As for the other forms.
  ///   - condition: The condition.
  /// - Returns: The values in the order of the property.
  /// - Throws: `StoreError`.
  public func find<Field: OrderedValue>(
    orderBy keyPath: any KeyPath<Value, Field> & Sendable, _ order: SortOrder = .ascending, limit: Int? = nil,
    offset: Int = 0, onDamage: DamagePolicy = .fail,
    _ condition: (ValueProperties<Value>) -> ValueCondition = { _ in .always }
  ) throws -> [Value] {
    let query = query(condition).sorted(by: ValuePath.to(keyPath), order)
    return try values(of: page(query, limit, offset), onDamage: onDamage)
  }

  /// Returns the values for which a property is true.
  ///
  /// - Throws: `StoreError`.
  public func find(
    limit: Int? = nil, offset: Int = 0, onDamage: DamagePolicy = .fail,
    _ property: (ValueProperties<Value>) -> Property<StoredValue<Value>, Bool>
  ) throws -> [Value] {
    try find(limit: limit, offset: offset, onDamage: onDamage) { property($0) == true }
  }

  /// Returns all values, in the order of insertion.
  ///
  /// - Throws: `StoreError`.
  public func find(limit: Int? = nil, offset: Int = 0, onDamage: DamagePolicy = .fail) throws -> [Value] {
    try values(of: page(all, limit, offset), onDamage: onDamage)
  }

  private func page(
    _ query: Query<StoredValue<Value>>, _ limit: Int?, _ offset: Int
  ) -> Query<StoredValue<Value>> {
    let query = query.offset(offset)
    return limit.map { query.limit($0) } ?? query
  }

  /// Returns the first value that meets a condition, in the order of insertion; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(_ condition: (ValueProperties<Value>) -> ValueCondition) throws -> Value? {
    try find(limit: 1, condition).first
  }

  /// Returns the first value for which a property is true; nil if there is none.
  ///
  /// - Throws: `StoreError`.
  public func first(_ property: (ValueProperties<Value>) -> Property<StoredValue<Value>, Bool>) throws -> Value? {
    try find(limit: 1, property).first
  }

  /// Returns the number of values.
  ///
  /// - Throws: `StoreError`.
  public func count() throws -> Int { try exists ? try store.count(all) : 0 }

  /// Returns the number of values that meet a condition.
  ///
  /// - Throws: `StoreError`.
  public func count(_ condition: (ValueProperties<Value>) -> ValueCondition) throws -> Int {
    try exists ? try store.count(query(condition)) : 0
  }

  /// Returns the plan of a condition: the indexes that it uses, and the number of values that it reads.
  ///
  /// - Throws: `StoreError`: `unknownCollection` if the collection was not made yet.
  public func explain(_ condition: (ValueProperties<Value>) -> ValueCondition) throws -> QueryPlan {
    try store.explain(query(condition))
  }

  /// Returns the values that meet a condition; the store's isolation domain is not blocked while they are read.
  ///
  /// - Throws: `StoreError`.
  public nonisolated(nonsending) func findAsync(
    limit: Int? = nil, offset: Int = 0, _ condition: (ValueProperties<Value>) -> ValueCondition
  ) async throws -> [Value] {
    guard try exists else { return [] }
    return try await store.fetchAsync(page(query(condition), limit, offset)).compactMap(\.value)
  }

  // MARK: Ids

  /// Returns the value of an id; nil if there is none, or if the collection has ids of another type.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: O(log *n*)
  public func value<ID: Hashable & Sendable>(id: ID) throws -> Value? {
    try identity.given(id).flatMap { try object($0) }?.value
  }

  // MARK: Deleting

  /// Deletes the values that meet a condition, with the next save.
  ///
  /// - Returns: The deleted values.
  /// - Throws: `StoreError`. No value is deleted then.
  @discardableResult
  public func delete(_ condition: (ValueProperties<Value>) -> ValueCondition) throws -> [Value] {
    guard try exists else { return [] }
    let objects = try store.fetch(query(condition))
    let values = objects.compactMap(\.value)
    try store.delete(objects)
    return values
  }

  /// Deletes the value of an id, with the next save.
  ///
  /// - Returns: The deleted value; nil if there is none.
  /// - Throws: `StoreError`.
  @discardableResult
  public func delete<ID: Hashable & Sendable>(id: ID) throws -> Value? {
    guard let known = identity.given(id), let object = try object(known) else { return nil }
    let value = object.value
    try store.delete(object)
    return value
  }
}

extension ValueCollection where Value: Identifiable, Value.ID: Sendable {
  /// The value of an id, a copy; nil if there is none.
  public subscript(id: Value.ID) -> Value? { get throws { try value(id: id) } }
}
