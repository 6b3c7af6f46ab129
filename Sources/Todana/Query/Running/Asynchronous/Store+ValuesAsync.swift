// Values of the objects of a query without blocking. Another thread computes them, on a copy of the changes that are
// pending at the call (`Store.fetchAsync`).
extension Store {
  /// Returns the values of a property for the objects of a query, in its order, without blocking.
  ///
  /// See ``values(_:loading:includingPending:onDamage:_:)``.
  public nonisolated(nonsending) func valuesAsync<T: StoredObject, Value: Sendable>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [Value] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.values(query, of: keyPath, loading, includingPending, onDamage)
    }
  }

  /// Returns the values of a property for the objects of a query, in its order, without blocking.
  ///
  /// They are read from an index alone if one has them in this order.
  public nonisolated(nonsending) func valuesAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [Value] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.values(query, of: keyPath, loading, includingPending, onDamage)
    }
  }

  /// Returns the results of a closure for the objects of a query, in its order, without blocking.
  ///
  /// The closure runs on another thread. See ``values(_:loading:includingPending:onDamage:_:)``.
  public nonisolated(nonsending) func valuesAsync<T: StoredObject, Value: Sendable>(
    _ query: Query<T>, loading: any PartialKeyPath<T> & Sendable..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail, _ value: @escaping @Sendable (T) -> Value
  ) async throws(StoreError) -> [Value] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.values(query, loading, includingPending, onDamage, value)
    }
  }

  /// Returns the distinct values of a property among the objects of a query, in the order of the values, without
  /// blocking.
  public nonisolated(nonsending) func distinctValuesAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [Value] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.groups(query, by: keyPath, loading, includingPending, onDamage).map(\.key)
    }
  }

  /// Returns the sum of a property over the objects of a query without blocking; nil values are left out.
  ///
  /// See ``sum(_:of:loading:includingPending:onDamage:)``.
  public nonisolated(nonsending) func sumAsync<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Number> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Number.Sum {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.summary(query, keyPath, loading, includingPending, onDamage).sum
    }
  }

  /// Returns the average of a property over the objects of a query without blocking; nil if there are no values.
  public nonisolated(nonsending) func averageAsync<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Number> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Double? {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.summary(query, keyPath, loading, includingPending, onDamage).average
    }
  }

  /// Returns the smallest value of a property among the objects of a query without blocking; nil if there is none.
  public nonisolated(nonsending) func minimumAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Value? {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.extreme(query, keyPath, loading, .ascending, includingPending, onDamage)
    }
  }

  /// Returns the greatest value of a property among the objects of a query without blocking; nil if there is none.
  public nonisolated(nonsending) func maximumAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Value? {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.extreme(query, keyPath, loading, .descending, includingPending, onDamage)
    }
  }

  /// Returns the distinct values of a property and the number of objects with each, without blocking.
  ///
  /// See ``groups(_:by:loading:includingPending:onDamage:)``.
  public nonisolated(nonsending) func groupsAsync<T: StoredObject, Key: OrderedValue>(
    _ query: Query<T>, by keyPath: any KeyPath<T, Key> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [(key: Key, count: Int)] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.groups(query, by: keyPath, loading, includingPending, onDamage)
    }
  }

  /// Returns the distinct values of a property, and for each a summary of another property, without blocking.
  ///
  /// See ``groups(_:by:of:loading:includingPending:onDamage:)``.
  public nonisolated(nonsending) func groupsAsync<T: StoredObject, Key: OrderedValue, Number: SummedValue>(
    _ query: Query<T>, by keyPath: any KeyPath<T, Key> & Sendable, of numberPath: any KeyPath<T, Number> & Sendable,
    loading: any PartialKeyPath<T> & Sendable..., includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [(key: Key, summary: Summary<Number>)] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.groups(query, by: keyPath, of: numberPath, loading, includingPending, onDamage)
    }
  }
}
