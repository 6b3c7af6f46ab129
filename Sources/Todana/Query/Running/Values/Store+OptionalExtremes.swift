// The extremes of optional properties: nil values are left out, so the result has one level of optional.
extension Store {
  /// Returns the smallest value of an optional property among the objects of a query; nil values are left out.
  ///
  /// - Returns: The value; nil if there is none.
  @inlinable
  public func minimum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value?>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, loading, .ascending, includingPending, onDamage) ?? nil
  }

  /// Returns the greatest value of an optional property among the objects of a query; nil values are left out.
  ///
  /// - Returns: The value; nil if there is none.
  @inlinable
  public func maximum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value?>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, loading, .descending, includingPending, onDamage) ?? nil
  }

  /// Returns the smallest value of an optional property among the objects of a query without blocking; nil if there is
  /// none.
  public nonisolated(nonsending) func minimumAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value?> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Value? {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.extreme(query, keyPath, loading, .ascending, includingPending, onDamage)
    } ?? nil
  }

  /// Returns the greatest value of an optional property among the objects of a query without blocking; nil if there is
  /// none.
  public nonisolated(nonsending) func maximumAsync<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: any KeyPath<T, Value?> & Sendable, loading: any PartialKeyPath<T> & Sendable...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> Value? {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.extreme(query, keyPath, loading, .descending, includingPending, onDamage)
    } ?? nil
  }
}
