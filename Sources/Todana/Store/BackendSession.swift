import Synchronization

/// The open state that all stores of one backend share.
final class BackendSession: Sendable {
  /// The number of failed flushes, after each of which every store of the backend has to check its contents in memory.
  private let failures = Atomic<Int>(0)

  var failureCount: Int {
    @inline(__always) get { failures.load(ordering: .relaxed) }
  }

  /// The process whose stores these are; in its children they can only be read.
  let process = ProcessMark()

  /// The states of the indexes of the backend's classes.
  let indexes = IndexStates()

  /// The headers and segments of the text indexes of the backend's classes.
  let textIndexes = TextIndexCache()

  /// The hub that passes the changes of commits to their listeners.
  let changes = ChangeHub()

  /// The number of times at which the list of collections has changed, or may have.
  private let collectionChanges = Atomic<Int>(0)

  var collectionChangeCount: Int { collectionChanges.load(ordering: .acquiring) }

  func noteCollectionChange() { collectionChanges.add(1, ordering: .acquiringAndReleasing) }

  /// The classes that a store of the backend has registered at their first use.
  let lateClasses = LateClasses()

  /// The worker for the stores' background jobs.
  let worker = BackgroundWorker()

  func noteFailure() {
    failures.add(1, ordering: .relaxed)
    noteCollectionChange()
    textIndexes.forget()
    changes.publish(.unknown)
  }

  /// Publishes that anything may have changed; called after another backend, usually of another process, has committed.
  private func noteExternalCommits() {
    noteCollectionChange()
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

  /// Adds a store of the backend, and returns the session that all of them share.
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

  /// Removes a store in a child of the process that opened it, whose threads and tasks the child does not have.
  ///
  /// - Returns: Whether it was the last and the caller has to close the backend.
  func leaveInChild(_ backend: any StoreBackend) -> Bool {
    // Another thread of the parent may have held the lock during the fork. Then the entry stays.
    let left = Self.entries.withLockIfAvailable { entries -> Entry? in
      let key = ObjectIdentifier(backend)
      guard var entry = entries[key], entry.session === self else { return nil }
      entry.storeCount -= 1
      entries[key] = entry.storeCount == 0 ? nil : entry
      return entry
    }
    guard let left, let left else { return false }
    return left.storeCount == 0 && left.closesBackend
  }

  /// Removes a store, and ends the background work if it was the last one.
  ///
  /// - Returns: Whether it was the last and the caller has to close the backend.
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
