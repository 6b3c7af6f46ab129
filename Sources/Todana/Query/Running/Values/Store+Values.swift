// Values of the objects of a query, without the objects.
extension Store {
  /// Returns the values of a property for the objects of a query, in its order.
  ///
  /// ```swift
  /// let titles = try store.values(Song.where { $0.genre == "Jazz" }.sorted(by: \.title), of: \.title)
  /// ```
  ///
  /// A key path may lead through references: `\.album?.title`. The objects are then loaded, many at a time.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - keyPath: A stored property, or one of an object that it refers to.
  ///   - loading: The references that a computed property reads, whose objects are loaded beforehand. Pass `\.self`
  ///     alone if the property reads only the content of its own object. Needed for computed properties only.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read (``DamagePolicy``).
  /// - Returns: The values.
  /// - Throws: ``StoreError``, as a fetch; ``StoreError/Code/invalidQuery`` for a computed property without `loading`.
  public func values<T: StoredObject, Value>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [Value] {
    try values(query, of: keyPath, loading, includingPending, onDamage)
  }

  func values<T: StoredObject, Value>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, _ loading: [PartialKeyPath<T>], _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    try forEachWanted(
      [keyPath], of: query, loading: loading, inOrder: true, fromContent: true, includingPending, onDamage,
      startingOver: { values.removeAll() }
    ) { wanted throws(StoreError) in
      // With `fromContent`, no values come from index entries.
      if let object = unsafe wanted.object { values.append(try wanted.value(0, keyPath, of: object)) }
    }
    return values
  }

  /// Returns the values of a property for the objects of a query, in its order.
  ///
  /// They are read from an index alone if one has them in this order. In that case, a value may be replaced by an equal
  /// one: -0.0 by 0.0.
  @inlinable
  public func values<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [Value] {
    try values(query, of: keyPath, loading, includingPending, onDamage)
  }

  @inlinable
  func values<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, _ loading: [PartialKeyPath<T>], _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    try forEachWanted(
      [keyPath], of: query, loading: loading, inOrder: true, includingPending, onDamage,
      startingOver: { values.removeAll() }
    ) { wanted throws(StoreError) in values.append(try wanted.value(0, keyPath)) }
    return values
  }

  /// Returns the results of a closure for the objects of a query, in its order.
  ///
  /// ```swift
  /// let rows = try store.values(Song.all.sorted(by: \.title)) { ($0.title, $0.seconds) }
  /// ```
  ///
  /// The closure must not keep the object, which gets the content of another one for the next call. Declare the
  /// references that the closure reads, so that their objects are loaded beforehand, many at a time:
  ///
  /// ```swift
  /// let rows = try store.values(Song.all, loading: \.album) { ($0.title, $0.album?.title) }
  /// ```
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - loading: The references that the closure reads. A referenced object that does not exist stays a fault.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  ///   - onDamage: The policy for records that cannot be read (``DamagePolicy``).
  ///   - value: Computes a result from an object.
  /// - Returns: The results.
  /// - Throws: ``StoreError``, as a fetch; ``StoreError/Code/invalidQuery`` if an element of `loading` is not a
  ///   reference.
  public func values<T: StoredObject, Value>(
    _ query: Query<T>, loading: PartialKeyPath<T>..., includingPending: Bool = true, onDamage: DamagePolicy = .fail,
    _ value: (T) -> Value
  ) throws(StoreError) -> [Value] {
    try values(query, loading, includingPending, onDamage, value)
  }

  func values<T: StoredObject, Value>(
    _ query: Query<T>, _ loading: [PartialKeyPath<T>], _ includingPending: Bool, _ onDamage: DamagePolicy,
    _ value: (T) -> Value
  ) throws(StoreError) -> [Value] {
    var query = query
    if !loading.isEmpty { query.specification.wanted = [PropertyPath(unshared: \T.self, loading: loading)] }
    var values: [Value] = []
    // The class of the tables is T, or a subclass of it.
    func add(_ object: StoredObject) { values.append(value(unsafe unsafeDowncast(object, to: T.self))) }
    if query.specification.includesSubclasses {
      try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in
        try run.forEachContent(inOrder: true, add)
      }
    } else {
      try begin(query, includingPending: includingPending, onDamage: onDamage).forEachContent(inOrder: true, add)
    }
    try end()
    return values
  }

  /// Returns the distinct values of a property among the objects of a query, in the order of the values.
  @inlinable
  public func distinctValues<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [Value] {
    try groups(query, by: keyPath, loading, includingPending, onDamage).map(\.key)
  }

  /// Returns the sum of a property over the objects of a query; nil values are left out.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` if an `Int` cannot hold the sum.
  @inlinable
  public func sum<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Number.Sum {
    try summary(query, keyPath, loading, includingPending, onDamage).sum
  }

  /// Returns the average of a property over the objects of a query; nil values are left out.
  ///
  /// - Returns: The average; nil if there are no values.
  @inlinable
  public func average<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Double? {
    try summary(query, keyPath, loading, includingPending, onDamage).average
  }

  /// Returns the smallest value of a property among the objects of a query; nil values are left out.
  ///
  /// - Returns: The value; nil if there is none.
  @inlinable
  public func minimum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, loading, .ascending, includingPending, onDamage)
  }

  /// Returns the greatest value of a property among the objects of a query; nil values are left out.
  ///
  /// - Returns: The value; nil if there is none.
  @inlinable
  public func maximum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, loading, .descending, includingPending, onDamage)
  }

  @inlinable
  func extreme<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Value>, _ loading: [PartialKeyPath<T>], _ order: SortOrder,
    _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> Value? {
    if loading.isEmpty, let first = try firstInOrder(query, keyPath, order, includingPending, onDamage) {
      return first.value
    }
    var best: Value?
    try forEachWanted([keyPath], of: query, loading: loading, includingPending, onDamage) { wanted throws(StoreError) in
      let value = try wanted.value(0, keyPath)
      if value.isAbsent { return }
      guard let other = best else { return best = value }
      if order == .ascending ? Value.precedes(value, other) : Value.precedes(other, value) { best = value }
    }
    return best
  }

  /// Returns the first value that is not nil in the order of an index.
  ///
  /// - Returns: nil if no index has the values in order; otherwise the value, or a nil value if there is none.
  @usableFromInline
  func firstInOrder<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Value>, _ order: SortOrder, _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> (value: Value?, Void)? {
    guard query.specification.isUnlimited, !query.specification.includesSubclasses,
      !PropertyPath(unshared: keyPath).leadsToOtherObjects
    else { return nil }
    // The key path is used by this thread only: a plan with an index starts no threads.
    let keyPath = unsafe unsafeBitCast(keyPath, to: (any KeyPath<T, Value> & Sendable).self)
    var ordered = query
    ordered.specification.condition = .joinAll([
      query.specification.condition, .test(PresenceTest(property: Property(keyPath))),
    ])
    ordered.specification.sortKeys = [SortKey(keyPath, order)]
    ordered.specification.limit = 1
    try begin()
    let table = try table(of: query)
    let run = try withNewestIndexes(of: table) { () throws(StoreError) in
      try QueryRun(
        ordered.specification, of: table, in: self, includingPending: includingPending, onDamage: onDamage)
    }
    guard case .index = run.plan.access, run.plan.order == .given else { return nil }
    try run.reportSkippedRows()
    var first: Value?
    try run.forEachContent(inOrder: true) { object in
      // The table's class is T.
      first = unsafe unsafeDowncast(object, to: T.self)[keyPath: keyPath]
    }
    return (first, ())
  }

  @inlinable
  func summary<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Number>, _ loading: [PartialKeyPath<T>], _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> Summary<Number> {
    var summary = Summary<Number>()
    try forEachWanted([keyPath], of: query, loading: loading, includingPending, onDamage) { wanted throws(StoreError) in
      try summary.add(try wanted.value(0, keyPath))
    }
    return summary
  }

  /// Calls back with some properties of each object of a query.
  @usableFromInline
  func forEachWanted<T: StoredObject>(
    _ keyPaths: [PartialKeyPath<T>], of query: Query<T>, loading: [PartialKeyPath<T>], inOrder: Bool = false,
    fromContent: Bool = false, _ includingPending: Bool, _ onDamage: DamagePolicy, startingOver: () -> Void = {},
    _ body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    var query = query
    if !inOrder, query.specification.isUnlimited { query.specification.sortKeys = [] }
    query.specification.wanted = keyPaths.map {
      PropertyPath(unshared: $0, loading: loading.isEmpty ? nil : loading)
    }
    if query.specification.includesSubclasses {
      return try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in
        try run.forEachWanted(inOrder: inOrder, fromContent: fromContent, body)
      }
    }
    try begin(query, includingPending: includingPending, onDamage: onDamage)
      .forEachWanted(inOrder: inOrder, fromContent: fromContent, startingOver: startingOver, body)
  }

  /// Returns the distinct values of a property and the number of objects with each, in the order of the values.
  ///
  /// ```swift
  /// for group in try store.groups(Song.all, by: \.genre) { print(group.key ?? "none", group.count) }
  /// ```
  @inlinable
  public func groups<T: StoredObject, Key: OrderedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, loading: PartialKeyPath<T>..., includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [(key: Key, count: Int)] {
    try groups(query, by: keyPath, loading, includingPending, onDamage)
  }

  @inlinable
  func groups<T: StoredObject, Key: OrderedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, _ loading: [PartialKeyPath<T>], _ includingPending: Bool,
    _ onDamage: DamagePolicy
  ) throws(StoreError) -> [(key: Key, count: Int)] {
    var numbers = GroupNumbers()
    var groups: [(key: Key, count: Int)] = []
    try forEachWanted([keyPath], of: query, loading: loading, includingPending, onDamage) { wanted throws(StoreError) in
      let key = try wanted.value(0, keyPath)
      let number = numbers.number(of: key)
      if number == groups.count { groups.append((key, 0)) }
      groups[number].count += 1
    }
    return numbers.inOrder.map { groups[$0] }
  }

  /// Returns the distinct values of a property, and for each a summary of another property.
  ///
  /// The summary has the number, sum, average, least and greatest value. The groups are in the order of their keys.
  @inlinable
  public func groups<T: StoredObject, Key: OrderedValue, Number: SummedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, of numberPath: KeyPath<T, Number>, loading: PartialKeyPath<T>...,
    includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [(key: Key, summary: Summary<Number>)] {
    try groups(query, by: keyPath, of: numberPath, loading, includingPending, onDamage)
  }

  @inlinable
  func groups<T: StoredObject, Key: OrderedValue, Number: SummedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, of numberPath: KeyPath<T, Number>, _ loading: [PartialKeyPath<T>],
    _ includingPending: Bool, _ onDamage: DamagePolicy
  ) throws(StoreError) -> [(key: Key, summary: Summary<Number>)] {
    var numbers = GroupNumbers()
    var groups: [(key: Key, summary: Summary<Number>)] = []
    try forEachWanted([keyPath, numberPath], of: query, loading: loading, includingPending, onDamage) {
      wanted throws(StoreError) in
      let key = try wanted.value(0, keyPath)
      let number = numbers.number(of: key)
      if number == groups.count { groups.append((key, Summary())) }
      try groups[number].summary.add(try wanted.value(1, numberPath))
    }
    return numbers.inOrder.map { groups[$0] }
  }
}
