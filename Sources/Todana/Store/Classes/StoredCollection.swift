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
  /// The classes of collections whose class shares its name with others, by the bytes of the collections' names.
  private var typesByName: [[UInt8]: StoredObject.Type] = [:]
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

  /// Returns the class of a collection in the list; nil if the store does not use it.
  func type(ofCollection name: String, elementName: String) -> StoredObject.Type? {
    if let type = typesByName[Array(name.utf8)], String.isEqual(type.collectionElementName, elementName) { return type }
    return elementTypes.first {
      !StoredObject.sharesElementName($0) && String.isEqual($0.collectionElementName, elementName)
    }
  }

  /// Notes the class of a collection, if it shares its name with others.
  ///
  /// - Returns: Whether the list is to be read again.
  mutating func declare(_ type: StoredObject.Type, ofCollection name: String) -> Bool {
    guard StoredObject.sharesElementName(type), typesByName[Array(name.utf8)] != type else { return false }
    typesByName[Array(name.utf8)] = type
    return true
  }

  /// Forgets the state of the list, so that it is read again.
  mutating func forgetState() {
    state = nil
    changeCount = -1
  }
}
