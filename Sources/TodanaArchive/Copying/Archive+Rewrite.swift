internal import Todana

extension Archive {
  /// The outcome of rewriting a snapshot.
  public struct Rewritten: Sendable {
    /// The snapshot that replaces the old one; nil if nothing was left out, if the old one stays, and in a dry run.
    public let snapshot: Snapshot?
    /// Files and directories that were left out, or would be; those below a directory are not counted.
    public let excludedCount: Int
    /// Whether the old snapshot stays because nothing would be left of its files.
    public let isRefused: Bool
  }

  /// Leaves files out of a snapshot afterwards, such as one that was never to be archived.
  ///
  /// The snapshot gets another id, and keeps time, host, paths, label and tags. The bytes of what was left out are removed
  /// by ``compact(progress:)``, if no other snapshot has them.
  ///
  /// - Parameters:
  ///   - snapshot: One of this archive.
  ///   - rules: What is left out.
  ///   - mayEmpty: Whether a snapshot may lose all its files.
  ///   - isDryRun: Nothing is changed; the archive need not be open for writing.
  ///   - progress: Called now and then; throws to end it all.
  /// - Returns: The new snapshot. Both are there, or the new one, never none.
  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read: nothing has changed then. `StoreError`; what
  ///   `progress` throws.
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

/// Goes through a snapshot, and writes its directories again without the files that rules leave out.
///
/// For the thread of the store.
struct SnapshotRewriting: ~Copyable {
  private let archive: Archive
  /// nil: files are only counted.
  private let writer: TreeWriter?
  private var filter: FileFilter
  private var walk: SnapshotWalk
  /// Of what stays.
  private(set) var counts = SnapshotCounts()
  /// Files and directories that were left out, those below a directory not counted.
  private(set) var excludedCount = 0

  init(_ snapshot: Snapshot, of archive: Archive, leavingOut rules: FilterOptions, isDryRun: Bool) throws {
    self.archive = archive
    writer = isDryRun ? nil : try TreeWriter(archive.content, archive.key, archive.compression)
    filter = FileFilter(rules, device: 0)
    walk = SnapshotWalk(snapshot.pages, of: archive.content)
    counts.failures = snapshot.counts.failures
  }

  /// - Throws: ``ArchiveError/Code/damaged`` if a directory cannot be read; `StoreError`; what `progress` throws.
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

  /// The pages of the new root.
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
