/// What a look at a whole archive found.
public struct ArchiveVerification: Sendable {
  /// A file of a snapshot that cannot be restored as it was.
  public struct DamagedFile: Sendable, Hashable {
    public let snapshot: SnapshotID
    /// Of a directory, all that is in it may be lost.
    public let path: [UInt8]
    public let isDirectory: Bool
  }

  /// How much of the content was read.
  public enum Scope: Sendable, Hashable {
    /// All of it.
    case everything
    /// A random part, of 0 to 1.
    case sample(Double)
    /// None: only snapshots, directories and what they refer to.
    case structure
  }

  public let scope: Scope
  public var snapshotCount = 0
  public var contentCount = 0
  public var readByteCount: Int64 = 0
  /// What is wrong in the store: the first 1,000.
  public var problems: [String] = []
  public var problemCount = 0
  /// What that means for files, in the order of snapshots and paths: the first 100,000.
  public var damagedFiles: [DamagedFile] = []
  public var damagedFileCount = 0
  /// Whether there is something that ``Archive/noteDamage(_:)`` would note.
  public var hasNews: Bool { !damagedPlaces.isEmpty || !soundPlaces.isEmpty }
  /// Rows that are damaged.
  var damagedPlaces: Set<KnownDamage.Place> = []
  /// Rows that were known to be damaged, and are not.
  var soundPlaces: [KnownDamage.Place] = []

  /// Whether nothing is wrong, as far as was looked.
  public var isSound: Bool { problemCount == 0 }

  init(_ scope: Scope) { self.scope = scope }

  mutating func add(_ problem: String) {
    problemCount += 1
    if problems.count < 1000 { problems.append(problem) }
  }

  mutating func add(_ file: DamagedFile) {
    damagedFileCount += 1
    if damagedFiles.count < 100_000 { damagedFiles.append(file) }
  }
}
