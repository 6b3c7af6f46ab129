extension Store {
  /// What each commit changes from now on, whichever store of the ``backend`` makes it.
  ///
  /// ```swift
  /// for await commit in store.commits() { print(commit.inserted.count, "new objects") }
  /// ```
  ///
  /// `Sendable`: it can be read in another domain. Ends when its task is cancelled, or when the store is closed. Commits
  /// that were not made through a store, but by a ``WriteBatch`` of your own, are not among them.
  public func commits() -> CommitSequence { CommitSequence(session: session) }
}

/// The changes of commits, one after another; ``Store/commits()`` makes it.
public struct CommitSequence: AsyncSequence, Sendable {
  public typealias Element = CommitChanges
  public typealias Failure = Never

  private let membership: Membership

  init(session: BackendSession) { membership = Membership(session.changes) }

  public func makeAsyncIterator() -> Iterator { Iterator(membership: membership) }

  public struct Iterator: AsyncIteratorProtocol {
    let membership: Membership
    private var taken: ArraySlice<CommitChanges> = []

    init(membership: Membership) { self.membership = membership }

    public nonisolated(nonsending) mutating func next() async -> CommitChanges? {
      while taken.isEmpty {
        if Task.isCancelled { return nil }
        // Asked before: what is published until then can still be taken.
        let isEnded = membership.hub.isEnded
        taken = membership.hub.take(membership.id)[...]
        guard taken.isEmpty else { continue }
        if isEnded { return nil }
        await membership.hub.wait(membership.id)
      }
      return taken.popFirst()
    }
  }

  /// Listens as long as somebody holds it.
  final class Membership: Sendable {
    let hub: ChangeHub
    let id: ChangeHub.ListenerID

    init(_ hub: ChangeHub) {
      self.hub = hub
      id = hub.join()
    }

    deinit { hub.leave(id) }
  }
}
