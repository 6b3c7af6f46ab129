internal import Todana

extension Archive {
  /// The outcome of rewriting a snapshot.
  public struct Rewritten: Sendable {
    /// The snapshot that replaces the old one; nil in a dry run, if no file was left out, and if ``isRefused`` is true.
    public let snapshot: Snapshot?
    /// The number of files and directories that were left out, or would be in a dry run; entries below an excluded
    /// directory are not counted.
    public let excludedCount: Int
    /// Whether the old snapshot was kept because none of its files would remain.
    public let isRefused: Bool
  }

  /// Removes files from an existing snapshot, for example files that should never have been archived.
  ///
  /// The snapshot gets a new id, and keeps its time, host, paths, label and tags. ``compact(progress:)`` removes the
  /// content of the excluded files if no other snapshot has it.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - rules: The rules that exclude files.
  ///   - mayEmpty: Whether a snapshot may lose all its files.
  ///   - isDryRun: Whether nothing is changed; the archive need not be open for writing.
  ///   - progress: Called repeatedly; throws to cancel.
  /// - Returns: The new snapshot. It replaces the old one in a single commit.
  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read: nothing is changed then. `StoreError`;
  ///   errors of `progress`.
  public func rewrite(
    _ snapshot: Snapshot, leavingOut rules: FilterOptions, mayEmpty: Bool = false, isDryRun: Bool = false,
    progress: () throws -> Void = {}
  ) throws -> Rewritten {
    if !isDryRun { try content.buildIndexes(progress) }
    do {
      var rewriting = try SnapshotRewriting(snapshot, of: self, leavingOut: rules, isDryRun: isDryRun)
      try rewriting.run(progress)
      let excludedCount = rewriting.excludedCount
      let isRefused = excludedCount > 0 && !mayEmpty && rewriting.counts.files == 0 && snapshot.counts.files > 0
      if isDryRun || isRefused || excludedCount == 0 {
        content.discardChanges()
        return Rewritten(snapshot: nil, excludedCount: excludedCount, isRefused: isRefused)
      }
      let stored = try insert(NewSnapshot(of: snapshot), pages: rewriting.finish(), counts: rewriting.counts)
      try store.delete(self.stored(snapshot))
      try content.save()
      return Rewritten(snapshot: try Snapshot(stored), excludedCount: excludedCount, isRefused: false)
    } catch {
      content.discardChanges()
      throw error
    }
  }
}

/// Walks a snapshot, and writes its directories again without the excluded files.
///
/// To be used on the thread of the store.
struct SnapshotRewriting: ~Copyable {
  private let archive: Archive
  /// The writer of the new tree; nil if files are only counted.
  private let writer: TreeWriter?
  private var filter: FileFilter
  private var walk: SnapshotWalk
  /// The counts of the remaining files and directories.
  private(set) var counts = SnapshotCounts()
  /// The number of excluded files and directories; entries below an excluded directory are not counted.
  private(set) var excludedCount = 0

  init(_ snapshot: Snapshot, of archive: Archive, leavingOut rules: FilterOptions, isDryRun: Bool) throws {
    self.archive = archive
    writer = isDryRun ? nil : try TreeWriter(archive.content, archive.key, archive.compression)
    filter = FileFilter(rules, device: 0)
    walk = SnapshotWalk(snapshot.pages, of: archive.content)
    counts.failures = snapshot.counts.failures
  }

  /// Writes all directories, and saves whenever enough is pending.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read; `StoreError`; errors of `progress`.
  mutating func run(_ progress: () throws -> Void) throws {
    while let step = try walk.next() {
      try progress()
      switch step {
      case .failure(let error, _): throw error
      case .end:
        filter.leave()
        try writer?.leave()
      case .entry(let entry): try take(entry)
      }
    }
  }

  /// Ends the tree, and returns the pages of the new root.
  func finish() throws -> [RowID] { try writer?.finish() ?? [] }

  private mutating func take(_ entry: ArchiveEntry) throws {
    let file = entry.file
    let isDirectory = file.kind == .directory
    let size = file.kind == .regular ? Int(file.byteCount) : nil
    guard filter.decision(name: file.name, isDirectory: isDirectory, size: size, device: 0) == .include else {
      excludedCount += 1
      return walk.skip()
    }
    if isDirectory {
      counts.directories += 1
      filter.enter(file.name)
      writer?.enter(file)
    } else {
      counts.add(file)
      try writer?.append(entry)
    }
    if writer != nil, archive.content.isSaveDue { try archive.content.save() }
  }
}
