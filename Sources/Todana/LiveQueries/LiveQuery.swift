extension Store {
  /// Returns a sequence of the results of a query, now and after every commit that changes them, with the differences.
  ///
  /// ```swift
  /// for try await change in store.observe(Song.where { $0.genre == "Jazz" }.sorted(by: \.title)) {
  ///   table.apply(change.deletions, change.insertions, change.updates)
  /// }
  /// ```
  ///
  /// The results are those of saved objects, whichever store of the ``backend`` saved them; pending changes are not
  /// included. The first element is the whole result, as insertions. Commits that are made while an element is being
  /// processed are combined into the next one.
  ///
  /// After a commit only the objects that it changed are checked, and none if it changed no object of the class. Two
  /// kinds of queries run again instead: those with a limit or an offset, and those that read other objects through
  /// references.
  ///
  /// The sequence must be used in the store's isolation domain. It throws if the store is closed or the task is
  /// cancelled.
  ///
  /// - Parameters:
  ///   - query: The query; its result has objects of exactly this class.
  ///   - onDamage: The policy for records that cannot be read. With ``DamagePolicy/report(_:)`` each is reported once,
  ///     in the store's domain, and again if it was changed and still cannot be read. With ``DamagePolicy/fail`` the
  ///     sequence throws.
  /// - Returns: A sequence of which every pass observes the query.
  public func observe<T: StoredObject>(_ query: Query<T>, onDamage: DamagePolicy = .fail) -> LiveQuery<T> {
    LiveQuery(store: self, query: query, onDamage: onDamage)
  }
}

/// The results of a query as they change; returned by ``Store/observe(_:onDamage:)``.
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
    /// The result if the query includes subclasses.
    private var subclassResult: LiveSubclassResult?

    init(store: Store, query: Query<T>, onDamage: DamagePolicy) {
      self.store = store
      self.query = query
      self.onDamage = onDamage
      // Joins before the first run of the query, so that no commit is missed.
      membership = CommitSequence.Membership(store.session.changes, store.scope(of: query))
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> QueryChange<T>? {
      while true {
        try Task.checkCancellation()
        try store.begin()
        let commits = membership.hub.take(membership.id)
        if result != nil || subclassResult != nil {
          if !commits.isEmpty {
            // Applied in place: a copy would take time proportional to the size of the result.
            let difference = try result?.apply(commits) ?? subclassResult?.apply(commits)
            if let difference { return QueryChange(store: store, difference: difference) }
            continue
          }
        } else if query.specification.includesSubclasses {
          let live = try LiveSubclassResult(query.specification, of: T.self, in: store, onDamage: onDamage)
          subclassResult = live
          return QueryChange(store: store, difference: live.whole)
        } else {
          let live = try LiveResult(
            query.specification, of: store.table(of: query), in: store, onDamage: onDamage)
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

extension Store {
  /// Returns the scope of the changes that can change the result of a query.
  func scope<T: StoredObject>(of query: Query<T>) -> ObservedScope {
    let specification = query.specification
    // Any object may come to refer to one.
    if specification.paths.contains(where: \.readsInverse) { return .whole }
    let targets = specification.readsOwnProperties ? [] : specification.paths.flatMap(\.chains).joined().map(\.target)
    var scope = ObservedScope()
    do throws(StoreError) {
      var tables = try tables(of: query)
      for target in targets { tables.append(try registry.table(for: target)) }
      for table in tables {
        guard let classID = try table.classIDForReading() else { return .whole }
        scope.classes.insert(classID)
      }
    } catch {
      // The query itself throws the error.
      return .whole
    }
    return scope
  }
}

/// A result of a query with its differences from the previous result.
///
/// To turn a list of the previous result into this one, first remove the elements at ``deletions``, the highest index
/// first. Then insert the elements at ``insertions``, the lowest index first. An object that moved is in both. The
/// objects at ``updates`` have changed, whether they moved or not.
public struct QueryChange<T: StoredObject> {
  private let store: Store
  private let difference: LiveDifference

  init(store: Store, difference: LiveDifference) {
    self.store = store
    self.difference = difference
  }

  /// The objects of the result, in order.
  public var ids: [ObjectID<T>] {
    difference.ids?.map { ObjectID(unchecked: $0) } ?? difference.rowIDs.map { id(of: $0) }
  }

  /// The number of objects.
  public var count: Int { difference.ids?.count ?? difference.rowIDs.count }

  /// The indexes of removed objects in the previous result, ascending.
  public var deletions: [Int] { difference.deletions }

  /// The indexes of inserted objects in this result, ascending.
  public var insertions: [Int] { difference.insertions }

  /// The indexes in this result, ascending, of changed objects that were in the previous result.
  public var updates: [Int] { difference.updates }

  /// The objects that moved relative to the others: their indexes in the previous and in this result.
  public var moves: [(from: Int, to: Int)] { difference.moves }

  /// The number of the commit whose state the result reflects.
  public var commitNumber: CommitNumber { difference.commitNumber }

  /// Returns the object at an index, loaded; nil if it has been deleted since.
  public func object(at index: Int) throws(StoreError) -> T? {
    try store.fetch(difference.ids.map { ObjectID(unchecked: $0[index]) } ?? id(of: difference.rowIDs[index]))
  }

  /// Returns the objects of the result, loaded, except objects that have been deleted since.
  ///
  /// There may thus be fewer than ``count``. The indexes of the changes are those of ``ids`` and ``object(at:)``.
  public func objects(onDamage: DamagePolicy = .fail) throws(StoreError) -> [T] {
    try store.fetch(ids, onDamage: onDamage).compactMap { $0 }
  }

  private func id(of rowID: RowID) -> ObjectID<T> {
    ObjectID(unchecked: AnyObjectID(classID: difference.classID, rowID: rowID))
  }
}
