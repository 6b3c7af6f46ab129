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

  func noteFailure() {
    failures.add(1, ordering: .relaxed)
    changes.publish(.unknown)
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
      entry.storeCount += 1
      entries[key] = entry
      return entry.session
    }
  }

  /// Takes a store out; true if it was the last and the backend is to be closed.
  static func leave(_ backend: any StoreBackend) -> Bool {
    entries.withLock { entries in
      let key = ObjectIdentifier(backend)
      guard var entry = entries[key] else { return false }
      entry.storeCount -= 1
      entries[key] = entry.storeCount == 0 ? nil : entry
      entry.session.changes.wake(ending: entry.storeCount == 0)
      return entry.storeCount == 0 && entry.closesBackend
    }
  }
}
