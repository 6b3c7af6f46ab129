internal import Foundation
internal import Glibc
internal import Todana

/// Walks what is to be archived, reads what is new, and hands it on in pieces.
///
/// For one thread.
final class SourceReader {
  let submitter: ContentSubmitter
  private let options: AddOptions
  let progress: SharedProgress
  private var parent: ParentCursor
  private let owners = OwnerNames()
  private let openLimit = DirectoryLimits.current(threadCount: ProcessInfo.processInfo.activeProcessorCount).trail

  init(
    _ submitter: ContentSubmitter, _ options: AddOptions, _ progress: SharedProgress, parent: consuming ParentCursor
  ) {
    self.submitter = submitter
    self.options = options
    self.progress = progress
    self.parent = parent
  }

  /// Walks it all; what cannot be read is left out and reported.
  func run(_ roots: SourceRoots) throws {
    if let path = roots.openPaths.first {
      try walk(path, asContent: true)
    } else {
      try visit(roots.top)
    }
  }

  /// Makes a file of all that a descriptor gives.
  func run(stream descriptor: CInt, _ entry: FileEntry) throws {
    progress.change { $0.readPaths += 1 }
    func readSome(_ buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      try unsafe read(descriptor, into: buffer, name: entry.name)
    }
    var entry = entry
    if options.isDryRun {
      entry.byteCount = try unsafe submitter.skip(readSome)
    } else {
      let (chunkCount, byteCount) = try unsafe submitter.chunks(readSome)
      entry.byteCount = byteCount
      try append(.entry(entry, chunkCount == 0 ? .none : .chunks(chunkCount, extents: [])))
    }
    note(entry, nil)
  }

  /// Reads what there is; waits where nothing is, until nobody wants it any more.
  private func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, name: [UInt8]
  ) throws(FileError) -> Int {
    while true {
      // A read would go on waiting after a signal.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&waiting, 1, 100) == 0 {
        guard !submitter.pipeline.hasStopped else { return 0 }
        continue
      }
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        progress.change { $0.bytesRead += Int64(count) }
        return count
      }
      if errno != EINTR { throw FileError(.readData, name, errorNumber: errno) }
    }
  }

  // MARK: Walking

  private func visit(_ node: SourceRoots.Node) throws {
    for child in node.sortedChildren {
      if child.isWhole {
        try walk(child.path, asContent: false)
        continue
      }
      let start: SourceStart
      do throws(FileError) {
        // Behind whatever link.
        start = try SourceStart(child.path + [UInt8(ascii: "/")], owners: owners) { report($0) }
      } catch {
        report(error)
        continue
      }
      var entry = start.entry
      entry.name = child.name
      try enter(entry)
      try visit(child)
      try leave()
    }
  }

  private func walk(_ path: [UInt8], asContent: Bool) throws {
    var walk: SourceWalk
    let start: SourceStart
    do throws(FileError) {
      start = try SourceStart(path, owners: owners) { report($0) }
      walk = try SourceWalk(from: start, openLimit: openLimit, opensFiles: !options.isDryRun)
    } catch {
      return report(error)
    }
    progress.change { $0.readPaths += 1 }
    var chooser: FileChooser?
    // Levels of the walk that the snapshot does not have.
    var isTop = true
    var level = 0
    while let step = walk.next(known: { options.rescans ? nil : parent.find($0)?.file }) {
      switch step {
      case .failure(let error): report(error)
      case .end:
        level -= 1
        if level > 0 { chooser?.leave() }
        if level > 0 || !asContent { try leave() }
      case .entry(let entry):
        guard let directory = walk.directory else { continue }
        if isTop {
          isTop = false
          if entry.kind == .directory {
            chooser = FileChooser(
              options.choosing, device: entry.identity.device,
              markers: markers(of: asContent ? directory : try? directory.openDirectory(named: entry.name)))
            level += 1
            if asContent { continue }
          }
          try add(entry, walk.file, in: directory)
          continue
        }
        switch decide(entry, &chooser) {
        case .exclude(let reason):
          walk.skip()
          exclude(entry, in: directory, reason)
        case .includeWithoutContent:
          walk.skip()
          try enter(entry)
          try leave()
        case .include:
          if entry.kind == .directory {
            level += 1
            let inside = try? directory.openDirectory(named: entry.name, expecting: entry.identity)
            chooser?.enter(entry.name, markers: markers(of: inside))
            for rule in chooser?.flawedRules ?? [] { progress.addFailure("\(rule) matches nothing") }
          }
          try add(entry, walk.file, in: directory)
        }
      }
    }
  }

  private func decide(_ entry: FileEntry, _ chooser: inout FileChooser?) -> FileDecision {
    chooser?.decision(
      name: entry.name, isDirectory: entry.kind == .directory,
      size: entry.kind == .regular ? Int(entry.byteCount) : nil, device: entry.identity.device) ?? .include
  }

  private func markers(of directory: SourceDirectory?) -> FileChooser.DirectoryMarkers {
    guard let directory else { return FileChooser.DirectoryMarkers() }
    return FileChooser.DirectoryMarkers(
      ignoreFile: content(of: FileChooser.ignoreFileName, in: directory, limit: 1 << 20),
      cacheTag: options.choosing.excludesCaches
        ? content(of: CacheDirectoryTag.fileName, in: directory, limit: CacheDirectoryTag.signature.count) : nil)
  }

  /// The beginning of a regular file; nil where there is none, or it cannot be read.
  private func content(of name: [UInt8], in directory: SourceDirectory, limit: Int) -> [UInt8]? {
    guard let entry = try? directory.entry(named: name, onWarning: { _ in }), entry.kind == .regular else { return nil }
    do throws(FileError) {
      let file = try directory.openFile(entry)
      var bytes = [UInt8](repeating: 0, count: Int(min(entry.byteCount, Int64(limit))))
      var span = bytes.mutableSpan
      let count = try file.read(into: &span, at: 0)
      return Array(bytes.prefix(count))
    } catch {
      report(error)
      return nil
    }
  }

  private func exclude(_ entry: FileEntry, in directory: SourceDirectory, _ reason: FileDecision.Reason) {
    progress.change { progress in
      progress.excluded += 1
      guard options.notesExclusions, progress.exclusions.count < 100_000 else { return }
      progress.exclusions.append("\(printable(directory.path + [UInt8(ascii: "/")] + entry.name)): \(reason)")
    }
  }

  // MARK: Entries

  private func add(_ entry: FileEntry, _ file: SourceFile?, in directory: SourceDirectory) throws {
    switch entry.kind {
    case .directory: try enter(entry)
    case .socket: progress.change { $0.skippedSockets += 1 }
    case .regular: try addFile(entry, file, in: directory)
    default:
      let old = parent.find(entry.name)
      try append(.entry(entry, .none))
      note(entry, old, isUnchanged: old.map { entry.isUnchanged(since: $0.file) } ?? false)
    }
  }

  private func addFile(_ entry: FileEntry, _ opened: SourceFile?, in directory: SourceDirectory) throws {
    let old = parent.find(entry.name)
    if !options.rescans, let old, entry.isUnchanged(since: old.file), try !parent.isKnownDamaged(old) {
      note(entry, old, isUnchanged: true)
      return try append(.entry(entry, .known(old.content, extents: old.extents)))
    }
    let path = directory.path + [UInt8(ascii: "/")] + entry.name
    progress.change { $0.path = path }
    if options.isDryRun { return note(entry, old) }
    do {
      let file = try opened ?? directory.openFile(entry)
      var read = entry
      let source = try content(of: file, &read)
      if try file.hasChanged(since: entry) { progress.addFailure("“\(printable(path))” changed while it was read") }
      note(read, old)
      try append(.entry(read, source))
    } catch let error as FileError {
      try submitter.dropChunks()
      report(error)
    }
  }

  // MARK: Handing on

  private func enter(_ entry: FileEntry) throws {
    parent.enter(parent.find(entry.name))
    progress.change { $0.counts.directories += 1 }
    try append(.enter(entry))
  }

  private func leave() throws {
    parent.leave()
    try append(.leave)
  }

  private func append(_ step: TreeStep) throws {
    if options.isDryRun { return }
    try submitter.append(step)
  }

  private func note(_ entry: FileEntry, _ old: ArchiveEntry?, isUnchanged: Bool = false) {
    progress.change { progress in
      progress.counts.add(entry)
      if isUnchanged {
        progress.unchangedFiles += 1
      } else if old == nil {
        progress.newFiles += 1
      } else {
        progress.changedFiles += 1
      }
    }
  }

  private func report(_ error: FileError) { progress.addFailure("\(error)") }
}
