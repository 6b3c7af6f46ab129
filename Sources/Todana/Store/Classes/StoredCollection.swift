/// A collection: a table of the objects of a class, with a name that the program chooses at run time.
struct StoredCollection: Sendable {
  /// The name of the collection; that of its table stays when the collection is renamed.
  var name: String
  /// The description, which the class of the objects writes and reads.
  var description: [UInt8]
  /// A random number that changes with each description, even if an earlier one returns.
  ///
  /// Its indexes may have been dropped and made again since then.
  var revision = UInt64.random(in: 1...UInt64.max)
  /// Whether the trees of the indexes have been found for this revision.
  var isPrepared = false
  /// The reason why the description cannot be used; nil if it can.
  var problem: StoreError?
}

/// The collections that a store has read, and the state of their list at that time.
struct KnownCollections {
  /// The classes whose collections the store has read.
  var elementTypes: [StoredObject.Type] = []
  /// The state of the list's record; nil if it was not read yet.
  var state: WriteBatch.Expectation?
  /// The session's number of changes when the list was read last (``BackendSession/collectionChangeCount``).
  var changeCount = -1
  /// The commit up to which the state is known to be the newest.
  var commitNumber: CommitNumber = 0
  /// The table that was looked up last.
  var lastTable: ClassTable?

  /// Returns whether the store has read the collections of a class.
  func include(_ type: StoredObject.Type) -> Bool { elementTypes.contains { $0 == type } }

  /// Forgets the state of the list, so that it is read again.
  mutating func forgetState() {
    state = nil
    changeCount = -1
  }
}
