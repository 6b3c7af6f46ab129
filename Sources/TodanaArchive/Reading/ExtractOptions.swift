/// What is taken out of a snapshot, and how it is put where there may be files already.
public struct ExtractOptions: Sendable {
  /// Paths in the snapshot; none: everything.
  public var paths: [[UInt8]] = []
  /// Patterns of what is left out.
  public var choosing = ChoosingOptions()
  public var restoring = RestoreOptions()
  /// Nothing is written.
  public var isDryRun = false
  /// What becomes of a file or directory.
  public enum Outcome: Sendable {
    case restored
    /// It was there, with the right length and time.
    case right
    /// Another one was there, and stays.
    case kept
  }
  /// Called for each, by the thread that extracts, when it is decided; that it failed then, ``ExtractProgress`` tells.
  ///
  /// Throws to end it all.
  public var visit: (@Sendable (_ path: [UInt8], _ outcome: Outcome) throws -> Void)?

  public init() {}
}

/// How far an extraction is.
public struct ExtractProgress: Sendable {
  public var counts = SnapshotCounts()
  /// Files that were there already, with the right length and time.
  public var rightFiles = 0
  /// Files that stayed though they are others.
  public var keptFiles = 0
  /// Bytes that were written.
  public var bytesWritten: Int64 = 0
  /// Files that belong to whoever extracted them.
  public var skippedOwners = 0
  public var path: [UInt8] = []
  /// What could not be restored: the first 1,000; `counts.failures` counts all.
  public var failures: [String] = []
  /// Metadata that could not be restored: the first 1,000.
  public var warnings: [String] = []

  public init() {}

  mutating func addFailure(_ text: String) {
    counts.failures += 1
    if failures.count < 1000 { failures.append(text) }
  }
}
