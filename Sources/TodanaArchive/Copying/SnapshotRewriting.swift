internal import Todana

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
