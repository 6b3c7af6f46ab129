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
    try extreme(query, keyPath, includingPending) { Value.precedes($0, $1) }
  }

  /// The greatest value of a property among the objects of a query where it is not nil; nil if there are none.
  public func maximum<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Value>, includingPending: Bool = true
  ) throws(StoreError) -> Value? {
    try extreme(query, keyPath, includingPending) { Value.precedes($1, $0) }
  }

  private func extreme<T: StoredObject, Value: OrderedValue>(
    _ query: Query<T>, _ keyPath: KeyPath<T, Value>, _ includingPending: Bool, _ isBetter: (Value, Value) -> Bool
  ) throws(StoreError) -> Value? {
    var best: Value?
    try begin(query, includingPending: includingPending).forEachContent(inOrder: false) { object in
      // The table's class is T.
      let value = unsafe unsafeDowncast(object, to: T.self)[keyPath: keyPath]
      if !value.isAbsent, best.map({ isBetter(value, $0) }) ?? true { best = value }
    }
    return best
  }

  private func summary<T: StoredObject, Number: SummedValue>(
    _ query: Query<T>, of keyPath: KeyPath<T, Number>, includingPending: Bool
  ) throws(StoreError) -> Summary<Number> {
    var summary = Summary<Number>()
    try begin(query, includingPending: includingPending).forEachContent(inOrder: false) { object throws(StoreError) in
      // The table's class is T.
      try summary.add(unsafe unsafeDowncast(object, to: T.self)[keyPath: keyPath])
    }
    return summary
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
    try begin(query, includingPending: includingPending).forEachContent(inOrder: false) { object throws(StoreError) in
      // The table's class is T.
      let key = unsafe unsafeDowncast(object, to: T.self)[keyPath: keyPath]
      groups.update(key, default: 0) { $0 += 1 }
    }
    return groups.sorted.map { (key: $0.key, count: $0.value) }
  }

  /// The objects of a query by a property, with the number, sum, average, least and greatest value of another one.
  public func groups<T: StoredObject, Key: OrderedValue, Number: SummedValue>(
    _ query: Query<T>, by keyPath: KeyPath<T, Key>, of numberPath: KeyPath<T, Number>, includingPending: Bool = true
  ) throws(StoreError) -> [(key: Key, summary: Summary<Number>)] {
    var groups = Groups<Key, Summary<Number>>()
    try begin(query, includingPending: includingPending).forEachContent(inOrder: false) { object throws(StoreError) in
      // The table's class is T.
      let object = unsafe unsafeDowncast(object, to: T.self)
      let number = object[keyPath: numberPath]
      var failure: StoreError?
      groups.update(object[keyPath: keyPath], default: Summary()) { summary in
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
