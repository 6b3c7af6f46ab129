internal import Todana

extension Archive {
  /// Restores files of a snapshot below a target directory, and nowhere else.
  ///
  /// Nothing is written to the archive's own directory: if it is one of the directories to restore, it is left out.
  ///
  /// An interrupted call can be repeated: it restores the missing files, and finishes directories that the first call
  /// has begun. ``RestoreOptions/overwriting`` determines how existing files are treated. Damaged files are left out
  /// and reported, and the rest is restored.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - target: A directory; it is created if only the last component of its path is missing.
  ///   - options: The files to restore, and the treatment of existing files.
  ///   - progress: Called a few times a second; throws to cancel.
  /// - Returns: The result.
  /// - Throws: ``ArchiveError/Code/invalidArgument`` for a target in the archive's own directory; ``FileError`` if the
  ///   target cannot be written at all, or is full; `StoreError`; errors of `progress`.
  public func extract(
    _ snapshot: Snapshot, to target: [UInt8], options: ExtractOptions = ExtractOptions(),
    progress: @escaping (ExtractProgress) throws -> Void = { _ in }
  ) throws -> ExtractProgress {
    guard !contains(directory: target) else {
      throw ArchiveError(
        .invalidArgument, "“\(printable(target))” is inside the archive: restore to another directory.")
    }
    var extraction = try Extraction(
      snapshot.pages, top: snapshot.top, of: content, at: identity, to: target, options, progress)
    return try extraction.run()
  }
}

/// The options of an extraction: the files to restore, and the treatment of existing files.
public struct ExtractOptions: Sendable {
  /// The paths in the snapshot to restore; if empty, everything.
  public var paths: [[UInt8]] = []
  /// The rules that exclude files.
  public var filter = FilterOptions()
  public var restoring = RestoreOptions()
  /// Whether nothing is written: the target is compared, and the result describes the changes that would be made.
  public var isDryRun = false
  /// The outcome for a file or directory.
  public enum Outcome: Sendable, Hashable {
    case restored
    /// The file existed with the correct length and time or, if content is compared, with the correct content and
    /// metadata.
    case right
    /// The file existed with the correct content, and its metadata were restored.
    case updated
    /// A different file existed, and its content was kept.
    case kept
    /// This process cannot create the file: for example a device, which only root can create.
    case leftOut
  }
  /// Called for each file and directory when its outcome is known, on the extracting thread.
  ///
  /// Files need not come in the order of the snapshot. Failures are only in ``ExtractProgress/failures``. Throws to end
  /// the extraction.
  public var visit: (@Sendable (_ path: [UInt8], _ outcome: Outcome) throws -> Void)?

  public init() {}
}

/// The progress of an extraction, and at its end the result.
///
/// Each file that did not fail is in exactly one of these counts: restored (`counts.files`), right, updated, kept or
/// left out. The exception is a file that keeps different content and gets its permissions: it is both kept and
/// updated. ``comparedFiles`` counts independently of the outcome.
public struct ExtractProgress: Sendable, Equatable {
  /// The numbers of restored files, of directories that were created or finished, and of failures.
  public var counts = SnapshotCounts()
  /// The number of files that existed with the correct length and time or, if content is compared, the correct content.
  public var rightFiles = 0
  /// The number of files whose content was compared with the snapshot.
  public var comparedFiles = 0
  /// The number of files that existed and whose metadata were restored.
  public var updatedFiles = 0
  /// The number of files that kept different content.
  public var keptFiles = 0
  /// The number of sockets, and of devices that this process may not create.
  public var leftOutFiles = 0
  /// The number of directories that existed and whose metadata were restored.
  public var updatedDirectories = 0
  /// The number of directories that existed and kept different metadata.
  public var keptDirectories = 0
  /// The number of bytes written.
  public var bytesWritten: Int64 = 0
  /// The number of files that belong to the extracting user instead of their owner.
  public var skippedOwners = 0
  public var path: [UInt8] = []
  /// Messages about files that could not be restored: the first 1,000; `counts.failures` counts all.
  public var failures: [String] = []
  /// Messages about metadata that could not be restored: the first 1,000; ``warningCount`` counts all.
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
