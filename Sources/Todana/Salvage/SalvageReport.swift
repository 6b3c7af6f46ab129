/// What ``Store/salvage(from:to:progress:)`` has saved, and what was lost.
///
/// `Codable`: `JSONEncoder` makes a document of it.
public struct SalvageReport: Sendable, Codable {
  /// Classes, the named buffers, and whatever else has records, but no indexes, in the order of their numbers.
  public internal(set) var keyspaces: [Keyspace] = []
  /// What was lost of the store as a whole, such as commits whose log cannot be read: a sentence each.
  public internal(set) var losses: [String] = []
  /// Indexes of the old store, which the new one does not have: `Song: seconds`, or the file where the name is lost.
  ///
  /// An index may have entries of lost objects, so none is salvaged. Opening the new store with its classes builds the
  /// indexes that they declare from the objects that were saved (``Store/buildIndexes(progress:)``).
  public internal(set) var indexesToBuild: [String] = []

  /// Records that stand in the new store.
  public var savedCount: Int { keyspaces.reduce(0) { $0 + $1.savedCount } }
  /// Records that are known to be lost: those that can be told, or those that are missing from what was counted, whichever
  /// is more.
  public var lostCount: Int { keyspaces.reduce(0) { $0 + $1.lostCount } }
  /// Whether nothing is known to be lost.
  public var isComplete: Bool { losses.isEmpty && keyspaces.allSatisfy(\.isComplete) }

  /// A class, the named buffers, or a tree that is no index.
  public struct Keyspace: Sendable, Codable {
    /// The stored name.
    public internal(set) var name: String
    /// False where the catalog was damaged: then the name is what the name of the file has of it, and may differ from
    /// the class's.
    public internal(set) var isNameKnown: Bool
    /// The number of the class in the new store, the same as in the old one unless ``isNumberKept`` is false.
    public internal(set) var number: Int
    /// False where the number could not be kept: references to its objects lead nowhere.
    public internal(set) var isNumberKept = true
    public internal(set) var savedCount = 0
    /// How many records there were; nil where that is not known.
    public internal(set) var recordCount: Int?
    /// Rows that are lost, as far as they can be told; the first thousand.
    public internal(set) var lostRowIDs: [RowID] = []
    /// How many records are known to be damaged.
    public internal(set) var damagedCount = 0
    /// Bytes of the file in which nothing was found.
    public internal(set) var unreadableByteCount = 0

    public var lostCount: Int { max(damagedCount, (recordCount ?? 0) - savedCount) }
    public var isComplete: Bool { lostCount == 0 && unreadableByteCount == 0 && isNameKnown && isNumberKept }
  }

  static let rowLimit = 1000
}

/// How far a salvage is.
public struct SalvageProgress: Sendable {
  /// Bytes of the store's files that were looked at.
  public var doneByteCount: Int
  public var byteCount: Int
}
