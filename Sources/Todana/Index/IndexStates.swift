internal import Synchronization

/// How far the indexes of a backend are, which its stores have in common.
final class IndexStates: Sendable {
  /// An index as far as the stores know.
  enum State: Equatable {
    /// Saves keep up what is in it; queries cannot use it.
    case building
    /// Snapshots from this commit on can be answered from it.
    case complete(since: CommitNumber)
    /// It could not be completed; saves keep it up, queries cannot use it.
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
    /// Indexes whose trees may have notes of skipped rows.
    var skipping: [KeyspaceID] = []
    /// By class, what the stores that are open say of its indexes: they have to say the same.
    var declarations = SmallMap<String, Declaration>()
  }

  private let contents = Mutex(Contents())
  /// Whether any index skips rows: no lock is taken in all other stores.
  private let isAnySkipping = Atomic(false)
  /// Held while stores compare what they declare with what there is.
  private let preparing = Mutex<Void>(())

  subscript(keyspace: KeyspaceID) -> State? {
    get { contents.withLock { $0.states[keyspace] } }
    set { contents.withLock { $0.states[keyspace] = newValue } }
  }

  /// Whether the tree may have notes of rows whose records could not be read when it was built.
  func skipsRows(_ keyspace: KeyspaceID) -> Bool {
    mayAnySkipRows && contents.withLock { $0.skipping.contains(keyspace) }
  }

  /// Whether any index may have such notes.
  var mayAnySkipRows: Bool { isAnySkipping.load(ordering: .acquiring) }

  func setSkipsRows(_ skipsRows: Bool, _ keyspace: KeyspaceID) {
    contents.withLock { contents in
      contents.skipping.removeAll { $0 == keyspace }
      if skipsRows { contents.skipping.append(keyspace) }
      isAnySkipping.store(!contents.skipping.isEmpty, ordering: .releasing)
    }
  }

  /// Enters the indexes that a store declares for a class; false where another one says otherwise.
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

  func withdraw(class className: String) {
    contents.withLock { contents in
      guard var known = contents.declarations[className] else { return }
      known.storeCount -= 1
      contents.declarations[className] = known.storeCount == 0 ? nil : known
    }
  }

  /// What stands in the files decides again.
  func forget() { contents.withLock { $0.states = SmallMap() } }

  func whilePreparing<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    try preparing.withLock { _ throws(Failure) in try body() }
  }
}
