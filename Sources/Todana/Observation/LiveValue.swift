extension Store {
  /// Returns a sequence of a value that is computed from the store, now and after commits that can change it.
  ///
  /// ```swift
  /// let counts = store.observe { try $0.count(Song.self) }
  /// for try await count in counts.removingDuplicates() { badge.text = "\(count)" }
  /// ```
  ///
  /// The closure computes the value in one state of the store. It may read anything through the store that it receives:
  /// objects, queries, sums, named buffers. It runs again after every commit, of any store of the ``backend``, that
  /// changes a class or a named buffer that it has read, or a class to which objects of such a class can refer. If the
  /// closure reads single objects by their identities, only commits that change these or the objects of classes that
  /// they refer to count. Commits that are made while an element is being processed lead to one new value.
  ///
  /// Pending changes of this store are part of the value, as in any other call, but they do not lead to a new one until
  /// they are saved. Objects in memory without pending changes are brought to the newest state before the closure runs.
  /// The closure must not change the store.
  ///
  /// The sequence must be used in the store's isolation domain. It throws errors of the closure, if the store is closed,
  /// and if the task is cancelled.
  ///
  /// - Parameter value: Computes the value.
  /// - Returns: A sequence of which every pass observes the value.
  /// - Complexity: A commit that concerns no observer costs the saving store nothing. The task of the observer pays for
  ///   computing the value.
  public func observe<Value>(_ value: @escaping (Store) throws -> Value) -> LiveValue<Value> {
    LiveValue(store: self, compute: value, isEqual: nil)
  }

  /// Returns a sequence of one object, loaded, now and after every commit that changes it; nil after its deletion.
  ///
  /// ```swift
  /// for try await song in store.observe(id) { title.text = song?.title ?? "deleted" }
  /// ```
  public func observe<T: StoredObject>(_ id: ObjectID<T>) -> LiveValue<T?> {
    LiveValue(store: self, compute: { store in try store.fetch(id) }, isEqual: nil, isOfOneObject: true)
  }
}

/// A value that is computed from a store, as it changes; returned by `Store.observe(_:)`.
public struct LiveValue<Value>: AsyncSequence {
  public typealias Element = Value

  let store: Store
  let compute: (Store) throws -> Value
  var isEqual: ((Value, Value) -> Bool)?
  /// Whether the value depends on a single object, and not on objects that it refers to.
  var isOfOneObject = false

  public func makeAsyncIterator() -> Iterator { Iterator(value: self) }

  /// A pass over the values.
  public struct Iterator: AsyncIteratorProtocol {
    private let value: LiveValue
    private let membership: CommitSequence.Membership
    private var last: Value?
    /// The parts of the store that the last computation has read; nil before the first one.
    private var reads: ReadTracker?

    init(value: LiveValue) {
      self.value = value
      membership = CommitSequence.Membership(value.store.session.changes, ObservedScope())
    }

    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      while true {
        try Task.checkCancellation()
        try value.store.begin()
        if let reads {
          let commits = membership.hub.take(membership.id)
          guard !commits.isEmpty else {
            await membership.hub.wait(membership.id)
            continue
          }
          guard commits.contains(where: { concerns(reads, $0) }) else { continue }
          try value.store.bringToNewestState(commits)
        }
        let isFirst = reads == nil
        let new = try computeInScope()
        if !isFirst, let isEqual = value.isEqual, let last, isEqual(last, new) { continue }
        last = new
        return new
      }
    }

    public nonisolated(nonsending) mutating func next() async throws -> Value? {
      try await next(isolation: #isolation)
    }

    /// Computes the value, and follows the changes of the parts that this has read.
    private mutating func computeInScope() throws -> Value {
      let store = value.store
      while true {
        let commitNumber = try store.newestCommitNumber()
        let (new, reads) = try store.tracking { try store.withSnapshot { try value.compute(store) } }
        self.reads = reads
        var scope = try store.scope(of: reads)
        if value.isOfOneObject, !scope.isWhole { scope.classes = Set(reads.rows.map(\.classID)) }
        membership.hub.follow(scope, membership.id)
        // A commit before `follow` may have changed a part that was not followed before.
        if try store.newestCommitNumber() == commitNumber { return new }
      }
    }

    private func concerns(_ reads: ReadTracker, _ commit: CommitChanges) -> Bool {
      if commit.isUnknown || reads.isWhole { return true }
      if !commit.namedBuffers.isEmpty,
        reads.readsAllNamedBuffers || !reads.namedBuffers.isDisjoint(with: commit.namedBuffers)
      {
        return true
      }
      // Only the changes of some objects of a class count if all were read by their identities, and nothing else was.
      if value.isOfOneObject || reads.types.isEmpty && !leadsOn(reads) {
        return [commit.inserted, commit.updated, commit.deleted].contains { $0.contains(where: reads.rows.contains) }
      }
      return !commit.inserted.isEmpty || !commit.updated.isEmpty || !commit.deleted.isEmpty
    }

    /// Whether the objects that were read can refer to others.
    private func leadsOn(_ reads: ReadTracker) -> Bool {
      let types = reads.rows.compactMap { value.store.registry[$0.classID]?.type }
      let distinct = Set(types.map { ObjectIdentifier($0) })
      return ReferencedClasses.reachable(from: types).map { $0.count > distinct.count } ?? true
    }
  }
}

extension LiveValue where Value: Equatable {
  /// Returns the sequence without values that equal the previous one.
  ///
  /// Stored objects are equal if they are the same instance. Do not use it for a value that contains objects, because
  /// changes of their content would be left out.
  public func removingDuplicates() -> LiveValue {
    var value = self
    value.isEqual = { $0 == $1 }
    return value
  }
}

extension Store {
  /// The number of the newest commit of the backend.
  func newestCommitNumber() throws(StoreError) -> CommitNumber {
    try onRecords { sealing throws(BackendError) in try sealing.snapshot() }.commitNumber
  }

  /// Turns loaded objects without pending changes into faults if commits have changed them.
  func bringToNewestState(_ commits: [CommitChanges]) throws(StoreError) {
    if commits.contains(where: \.isUnknown) { return try refresh() }
    var changed: [KeyspaceID: Set<RowID>] = [:]
    for commit in commits {
      for id in commit.updated + commit.deleted { changed[id.classID, default: []].insert(id.rowID) }
    }
    for (classID, rowIDs) in changed {
      guard let table = registry[classID] else { continue }
      try refresh(rowIDs.compactMap { table.identity[$0] }.filter { !$0.isFault && !$0.state.isPending }, of: table)
    }
  }
}
