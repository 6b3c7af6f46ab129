internal import Todana

/// Restores the selected files of a snapshot below a target.
///
/// One thread walks the snapshot, creates directories, links and special files, and decides how existing files are
/// treated. Other threads create and compare the regular files.
///
/// Not thread-safe.
struct Extraction: ~Copyable {
  let options: ExtractOptions
  private let path: [UInt8]
  private let content: ContentStore
  let restorer: FileRestorer
  /// The threads that restore regular files with one name.
  ///
  /// A file with several names is restored on this thread, so that it exists before its next name is created.
  let files: FileRestoring
  /// The metadata of the target, set only if this or an interrupted extraction has created the target.
  private let top: FileEntry?
  private var walk: SnapshotWalk
  var target: ExtractionTarget
  /// The directories from the target down to the current one.
  var directories = [DirectoryRestoring()]
  private var selection: PathSelection
  private var filter: FileFilter
  let report = RestoreReport()
  var links = HardLinkGroups()
  var progress = ExtractProgress()
  private let tell: (ExtractProgress) throws -> Void
  private var lastProgress = ContinuousClock.now

  init(
    _ pages: [RowID], top: FileEntry? = nil, of content: ContentStore, at place: FileIdentity? = nil, to path: [UInt8],
    _ options: ExtractOptions, _ tell: @escaping (ExtractProgress) throws -> Void
  ) throws {
    let groups = SharedGroups()
    let top = options.paths.isEmpty ? top : nil
    let limits = DirectoryLimits.current(threadCount: FileRestoring.threadCount)
    let target = try ExtractionTarget(
      path, options, report, excluded: place, openLimit: limits.trail, givesRootMetadata: top != nil)
    files = try FileRestoring(
      content.store.backend, groups, limits, isDryRun: options.isDryRun, notesOutcomes: options.visit != nil)
    self.target = target
    self.options = options
    self.path = path
    self.tell = tell
    self.content = content
    self.top = top
    restorer = FileRestorer(content, groups, isDryRun: options.isDryRun)
    walk = SnapshotWalk(pages, of: content)
    selection = PathSelection(options.paths)
    filter = FileFilter(options.filter, device: 0)
  }

  deinit { files.stop() }

  mutating func run() throws -> ExtractProgress {
    while let step = try walk.next() {
      switch step {
      case .failure(let error, _):
        progress.addFailure("The \(DirectoryName(walk.directory)) is incomplete: \(error)")
        selection.dismiss(below: walk.directory)
      case .end: leave()
      case .entry(let entry): try take(entry)
      }
      try visitDecided()
      try tellProgress()
    }
    try files.finish {
      try visitDecided()
      try tellProgress()
    }
    try visitDecided()
    finishLinks()
    if let top { target.finishRoot(top) }
    do throws(FileError) { try target.check(path) } catch { progress.addFailure("\(error)") }
    for path in selection.unseen.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      progress.addFailure("The snapshot does not contain “\(printable(path))”.")
    }
    var all = total()
    all.warnings = report.warnings.map { "\($0)" }
    all.warningCount = report.warningCount
    try tell(all)
    return all
  }

  private mutating func leave() {
    filter.leave()
    guard let directory = directories.popLast() else { return }
    do throws(FileError) {
      try target.leave { directory.leave($0, $1) }
    } catch {
      progress.addFailure("\(error)")
    }
  }

  private mutating func take(_ entry: ArchiveEntry) throws {
    let path = walk.path(of: entry)
    let isDirectory = entry.file.kind == .directory
    let relation = selection.relation(of: path)
    let decision = filter.decision(
      name: entry.file.name, isDirectory: isDirectory,
      size: entry.file.kind == .regular ? Int(entry.file.byteCount) : nil, device: 0)
    guard decision == .include, relation == .selected || relation == .above && isDirectory else {
      if relation == .above, isDirectory { selection.dismiss(below: path) }
      return walk.skip()
    }
    do {
      // The next run would mistake the file for an unfinished file of its own.
      if TemporaryName.isReserved(entry.file.name) { throw FileError(.makeFile, path, .skipped, detail: Self.reserved) }
      if isDirectory {
        try enter(entry.file, path, isSelected: relation == .selected)
      } else {
        progress.path = path
        if let outcome = try restore(entry, path) {
          progress.add(outcome, entry.file)
          try options.visit?(path, outcome)
        }
      }
    } catch {
      guard let text = Self.failure(error, path) else { throw error }
      progress.addFailure(text)
      if isDirectory { selection.dismiss(below: path) }
      walk.skip()
    }
  }

  private static let reserved = "such names are reserved for incomplete files"

  /// Returns a message for an error that concerns a single file; nil if the extraction has to end.
  static func failure(_ error: any Error, _ path: [UInt8]) -> String? {
    switch error {
    // A full or read-only disk affects all files.
    case let error as FileError where error.code != .noSpace && error.code != .readOnly: "\(error)"
    case let error as ArchiveError where error.code == .damaged:
      "“\(printable(path))” is damaged and was not restored: \(error)"
    default: nil
    }
  }

  /// Enters a directory.
  ///
  /// An existing directory that is not selected itself, but is above selected files, keeps its metadata.
  private mutating func enter(_ file: FileEntry, _ path: [UInt8], isSelected: Bool) throws {
    let origin = try target.enter(file)
    filter.enter(file.name)
    directories.append(DirectoryRestoring(keepsExisting: !isSelected))
    if case .existing = origin { return try options.visit?(path, .right) ?? () }
    progress.counts.directories += 1
    try options.visit?(path, .restored)
  }

  // MARK: Progress

  private mutating func visitDecided() throws {
    guard let visit = options.visit else { return }
    for (path, outcome) in files.takeDecided() { try visit(path, outcome) }
  }

  /// Returns the progress including that of the other threads.
  private func total() -> ExtractProgress {
    var all = progress
    let done = files.current
    all.counts.files += done.progress.counts.files
    all.counts.bytes = SnapshotCounts.sum(all.counts.bytes, done.progress.counts.bytes)
    all.bytesWritten += done.progress.bytesWritten
    all.rightFiles += done.progress.rightFiles
    all.updatedFiles += done.progress.updatedFiles
    all.comparedFiles += done.progress.comparedFiles
    for failure in done.failures { all.addFailure(failure) }
    all.skippedOwners = report.skippedOwnerCount
    all.updatedDirectories = report.updatedDirectoryCount
    all.keptDirectories = report.keptDirectoryCount
    return all
  }

  mutating func tellProgress() throws {
    guard lastProgress.duration(to: .now) > .milliseconds(100) else { return }
    lastProgress = .now
    try tell(total())
  }
}
