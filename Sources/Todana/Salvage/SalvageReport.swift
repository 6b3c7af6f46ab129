/// The saved and lost records of a salvage (``Store/salvage(from:to:encryption:naming:progress:)``).
///
/// It is `Codable`, so that `JSONEncoder` can write it as a document.
public struct SalvageReport: Sendable, Codable {
  /// The classes, the named buffers, and other keyspaces with records except indexes, in the order of their numbers.
  public internal(set) var keyspaces: [Keyspace] = []
  /// The losses of the store as a whole, such as commits whose log cannot be read: one sentence for each.
  public internal(set) var losses: [String] = []
  /// The indexes of the old store, which the new one does not have: `Song: seconds`, or the file if the name is lost.
  ///
  /// An index may have entries of lost objects, so none is salvaged. Opening the new store with its classes builds the
  /// indexes that they declare from the saved objects (``Store/buildIndexes(progress:)``).
  public internal(set) var indexesToBuild: [String] = []

  /// The number of records in the new store.
  public var savedCount: Int { keyspaces.reduce(0) { $0 + $1.savedCount } }
  /// The number of records that are known to be lost.
  ///
  /// For each keyspace it is the larger of two numbers: the lost records that could be identified, and the difference
  /// between the count in the old store and the number of saved records.
  public var lostCount: Int { keyspaces.reduce(0) { $0 + $1.lostCount } }
  /// Whether no loss is known.
  public var isComplete: Bool { losses.isEmpty && keyspaces.allSatisfy(\.isComplete) }

  /// A class, the named buffers, or a tree that is not an index.
  public struct Keyspace: Sendable, Codable {
    /// The stored name.
    public internal(set) var name: String
    /// Whether the name is known; false if the catalog was damaged.
    ///
    /// If not, ``name`` is the part that the file's name contains, which may differ from the stored name of the class.
    public internal(set) var isNameKnown: Bool
    /// The number of the class in the new store; it is the old one unless ``isNumberKept`` is false.
    public internal(set) var number: Int
    /// Whether the number was kept; if not, references to the class's objects lead nowhere.
    public internal(set) var isNumberKept = true
    public internal(set) var savedCount = 0
    /// The number of records in the old store; nil if it is unknown.
    public internal(set) var recordCount: Int?
    /// The lost rows that could be identified; at most the first thousand.
    public internal(set) var lostRowIDs: [RowID] = []
    /// The number of lost rows that could be identified by their damaged records.
    public internal(set) var damagedCount = 0
    /// The number of bytes of the file in which no record was found.
    public internal(set) var unreadableByteCount = 0

    public var lostCount: Int { max(damagedCount, (recordCount ?? 0) - savedCount) }
    public var isComplete: Bool { lostCount == 0 && unreadableByteCount == 0 && isNameKnown && isNumberKept }
  }

  static let rowLimit = 1000
}

/// The progress of a salvage.
public struct SalvageProgress: Sendable {
  /// The number of bytes of the store's files that were read.
  public var doneByteCount: Int
  public var byteCount: Int
}
