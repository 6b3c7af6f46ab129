internal import Synchronization

/// The states of a backend's indexes, shared by all its stores.
final class IndexStates: Sendable {
  /// The state of an index as known to the stores.
  enum State: Equatable {
    /// The index is being built: saves maintain its entries, but queries cannot use it.
    case building
    /// The index is complete: queries can use it for snapshots from this commit on.
    case complete(since: CommitNumber)
    /// The build failed: saves maintain the entries, but queries cannot use the index.
    case failed(any Error)

    static func == (lhs: State, rhs: State) -> Bool {
      switch (lhs, rhs) {
      case (.building, .building): true
      case (.complete(let lhs), .complete(let rhs)): lhs == rhs
      default: false
      }
    }
  }

  private struct Declaration {
    let signatures: [String]
    var storeCount: Int
  }

  private struct Contents {
    var states = SmallMap<KeyspaceID, State>()
    /// The indexes whose trees may have notes of skipped rows.
    var skipping: [KeyspaceID] = []
    /// The index signatures that open stores have declared, by class; all stores must declare equal signatures.
    var declarations = SmallMap<String, Declaration>()
  }

  private let contents = Mutex(Contents())
  /// Whether any index skips rows; if none does, readers take no lock.
  private let isAnySkipping = Atomic(false)
  /// A lock that is held while a store compares its declarations with the existing trees.
  private let preparing = Mutex<Void>(())

  subscript(keyspace: KeyspaceID) -> State? {
    get { contents.withLock { $0.states[keyspace] } }
    set { contents.withLock { $0.states[keyspace] = newValue } }
  }

  /// Returns whether the tree may have notes of rows whose records could not be read when it was built.
  func skipsRows(_ keyspace: KeyspaceID) -> Bool {
    mayAnySkipRows && contents.withLock { $0.skipping.contains(keyspace) }
  }

  /// Whether any index may have notes of skipped rows.
  var mayAnySkipRows: Bool { isAnySkipping.load(ordering: .acquiring) }

  func setSkipsRows(_ skipsRows: Bool, _ keyspace: KeyspaceID) {
    contents.withLock { contents in
      contents.skipping.removeAll { $0 == keyspace }
      if skipsRows { contents.skipping.append(keyspace) }
      isAnySkipping.store(!contents.skipping.isEmpty, ordering: .releasing)
    }
  }

  /// Declares the indexes of a class for a store.
  ///
  /// - Returns: False if another open store has declared different signatures.
  func declare(_ signatures: [String], forClass className: String) -> Bool {
    contents.withLock { contents in
      if var known = contents.declarations[className] {
        guard known.signatures == signatures else { return false }
        known.storeCount += 1
        contents.declarations[className] = known
      } else {
        contents.declarations[className] = Declaration(signatures: signatures, storeCount: 1)
      }
      return true
    }
  }

  /// Returns whether an open store has the class.
  func isDeclared(class className: String) -> Bool {
    contents.withLock { $0.declarations[className] != nil }
  }

  func withdraw(class className: String) {
    contents.withLock { contents in
      guard var known = contents.declarations[className] else { return }
      known.storeCount -= 1
      contents.declarations[className] = known.storeCount == 0 ? nil : known
    }
  }

  /// Forgets all states, so that they are read from the files again.
  func forget() { contents.withLock { $0.states = SmallMap() } }

  func whilePreparing<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try preparing.withLock { _ throws(Failure) in try body() }
  }
}
