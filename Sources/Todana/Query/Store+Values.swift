// What is wanted of the objects of a query, without the objects.
extension Store {
  /// A property of each object of a query, in its order.
  ///
  /// ```swift
  /// let titles = try store.values(Song.where { $0.genre == "Jazz" }.sorted(by: \.title), of: \.title)
  /// ```
  ///
  /// - Throws: ``StoreError``, as a fetch.
  public func values<T: StoredObject, Value>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> [Value] {
    try values(query, includingPending: includingPending) { $0[keyPath: keyPath] }
  }

  /// A property of each object of a query, in its order: from the index alone where that has it in this order.
  ///
  /// Of values that are equal one may come for another: 0.0 for -0.0.
  public func values<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> [Value] {
    let run = try begin(wanting: [keyPath], of: query, inOrder: true, includingPending: includingPending)
    var values: [Value] = []
    try run.forEachWanted(inOrder: true, startingOver: { values.removeAll() }) { wanted throws(StoreError) in
      values.append(try wanted.value(0, keyPath))
    }
    return values
  }

  /// What a closure takes out of each object of a query, in its order.
  ///
  /// ```swift
  /// let rows = try store.values(Song.all.sorted(by: \.title)) { ($0.title, $0.seconds) }
  /// ```
  ///
  /// The closure must not keep the object: it has the content of another one at the next call.
  public func values<T: StoredObject, Value>(
    _ query: Query<T>, includingPending: Bool = true, _ value: (T) -> Value
  ) throws(StoreError) -> [Value] {
    var values: [Value] = []
    try begin(query, includingPending: includingPending).forEachContent(inOrder: true) { object in
      // The table's class is T.
      values.append(value(unsafe unsafeDowncast(object, to: T.self)))
    }
    return values
  }

  /// The different values of a property among the objects of a query, in their order.
  public func distinctValues<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> [Value] {
    try groups(query, by: keyPath, includingPending: includingPending).map(\.key)
  }

  /// The sum of a property over the objects of a query; nil counts as nothing.
  ///
  /// - Throws: ``StoreError/Code/invalidQuery`` where it is more than an `Int` holds.
  public func sum<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, includingPending: Bool = true
  ) throws(StoreError) -> Number.Sum {
    try summary(query, of: keyPath, includingPending: includingPending).sum
  }

  /// The average of a property over the objects of a query where it is not nil; nil if there are none.
  public func average<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, includingPending: Bool = true
  ) throws(StoreError) -> Double? {
    try summary(query, of: keyPath, includingPending: includingPending).average
  }

  /// The least value of a property among the objects of a query where it is not nil; nil if there are none.
  public func minimum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, .ascending, includingPending)
  }

  /// The greatest value of a property among the objects of a query where it is not nil; nil if there are none.
  public func maximum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, .descending, includingPending)
  }

  private func extreme<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Value>, _ order: SortOrder, _ includingPending: Bool
  ) throws(StoreError) -> Value? {
    if let first = try firstInOrder(query, keyPath, order, includingPending) { return first.value }
    var best: Value?
    let run = try begin(wanting: [keyPath], of: query, includingPending: includingPending)
    try run.forEachWanted(inOrder: false) { wanted throws(StoreError) in
      let value = try wanted.value(0, keyPath)
      if value.isAbsent { return }
      guard let other = best else { return best = value }
      if order == .ascending ? Value.precedes(value, other) : Value.precedes(other, value) { best = value }
    }
    return best
  }

  /// The first value that is there, where an index has it in order; else nil.
  private func firstInOrder<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Value>, _ order: SortOrder, _ includingPending: Bool
  ) throws(StoreError) -> (value: Value?, Void)? {
    guard query.specification.isUnlimited else { return nil }
    // A key path that is shared with nobody.
    let keyPath = unsafe unsafeBitCast(keyPath, to: (any KeyPath<T, Value> & Sendable).self)
    var ordered = query
    ordered.specification.condition = .joinAll([
      query.specification.condition, .test(PresenceTest(property: Property(keyPath))),
    ])
    ordered.specification.sortKeys = [SortKey(keyPath, order)]
    ordered.specification.limit = 1
    try begin()
    let run = try QueryRun(
      ordered.specification, of: table(for: T.self), in: self, includingPending: includingPending)
    guard case .index = run.plan.access, run.plan.order == .given else { return nil }
    var first: Value?
    try run.forEachContent(inOrder: true) { object in
      // The table's class is T.
      first = unsafe unsafeDowncast(object, to: T.self)[keyPath: keyPath]
    }
    return (first, ())
  }

  private func summary<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, includingPending: Bool
  ) throws(StoreError) -> Summary<Number> {
    var summary = Summary<Number>()
    let run = try begin(wanting: [keyPath], of: query, includingPending: includingPending)
    try run.forEachWanted(inOrder: false) { wanted throws(StoreError) in
      try summary.add(try wanted.value(0, keyPath))
    }
    return summary
  }

  /// Begins a query of whose objects some properties are wanted only.
  private func begin<T: StoredObject>(
    wanting keyPaths: [PartialKeyPath<T>], of query: Query<T>, inOrder: Bool = false, includingPending: Bool
  ) throws(StoreError) -> QueryRun {
    var query = query
    if !inOrder, query.specification.isUnlimited { query.specification.sortKeys = [] }
    query.specification.wanted = keyPaths.map { PropertyPath(unshared: $0) }
    return try begin(query, includingPending: includingPending)
  }

  /// The objects of a query by a property: how many have each value, in the order of the values.
  ///
  /// ```swift
  /// for group in try store.groups(Song.all, by: \.genre) { print(group.key ?? "none", group.count) }
  /// ```
  public func groups<T: StoredObject, Key: OrderedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, includingPending: Bool = true
  ) throws(StoreError) -> [(key: Key, count: Int)] {
    var groups = Groups<Key, Int>()
    let run = try begin(wanting: [keyPath], of: query, includingPending: includingPending)
    try run.forEachWanted(inOrder: false) { wanted throws(StoreError) in
      groups.update(try wanted.value(0, keyPath), default: 0) { $0 += 1 }
    }
    return groups.sorted.map { (key: $0.key, count: $0.value) }
  }

  /// The objects of a query by a property, with the number, sum, average, least and greatest value of another one.
  public func groups<T: StoredObject, Key: OrderedValue, Number: SummedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, of numberPath: KeyPath<T, Number>, includingPending: Bool = true
  ) throws(StoreError) -> [(key: Key, summary: Summary<Number>)] {
    var groups = Groups<Key, Summary<Number>>()
    let run = try begin(wanting: [keyPath, numberPath], of: query, includingPending: includingPending)
    try run.forEachWanted(inOrder: false) { wanted throws(StoreError) in
      let number = try wanted.value(1, numberPath)
      var failure: StoreError?
      groups.update(try wanted.value(0, keyPath), default: Summary()) { summary in
        do throws(StoreError) { try summary.add(number) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    return groups.sorted.map { (key: $0.key, summary: $0.value) }
  }
}

/// Values by keys that are the same by the rule of ``OrderedValue``.
private struct Groups<Key: OrderedValue, Value> {
  private var positions: [[UInt8]: Int] = [:]
  private var entries: [(bytes: [UInt8], key: Key, value: Value)] = []

  mutating func update(_ key: Key, default value: @autoclosure () -> Value, _ body: (inout Value) -> Void) {
    let arena = ByteArena()
    var writer = KeyWriter(arena: arena)
    key.writeKey(to: &writer)
    let bytes = unsafe Array(arena.bytes)
    if let position = positions[bytes] { return body(&entries[position].value) }
    positions[bytes] = entries.count
    entries.append((bytes, key, value()))
    body(&entries[entries.count - 1].value)
  }

  var sorted: [(key: Key, value: Value)] {
    entries.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { ($0.key, $0.value) }
  }
}
