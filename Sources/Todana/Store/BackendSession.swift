import Synchronization

/// What the stores of one backend have in common.
final class BackendSession: Sendable {
  /// Counts what makes every store of the backend check what it has in memory: failed flushes.
  private let failures = Atomic<Int>(0)

  var failureCount: Int {
    @inline(__always) get { failures.load(ordering: .relaxed) }
  }

  /// How far the indexes of the backend's classes are.
  let indexes = IndexStates()

  /// Who hears of what is committed.
  let changes = ChangeHub()

  /// Does what stores leave to the background.
  let worker = BackgroundWorker()

  func noteFailure() {
    failures.add(1, ordering: .relaxed)
    changes.publish(.unknown)
  }

  /// Others may have changed anything: another process, above all.
  private func noteExternalCommits() {
    changes.publish(.unknown)
    worker.addAwaitingJobs()
  }

  private struct Entry {
    var session: BackendSession
    var storeCount: Int
    /// Whether a store opened the backend, so that the last store closes it.
    var closesBackend: Bool
  }

  private static let entries = Mutex(SmallMap<ObjectIdentifier, Entry>())

  /// Enters a store of the backend.
  static func join(_ backend: any StoreBackend, opened: Bool) -> BackendSession {
    entries.withLock { entries in
      let key = ObjectIdentifier(backend)
      var entry = entries[key] ?? Entry(session: BackendSession(), storeCount: 0, closesBackend: opened)
      if entry.storeCount == 0 {
        backend.setExternalCommitHandler { [weak session = entry.session] in session?.noteExternalCommits() }
      }
      entry.storeCount += 1
      entries[key] = entry
      return entry.session
    }
  }

  /// Takes a store out, and ends the work in the background with the last one.
  ///
  /// - Returns: Whether it was the last and the backend is to be closed.
  static func leave(_ backend: any StoreBackend) -> Bool {
    let left = entries.withLock { entries -> Entry? in
      let key = ObjectIdentifier(backend)
      guard var entry = entries[key] else { return nil }
      entry.storeCount -= 1
      entries[key] = entry.storeCount == 0 ? nil : entry
      entry.session.changes.wake(ending: entry.storeCount == 0)
      if entry.storeCount == 0 { backend.setExternalCommitHandler(nil) }
      return entry
    }
    guard let left, left.storeCount == 0 else { return false }
    left.session.worker.end()
    return left.closesBackend
  }
}
