internal import Todana

extension Archive {
  /// Restores files of a snapshot beneath a target directory, and nowhere else.
  ///
  /// Nothing is written to the archive's own directory: if the target has it in a directory's place, that one is left out.
  ///
  /// An interrupted call can be made again: it restores the missing files, and finishes the directories that the first one
  /// has begun. How existing files are treated, ``RestoreOptions/overwriting`` says. Damaged files are left out and
  /// reported, and the rest is restored.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - target: A directory, made where only its last step is missing.
  ///   - options: What is restored, and what becomes of files that are there.
  ///   - progress: Called a few times a second; throws to end it all.
  /// - Returns: What was done.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for a target in the archive's own directory; ``FileError`` if the target
  ///   cannot be written at all, or is full; `StoreError`; errors of `progress`.
  public func extract(
    _ snapshot: Snapshot, to target: [UInt8], options: ExtractOptions = ExtractOptions(),
    progress: @escaping (ExtractProgress) throws -> Void = { _ in }
  ) throws -> ExtractProgress {
    guard !contains(directory: target) else {
      throw ArchiveError(.invalidArgument, "“\(printable(target))” is in the archive itself: restore to another place.")
    }
    var extraction = try Extraction(
      snapshot.pages, top: snapshot.top, of: content, at: identity, to: target, options, progress)
    return try extraction.run()
  }
}

/// Which files of a snapshot are restored, and how existing ones are treated.
public struct ExtractOptions: Sendable {
  /// Paths in the snapshot; none: everything.
  public var paths: [[UInt8]] = []
  /// Patterns of files that are left out.
  public var filter = FilterOptions()
  public var restoring = RestoreOptions()
  /// Whether nothing is written: the target is compared, and the result says what would be done.
  public var isDryRun = false
  /// What became of a file or directory.
  public enum Outcome: Sendable, Hashable {
    case restored
    /// It existed with the right length and time, or, where that is compared, with the right content and metadata.
    case right
    /// It existed with the right content, and got its metadata.
    case updated
    /// Another one existed, and kept its content.
    case kept
    /// It cannot be made by this process, as devices by other users than root.
    case leftOut
  }
  /// Called for each file and directory, by the thread that extracts, when its outcome is known.
  ///
  /// Files are not always in the order of the snapshot. Failures are in ``ExtractProgress/failures`` only. Throws to end
  /// the extraction.
  public var visit: (@Sendable (_ path: [UInt8], _ outcome: Outcome) throws -> Void)?

  public init() {}
}

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
