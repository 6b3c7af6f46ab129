extension StoreActor {
  /// Returns a sequence of the results of a query as values, now and after every commit that changes them.
  ///
  /// ```swift
  /// let query = Song.where { $0.genre == "Jazz" }.sorted(by: \.title)
  /// for try await rows in library.observe(query, map: { Row(id: $0.id, title: $0.title) }) { list.show(rows) }
  /// ```
  ///
  /// The query runs in the actor, and each of its objects is turned into a value there. The sequence can be used in any
  /// isolation domain, such as the main actor. It follows saved objects, as ``Store/observe(_:onDamage:)`` does, and
  /// throws the same errors and those of the closure.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - map: Returns the value of an object, which is loaded. It runs again for all objects after each change.
  /// - Returns: A sequence of which every pass observes the query.
  public nonisolated func observe<T: StoredObject, Row: Sendable>(
    _ query: Query<T>, map: @escaping @Sendable (T) throws -> Row
  ) -> LiveRows<Row> {
    LiveRows { [weak self] in
      guard let self else { throw StoreError(.closed, "The store was released.") }
      return LiveRows.Source(actor: self, query: query, map: map)
    }
  }
}

/// The results of a query as values, as they change; returned by ``StoreActor/observe(_:map:)``.
public struct LiveRows<Row: Sendable>: AsyncSequence, Sendable {
  public typealias Element = [Row]

  let makeSource: @Sendable () throws -> Source

  public func makeAsyncIterator() -> Iterator { Iterator(makeSource: makeSource) }

  /// A pass over the results.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let makeSource: @Sendable () throws -> Source
    private var source: Source?

    init(makeSource: @escaping @Sendable () throws -> Source) { self.makeSource = makeSource }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> [Row]? {
      let source = try self.source ?? makeSource()
      self.source = source
      return try await source.next()
    }

    public nonisolated(nonsending) mutating func next() async throws -> [Row]? {
      try await next(isolation: #isolation)
    }
  }

  /// The query in the actor.
  final class Source: Sendable {
    let next: @Sendable () async throws -> [Row]?

    init<T: StoredObject>(actor: StoreActor, query: Query<T>, map: @escaping @Sendable (T) throws -> Row) {
      let pass = LivePass<T>(query: query)
      next = { [weak actor] in
        guard let actor else { throw StoreError(.closed, "The store was released.") }
        return try await pass.next(in: actor, map)
      }
    }
  }
}

/// The state of an iterator that stays in an actor.
///
/// Safe to share: only code that is isolated to the actor accesses the iterator.
private final class LivePass<T: StoredObject>: @unchecked Sendable {
  private let query: Query<T>
  private var iterator: LiveQuery<T>.Iterator?

  init(query: Query<T>) { self.query = query }

  func next<Row: Sendable>(in actor: StoreActor, _ map: @escaping @Sendable (T) throws -> Row) async throws -> [Row]? {
    try await actor.perform { (store: Store) async throws -> [Row]? in
      var iterator = self.iterator ?? store.observe(self.query).makeAsyncIterator()
      let change = try await iterator.next()
      self.iterator = iterator
      return try change?.objects().map(map)
    }
  }
}
