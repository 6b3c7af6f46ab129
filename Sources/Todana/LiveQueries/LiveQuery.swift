extension Store {
  /// The results of a query, now and after every commit that changes them, with the differences.
  ///
  /// ```swift
  /// for try await change in store.observe(Song.where { $0.genre == "Jazz" }.sorted(by: \.title)) {
  ///   table.apply(change.deletions, change.insertions, change.updates)
  /// }
  /// ```
  ///
  /// Goes by what is saved, by this or another store of the ``backend``: pending changes are not in it. The first element
  /// is the whole result, as insertions. Commits that come while an element is being dealt with are taken together.
  ///
  /// A commit costs a look at the objects that it changed, and nothing where it changed none of the class; but a query
  /// with a limit or an offset, or that looks at objects which others refer to, is carried out again. It is used where the
  /// store is used. Ends with an error where the store is closed, and when the task is cancelled.
  ///
  /// - Parameters:
  ///   - query: Of exactly this class.
  ///   - onDamage: The policy for records that cannot be read. With ``DamagePolicy/report(_:)`` each is reported once,
  ///     in the store's domain, and again if it was changed and still cannot be read; with ``DamagePolicy/fail`` the
  ///     sequence throws.
  /// - Returns: A sequence whose every pass observes the query.
  public func observe<T: StoredObject>(_ query: Query<T>, onDamage: DamagePolicy = .fail) -> LiveQuery<T> {
    LiveQuery(store: self, query: query, onDamage: onDamage)
  }
}

/// The results of a query as they change; ``Store/observe(_:onDamage:)`` makes it.
public struct LiveQuery<T: StoredObject>: AsyncSequence {
  public typealias Element = QueryChange<T>

  let store: Store
  let query: Query<T>
  let onDamage: DamagePolicy

  public func makeAsyncIterator() -> Iterator { Iterator(store: store, query: query, onDamage: onDamage) }

  public struct Iterator: AsyncIteratorProtocol {
    private let store: Store
    private let query: Query<T>
    private let onDamage: DamagePolicy
    private let membership: CommitSequence.Membership
    private var result: LiveResult?

    init(store: Store, query: Query<T>, onDamage: DamagePolicy) {
      self.store = store
      self.query = query
      self.onDamage = onDamage
      // Before the first look, so that nothing is missed.
      membership = CommitSequence.Membership(store.session.changes)
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> QueryChange<T>? {
      while true {
        try Task.checkCancellation()
        try store.begin()
        let commits = membership.hub.take(membership.id)
        if result != nil {
          if !commits.isEmpty {
            // In place: a copy would take as long as the result is large.
            if let difference = try result?.apply(commits) { return QueryChange(store: store, difference: difference) }
            continue
          }
        } else {
          let live = try LiveResult(
            query.specification, of: store.table(for: T.self), in: store, onDamage: onDamage)
          result = live
          return QueryChange(store: store, difference: live.whole)
        }
        await membership.hub.wait(membership.id)
      }
    }

    public nonisolated(nonsending) mutating func next() async throws -> QueryChange<T>? {
      try await next(isolation: #isolation)
    }
  }
}

/// A result of a query and what is different from the one before.
///
/// To make a list of the one before into this one: take out what stands at ``deletions``, the highest index first; then
/// put in what is at ``insertions``, the lowest first. An object that moved is among both. What stands at ``updates``
/// has changed, whether it moved or not.
public struct QueryChange<T: StoredObject> {
  private let store: Store
  private let difference: LiveDifference

  init(store: Store, difference: LiveDifference) {
    self.store = store
    self.difference = difference
  }

  /// The objects of the result, in order.
  public var ids: [ObjectID<T>] { difference.rowIDs.map { id(of: $0) } }

  /// The number of objects.
  public var count: Int { difference.rowIDs.count }

  /// Indexes into the result before, ascending.
  public var deletions: [Int] { difference.deletions }

  /// Indexes into this result, ascending.
  public var insertions: [Int] { difference.insertions }

  /// Indexes into this result, ascending, of objects that were in the one before and changed.
  public var updates: [Int] { difference.updates }

  /// Objects that are at another place than before, whatever came and went around them.
  public var moves: [(from: Int, to: Int)] { difference.moves }

  /// The commit as of which the result is.
  public var commitNumber: CommitNumber { difference.commitNumber }

  /// The object at an index, loaded; nil where it was deleted since.
  public func object(at index: Int) throws(StoreError) -> T? { try store.fetch(id(of: difference.rowIDs[index])) }

  /// The objects of the result, loaded; without those that were deleted since.
  public func objects(onDamage: DamagePolicy = .fail) throws(StoreError) -> [T] {
    try store.fetch(ids, onDamage: onDamage).compactMap { $0 }
  }

  private func id(of rowID: RowID) -> ObjectID<T> {
    ObjectID(unchecked: AnyObjectID(classID: difference.classID, rowID: rowID))
  }
}
