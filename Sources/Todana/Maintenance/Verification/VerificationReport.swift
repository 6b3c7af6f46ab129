/// The result of ``Store/verify(progress:)``.
///
/// It is `Codable`, so that `JSONEncoder` can write it as a document.
public struct VerificationReport: Sendable, Codable {
  /// The commit whose state was verified.
  public internal(set) var commitNumber: CommitNumber = 0
  /// The number of pages of 4 KiB that were read from their files; 0 for a backend without files.
  public internal(set) var pageCount = 0
  /// The number of records found in all classes, including damaged ones.
  public internal(set) var recordCount = 0
  /// The number of named buffers found, including damaged ones.
  public internal(set) var namedBufferCount = 0
  /// The number of entries found in all indexes, including damaged ones.
  public internal(set) var indexEntryCount = 0
  /// The number of bytes of all records, named buffers and index entries found.
  public internal(set) var byteCount = 0
  /// The number of references between objects that were checked.
  public internal(set) var referenceCount = 0
  /// The stored names of classes that the program does not know: their records were checked, but their contents were
  /// not read.
  public internal(set) var unknownClassNames: [String] = []
  /// The number of problems; ``problems`` has the first thousand.
  public internal(set) var problemCount = 0
  /// The number of problems that are damage (``Kind/isDamage``).
  public internal(set) var damageCount = 0
  public internal(set) var problems: [Problem] = []

  /// Whether no damage was found.
  ///
  /// A reference to an object that was deleted is a problem, but not damage.
  public var isSound: Bool { damageCount == 0 }

  /// A problem that was found.
  public struct Problem: Sendable, Codable, Equatable, CustomStringConvertible {
    public var kind: Kind
    /// The file, by its name within the store.
    public var file: String?
    /// The number of the 4 KiB page within the file.
    public var page: Int?
    public var className: String?
    public var rowID: RowID?
    /// A description of the problem for people.
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
    /// A file is missing, or cannot be checked at all.
    case damagedFile
    /// One copy of data that is stored twice is damaged, and the other copy is intact.
    ///
    /// A damaged copy of the superblock or of the file of keys is rewritten by the next opening for writing. A damaged
    /// copy of the list of the last commits is rewritten when a store that was opened for writing is closed.
    case damagedCopy
    /// A page does not match its checksum.
    ///
    /// The records on it are reported separately. A page that leads to other pages is repaired when it is read if only
    /// one bit is wrong. In this case no record is reported.
    case damagedPage
    /// A record cannot be read, or does not belong at its place.
    case damagedRecord
    /// A record exists, but a lookup by its row id or key does not find it.
    case unreachableRecord
    /// A keyspace's count differs from the number of its records.
    case wrongCount
    /// The records of a keyspace are intact, but they are not the records that were saved.
    ///
    /// Some are missing, outdated, or do not belong there.
    case wrongContents
    /// An index has a superfluous entry, or lacks one.
    ///
    /// If the store was not opened with the index's class, only two faults are found. They are entries of rows that do
    /// not exist, and a wrong number of entries. ``Store/rebuildIndexes(of:named:progress:)`` repairs the index.
    case wrongIndex
    /// A record is intact, but `readContent` cannot read it.
    case unreadableContent
    /// A newer version of the class wrote the record.
    case newerVersion
    /// An object refers to an object that no longer exists.
    ///
    /// If damage hides whether a row exists, references to it are not reported, only the damage.
    case danglingReference

    /// Whether data was lost or falsified.
    ///
    /// The other kinds come from the program: its classes cannot read a record, or it deleted an object to which
    /// another still refers.
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

/// The progress of a verification.
public struct VerificationProgress: Sendable {
  public enum Phase: Sendable {
    /// Reading the files, page by page.
    case pages
    /// Reading all records.
    case records
    /// Comparing text indexes with the records of the classes that the program knows.
    case texts
    /// Reading the content of the classes that the program knows, and following the references in it.
    case references
  }

  public var phase: Phase
  /// The item being verified: a file, or a class's stored name.
  public var name: String
  /// The number of pages or records of the item that were verified; `totalCount` is the approximate total.
  public var doneCount: Int
  public var totalCount: Int
}
