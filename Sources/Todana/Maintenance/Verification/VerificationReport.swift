/// What ``Store/verify(progress:)`` found.
///
/// `Codable`: `JSONEncoder` makes a document of it.
public struct VerificationReport: Sendable, Codable {
  /// The commit whose state was looked at.
  public internal(set) var commitNumber: CommitNumber = 0
  /// Pages of 4 KiB that were read anew; 0 for a backend without files of its own.
  public internal(set) var pageCount = 0
  /// Records of all classes and other keyspaces that were found, the damaged ones among them.
  public internal(set) var recordCount = 0
  /// Bytes of these records.
  public internal(set) var byteCount = 0
  /// References between objects that were followed.
  public internal(set) var referenceCount = 0
  /// Stored names of classes that the program does not know: their records were checked, not read.
  public internal(set) var unknownClassNames: [String] = []
  /// How many problems there are; ``problems`` has the first thousand.
  public internal(set) var problemCount = 0
  /// Those of them that are damage, which ``Kind/isDamage`` tells.
  public internal(set) var damageCount = 0
  public internal(set) var problems: [Problem] = []

  /// Whether nothing is damaged.
  ///
  /// A reference to an object that was deleted is a problem, but no damage.
  public var isSound: Bool { damageCount == 0 }

  /// One thing that is not as it should be.
  public struct Problem: Sendable, Codable, Equatable, CustomStringConvertible {
    public var kind: Kind
    /// The file, by its name within the store.
    public var file: String?
    /// The page of 4 KiB within the file.
    public var page: Int?
    public var className: String?
    public var rowID: RowID?
    /// For people.
    public var message: String

    public var description: String {
      var place: [String] = []
      if let file { place.append(page.map { "\(file), page \($0)" } ?? file) }
      if let className { place.append(rowID.map { "\(className) row \($0)" } ?? className) }
      return place.isEmpty ? message : "\(place.joined(separator: ", ")): \(message)"
    }
  }

  @nonexhaustive
  public enum Kind: String, Sendable, Codable {
    /// A file is missing, or nothing of it can be checked.
    case damagedFile
    /// Of what is kept twice, one copy is damaged. The other one serves.
    ///
    /// The next opening for writing makes that of the keys anew, a checkpoint that of the last commits; that of the
    /// superblock only the opening with ``KyotoBackend/Options/repairsFlippedBits``.
    case damagedCopy
    /// A page does not match its checksum. The records on it are reported by themselves; none are where only one bit is
    /// wrong and the page leads to others, as it is repaired when it is read.
    case damagedPage
    /// A record cannot be read, or is not the one that belongs there.
    case damagedRecord
    /// A record is there, but is not found by its row id or key.
    case unreachableRecord
    /// A keyspace counts more or fewer records than it has.
    case wrongCount
    /// The records of a keyspace are sound, and not those that were saved: some are missing, are older, or do not belong
    /// there.
    case wrongContents
    /// An index has an entry too many, or one too few.
    ///
    /// Of a class that the store was not opened with, only entries of rows that do not exist are found, and a wrong number
    /// of entries.
    ///
    /// ``Store/rebuildIndexes(of:named:progress:)`` makes it right.
    case wrongIndex
    /// A record is whole, but `readContent` does not read what it holds.
    case unreadableContent
    /// A newer version of the class wrote the record.
    case newerVersion
    /// An object refers to one that does not exist any more.
    ///
    /// A reference to a row of which damage leaves open whether it exists is not reported: the damage is.
    case danglingReference

    /// Whether something was lost or falsified.
    ///
    /// The rest is a matter of the program.
    public var isDamage: Bool {
      switch self {
      case .damagedFile, .damagedCopy, .damagedPage, .damagedRecord, .unreachableRecord, .wrongCount, .wrongContents,
        .wrongIndex:
        true
      case .unreadableContent, .newerVersion, .danglingReference: false
      }
    }
  }

  static let problemLimit = 1000

  mutating func add(_ problem: Problem) {
    problemCount += 1
    if problem.kind.isDamage { damageCount += 1 }
    if problems.count < Self.problemLimit { problems.append(problem) }
  }
}

/// How far a verification is.
public struct VerificationProgress: Sendable {
  public enum Phase: Sendable {
    /// Reading the files, page by page.
    case pages
    /// Reading all records.
    case records
    /// Reading the content of the classes that the program knows, and following the references in it.
    case references
  }

  public var phase: Phase
  /// What is looked at: a file, or a class's stored name.
  public var name: String
  /// Pages or records of it that were looked at, of about how many.
  public var doneCount: Int
  public var totalCount: Int
}
