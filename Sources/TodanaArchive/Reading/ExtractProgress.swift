/// The progress of an extraction, and in the end its result.
///
/// Each file that is not a failure is in one of the counts but ``comparedFiles`` and ``updatedFiles``: restored
/// (`counts.files`), right, updated, kept or left out. A file that keeps other content and gets its permissions is in two,
/// kept and updated.
public struct ExtractProgress: Sendable, Equatable {
  /// Files that were restored, directories that were made or finished, and problems.
  public var counts = SnapshotCounts()
  /// Files that existed with the right length and time, or with the right content where that is compared.
  public var rightFiles = 0
  /// Files whose content was compared with the snapshot's.
  public var comparedFiles = 0
  /// Files that existed and got their metadata.
  public var updatedFiles = 0
  /// Files that kept other content.
  public var keptFiles = 0
  /// Sockets, and devices that this process may not make.
  public var leftOutFiles = 0
  /// Directories that existed and got their metadata.
  public var updatedDirectories = 0
  /// Directories that existed and kept metadata that is different from the snapshot's.
  public var keptDirectories = 0
  /// Bytes that were written.
  public var bytesWritten: Int64 = 0
  /// Files that belong to the user who extracted them instead of to their owners.
  public var skippedOwners = 0
  public var path: [UInt8] = []
  /// Files that could not be restored: the first 1,000; `counts.failures` counts all.
  public var failures: [String] = []
  /// Metadata that could not be restored: the first 1,000; ``warningCount`` counts all.
  public var warnings: [String] = []
  public var warningCount = 0

  public init() {}

  mutating func addFailure(_ text: String) {
    counts.failures += 1
    if failures.count < 1000 { failures.append(text) }
  }

  mutating func add(_ outcome: ExtractOptions.Outcome, _ file: FileEntry) {
    switch outcome {
    case .restored: counts.add(file)
    case .right: rightFiles += 1
    case .updated: updatedFiles += 1
    case .kept: keptFiles += 1
    case .leftOut: leftOutFiles += 1
    }
  }
}
