internal import Todana

/// Restores what was chosen of a snapshot beneath a target.
///
/// One thread goes through the snapshot, makes directories, links and special files, and decides about what is there
/// already; others make the regular files.
///
/// For one thread.
struct Extraction: ~Copyable {
  private let options: ExtractOptions
  private let archive: ArchiveStore
  private let groups = SharedGroups()
  private let restorer: FileRestorer
  /// Of regular files with one name; those with several are made here, so that what they are is known to the next.
  private let files: FileRestoring?
  /// The metadata of the target, if it was made here.
  private let top: FileEntry?
  private var walk: SnapshotWalk
  private var tree: TargetTree?
  /// The directories from the target down to where the walk is.
  private var directories = [DirectoryRestoring()]
  private var selection: PathSelection
  private var chooser: FileChooser
  private let report = RestoreReport()
  private var links: [FileIdentity: (steps: [[UInt8]], identity: FileIdentity?)] = [:]
  private var progress = ExtractProgress()
  private let tell: (ExtractProgress) throws -> Void
  private var lastProgress = ContinuousClock.now

  init(
    _ snapshot: Snapshot, of archive: ArchiveStore, to target: [UInt8], _ options: ExtractOptions,
    _ tell: @escaping (ExtractProgress) throws -> Void
  ) throws {
    self.options = options
    self.tell = tell
    self.archive = archive
    restorer = FileRestorer(archive, groups)
    top = snapshot.top
    walk = SnapshotWalk(snapshot.pages, of: archive)
    selection = PathSelection(options.paths)
    chooser = FileChooser(options.choosing, device: 0)
    tree = options.isDryRun ? nil : TargetTree(try .open(target, options: options.restoring, report: report))
    files = options.isDryRun ? nil : FileRestoring(archive.store.backend, groups)
  }

  deinit { files?.stop() }

  mutating func run() throws -> ExtractProgress {
    while let step = try walk.next() {
      switch step {
      case .failure(let error, _):
        progress.addFailure("The directory “\(printable(walk.directory))” is not whole: \(error)")
      case .end: leave()
      case .entry(let entry): try take(entry)
      }
      try tellProgress()
    }
    try files?.finish { try tellProgress() }
    if let top, options.paths.isEmpty { tree?.finishRoot(top) }
    for path in selection.unseen.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      progress.addFailure("The snapshot has no “\(printable(path))”.")
    }
    var all = total()
    all.warnings = report.warnings.map { "\($0)" }
    try tell(all)
    return all
  }

  private mutating func leave() {
    chooser.leave()
    guard let directory = directories.popLast() else { return }
    do throws(FileError) {
      try tree?.leave { directory.leave($0, $1) }
    } catch {
      progress.addFailure("\(error)")
    }
  }

  private mutating func take(_ entry: ArchiveEntry) throws {
    let path = walk.path(of: entry)
    let isDirectory = entry.file.kind == .directory
    let relation = selection.relation(of: path)
    let decision = chooser.decision(
      name: entry.file.name, isDirectory: isDirectory,
      size: entry.file.kind == .regular ? Int(entry.file.byteCount) : nil, device: 0)
    guard decision == .include, relation == .selected || relation == .above && isDirectory else { return walk.skip() }
    do {
      if isDirectory {
        try tree?.enter(entry.file)
        chooser.enter(entry.file.name)
        directories.append(DirectoryRestoring())
        progress.counts.directories += 1
        try options.visit?(path, .restored)
      } else {
        progress.path = path
        let outcome = try restore(entry, path)
        try options.visit?(path, outcome)
      }
    } catch {
      guard let text = Self.failure(error, path) else { throw error }
      progress.addFailure(text)
      walk.skip()
    }
  }

  /// What an error means for one file; nil where it means that there is no going on.
  static func failure(_ error: any Error, _ path: [UInt8]) -> String? {
    switch error {
    // A full disk stays full.
    case let error as FileError where error.code != .noSpace && error.code != .readOnly: "\(error)"
    case let error as ArchiveError where error.code == .damaged:
      "“\(printable(path))” is damaged and was not restored: \(error)"
    default: nil
    }
  }

  private mutating func restore(_ entry: ArchiveEntry, _ path: [UInt8]) throws -> ExtractOptions.Outcome {
    let file = entry.file
    guard let tree, let files else { return count(file, bytes: entry.dataByteCount) }
    guard let target = tree.directory, let directory = directories.last else {
      throw FileError(.makeFile, file.name, .changed)
    }
    let isLinked = file.linkCount > 1
    switch try target.placement(of: file) {
    case .isRight:
      progress.rightFiles += 1
      if isLinked { links[file.identity] = (tree.steps + [file.name], nil) }
      return .right
    case .keeps:
      progress.keptFiles += 1
      return .kept
    case .isNew, .replaces: break
    }
    if isLinked, let first = links[file.identity] {
      try target.makeHardLink(file, to: first.steps, expecting: first.identity)
      return count(file, bytes: 0)
    }
    let identity: FileIdentity?
    switch file.kind {
    case .regular:
      guard isLinked else {
        try files.add(entry, path: path, in: target, directory)
        return .restored
      }
      identity = try restorer.restore(entry, in: target) { count in
        progress.bytesWritten += Int64(count)
        try tellProgress()
      }
    case .symbolicLink: identity = try target.makeLink(file)
    default: identity = try target.makeSpecialFile(file)
    }
    if isLinked, let identity { links[file.identity] = (tree.steps + [file.name], identity) }
    return count(file, bytes: entry.dataByteCount)
  }

  private mutating func count(_ file: FileEntry, bytes: Int64) -> ExtractOptions.Outcome {
    progress.counts.add(file)
    if options.isDryRun { progress.bytesWritten += bytes }
    return .restored
  }

  /// With what the other threads have done.
  private func total() -> ExtractProgress {
    var all = progress
    if let done = files?.current {
      all.counts.files += done.fileCount
      all.counts.bytes += done.byteCount
      all.bytesWritten += done.writtenByteCount
      for failure in done.failures { all.addFailure(failure) }
    }
    all.skippedOwners = report.skippedOwnerCount
    return all
  }

  private mutating func tellProgress() throws {
    guard lastProgress.duration(to: .now) > .milliseconds(100) else { return }
    lastProgress = .now
    try tell(total())
  }
}
