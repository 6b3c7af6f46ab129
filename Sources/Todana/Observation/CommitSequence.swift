extension Store {
  /// Returns the changes of all commits from now on, made by any store of the ``backend``.
  ///
  /// ```swift
  /// for await commit in store.commits() { print(commit.inserted.count, "new objects") }
  /// ```
  ///
  /// The sequence is `Sendable`: it can be read in another isolation domain. Each iterator gets all commits since this
  /// call. It ends when its task is cancelled, or when the last store of the backend is closed. Commits made directly by
  /// a ``WriteBatch``, and not through a store, are not included.
  public func commits() -> CommitSequence { CommitSequence(session: session) }
}

/// The changes of commits, one after another; returned by ``Store/commits()``.
public struct CommitSequence: AsyncSequence, Sendable {
  public typealias Element = CommitChanges
  public typealias Failure = Never

  private let membership: Membership

  init(session: BackendSession) { membership = Membership(session.changes, .whole) }

  public func makeAsyncIterator() -> Iterator { Iterator(membership: Membership(beside: membership)) }

  public struct Iterator: AsyncIteratorProtocol {
    let membership: Membership
    private var taken: ArraySlice<CommitChanges> = []

    init(membership: Membership) { self.membership = membership }

    public nonisolated(nonsending) mutating func next() async -> CommitChanges? {
      while taken.isEmpty {
        if Task.isCancelled { return nil }
        // Read first, so that changes published before the end can still be taken.
        let isEnded = membership.hub.isEnded
        taken = membership.hub.take(membership.id)[...]
        guard taken.isEmpty else { continue }
        if isEnded { return nil }
        await membership.hub.wait(membership.id)
      }
      return taken.popFirst()
    }
  }

  /// A registration as a listener, which ends when it is deinitialized.
  final class Membership: Sendable {
    let hub: ChangeHub
    let id: ChangeHub.ListenerID

    init(_ hub: ChangeHub, _ scope: ObservedScope) {
      self.hub = hub
      id = hub.join(scope)
    }

    init(beside other: Membership) {
      hub = other.hub
      id = hub.join(beside: other.id)
    }

    deinit { hub.leave(id) }
  }
}
