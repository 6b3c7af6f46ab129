internal import Todana

/// Restores what was chosen of a snapshot beneath a target.
///
/// For one thread.
struct Extraction: ~Copyable {
  private let options: ExtractOptions
  private let reader: ContentReader
  private var walk: SnapshotWalk
  private var tree: TargetTree?
  private var selection: PathSelection
  private var chooser: FileChooser
  private let report = RestoreReport()
  private var links: [FileIdentity: (steps: [[UInt8]], identity: FileIdentity?)] = [:]
  private var progress = ExtractProgress()
  private let tell: (ExtractProgress) throws -> Void
  private var lastProgress = ContinuousClock.now

  init(
    _ pages: [RowID], of archive: ArchiveStore, to target: [UInt8], _ options: ExtractOptions,
    _ tell: @escaping (ExtractProgress) throws -> Void
  ) throws {
    self.options = options
    self.tell = tell
    reader = ContentReader(archive)
    walk = SnapshotWalk(pages, of: archive)
    selection = PathSelection(options.paths)
    chooser = FileChooser(options.choosing, device: 0)
    tree = options.isDryRun ? nil : TargetTree(try .open(target, options: options.restoring, report: report))
  }

  mutating func run() throws -> ExtractProgress {
    while let step = try walk.next() {
      switch step {
      case .failure(let error, _):
        progress.addFailure("The directory “\(printable(walk.directory))” is not whole: \(error)")
      case .end:
        chooser.leave()
        do throws(FileError) {
          try tree?.leave()
        } catch {
          progress.addFailure("\(error)")
        }
      case .entry(let entry): try take(entry)
      }
      try tellProgress()
    }
    for path in selection.unseen.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      progress.addFailure("The snapshot has no “\(printable(path))”.")
    }
    progress.warnings = report.warnings.map { "\($0)" }
    progress.skippedOwners = report.skippedOwnerCount
    try tell(progress)
    return progress
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
        progress.counts.directories += 1
      } else {
        progress.path = path
        try restore(entry)
      }
    } catch let error as FileError {
      // A full disk stays full.
      if error.code == .noSpace || error.code == .readOnly { throw error }
      progress.addFailure("\(error)")
      walk.skip()
    } catch let error as ArchiveError where error.code == .damaged {
      progress.addFailure("“\(printable(path))” is damaged and was not restored: \(error)")
    }
  }

  private mutating func restore(_ entry: ArchiveEntry) throws {
    let file = entry.file
    guard let tree else { return count(file, bytes: entry.dataByteCount) }
    guard let target = tree.directory else { throw FileError(.makeFile, file.name, .changed) }
    let isLinked = file.linkCount > 1
    switch try target.placement(of: file) {
    case .isRight:
      progress.rightFiles += 1
      if isLinked { links[file.identity] = (tree.steps + [file.name], nil) }
      return
    case .keeps:
      progress.keptFiles += 1
      return
    case .isNew, .replaces: break
    }
    if isLinked, let first = links[file.identity] {
      try target.makeHardLink(file, to: first.steps, expecting: first.identity)
      return count(file, bytes: 0)
    }
    let identity: FileIdentity?
    switch file.kind {
    case .regular: identity = try makeFile(entry, in: target)
    case .symbolicLink: identity = try target.makeLink(file)
    default: identity = try target.makeSpecialFile(file)
    }
    if isLinked, let identity { links[file.identity] = (tree.steps + [file.name], identity) }
    count(file, bytes: entry.dataByteCount)
  }

  private mutating func makeFile(_ entry: ArchiveEntry, in target: TargetDirectory) throws -> FileIdentity {
    let made = try target.makeFile(entry.file)
    try unsafe reader.read(entry) { bytes, offset in
      try unsafe made.write(bytes, at: offset)
      progress.bytesWritten += Int64(bytes.count)
      try tellProgress()
    }
    return try made.finish()
  }

  private mutating func count(_ file: FileEntry, bytes: Int64) {
    progress.counts.files += 1
    if file.kind == .regular { progress.counts.bytes += file.byteCount }
    if options.isDryRun { progress.bytesWritten += bytes }
  }

  private mutating func tellProgress() throws {
    guard lastProgress.duration(to: .now) > .milliseconds(100) else { return }
    lastProgress = .now
    try tell(progress)
  }
}
