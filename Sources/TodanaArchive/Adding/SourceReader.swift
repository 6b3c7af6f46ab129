internal import Foundation
internal import Todana

/// A reader that walks the given paths, reads new and changed files, and submits their entries and data.
///
/// Not thread-safe.
final class SourceReader {
  let builder: BatchBuilder
  let options: AddOptions
  let progress: SharedProgress
  var parent: ParentCursor
  let detection: ChangeDetection
  private let owners = OwnerNames()
  /// The archive's own directory, which is left out: its files would grow while they are read.
  private let archive: FileIdentity?
  /// The devices of given paths that are below other given paths.
  private var innerDevices: Set<UInt64> = []
  private let openLimit = DirectoryLimits.current(threadCount: ProcessInfo.processInfo.activeProcessorCount).trail

  init(
    _ builder: BatchBuilder, _ options: AddOptions, _ progress: SharedProgress, archive: FileIdentity?,
    parent: consuming ParentCursor, _ detection: ChangeDetection
  ) {
    self.builder = builder
    self.options = options
    self.progress = progress
    self.archive = archive
    self.parent = parent
    self.detection = detection
  }

  /// Reads all paths; files that cannot be read are left out and reported.
  func run(_ roots: SourceRoots) throws {
    for path in roots.innerPaths {
      do throws(FileError) {
        innerDevices.insert(try SourceStart(path, owners: owners, onWarning: { _ in }).entry.identity.device)
      } catch {
        report(error)
      }
    }
    if let path = roots.openPaths.first {
      try walk(path, asContent: true)
    } else {
      try visit(roots.top)
    }
  }

  private func visit(_ node: SourceRoots.Node) throws {
    for child in node.sortedChildren {
      if child.isWhole {
        try walk(child.path, asContent: false)
        continue
      }
      let start: SourceStart
      do throws(FileError) {
        // The trailing slash follows a symbolic link to the directory.
        start = try SourceStart(child.path + [UInt8(ascii: "/")], owners: owners) { report($0) }
      } catch {
        report(error)
        continue
      }
      if isArchive(start) {
        excludeArchive(child.path)
        continue
      }
      var entry = start.entry
      entry.name = child.name
      progress.change { $0.counts.directories += 1 }
      try append(.enter(entry))
      try visit(child)
      try append(.leave)
    }
  }

  // MARK: Walking

  private func walk(_ path: [UInt8], asContent: Bool) throws {
    var walk: SourceWalk
    let start: SourceStart
    do throws(FileError) {
      start = try SourceStart(path, owners: owners) { report($0) }
      if isArchive(start) { return excludeArchive(path) }
      walk = try SourceWalk(from: start, openLimit: openLimit, opensFiles: !options.isDryRun)
    } catch {
      return report(error)
    }
    parent.begin(at: path, named: asContent ? nil : start.entry.name)
    var filter: FileFilter?
    var isTop = true
    // The number of directories entered and not left, including the first.
    var level = 0
    while let step = walk.next(known: { known($0) }) {
      switch step {
      case .failure(let error): report(error)
      case .end:
        level -= 1
        if level > 0 { filter?.leave() }
        if level > 0 || !asContent { try leave() }
      case .entry(let entry):
        guard let directory = walk.directory else { continue }
        if isTop {
          isTop = false
          filter = try takeTop(entry, walk.file, in: directory, asContent: asContent)
          if filter != nil { level += 1 }
        } else if try take(entry, &walk, in: directory, &filter) {
          level += 1
        }
      }
    }
    if walk.hasListedStart { progress.change { $0.readPaths += 1 } }
  }

  /// Adds the file or directory at a given path; returns the filter for a directory, nil for a file.
  private func takeTop(
    _ entry: FileEntry, _ file: SourceFile?, in directory: SourceDirectory, asContent: Bool
  ) throws -> FileFilter? {
    guard entry.kind == .directory else {
      if try add(entry, file, in: directory) { progress.change { $0.readPaths += 1 } }
      return nil
    }
    if asContent {
      try append(.top(entry))
    } else {
      try enter(entry)
    }
    let inside = asContent ? directory : try? directory.openDirectory(named: entry.name)
    return FileFilter(
      options.filter, device: entry.identity.device, furtherDevices: innerDevices, markers: markers(of: inside))
  }

  /// Adds an entry below a given path; returns true for a directory that the walk enters next.
  private func take(
    _ entry: FileEntry, _ walk: inout SourceWalk, in directory: SourceDirectory, _ filter: inout FileFilter?
  ) throws -> Bool {
    let isDirectory = entry.kind == .directory
    if isDirectory, entry.identity == archive {
      walk.skip()
      excludeArchive(directory.path(of: entry.name))
      return false
    }
    switch decide(entry, &filter) {
    case .exclude(let reason):
      walk.skip()
      exclude(directory.path(of: entry.name), reason)
      return false
    case .includeWithoutContent:
      walk.skip()
      try enter(entry)
      try leave()
      return false
    case .include:
      guard isDirectory else {
        _ = try add(entry, walk.file, in: directory)
        return false
      }
      let inside = try? directory.openDirectory(named: entry.name, expecting: entry.identity)
      filter?.enter(entry.name, markers: markers(of: inside))
      for rule in filter?.flawedRules ?? [] { progress.addFailure("\(rule) matches nothing") }
      try enter(entry)
      return true
    }
  }

  /// Tests whether a path is the archive's directory, or a file in it.
  private func isArchive(_ start: SourceStart) -> Bool {
    guard let archive else { return false }
    let isDirectory = start.entry.kind == .directory
    return isDirectory && start.entry.identity == archive || start.parent?.identity == archive
  }

  /// Returns the earlier snapshot's entry with a name, if its attributes can be reused.
  private func known(_ name: [UInt8]) -> FileEntry? {
    guard !options.rescans, let old = parent.find(name)?.file, detection.trustsTimes(of: old) else { return nil }
    return old
  }

  // MARK: Passing on

  private func enter(_ entry: FileEntry) throws {
    parent.enter(parent.find(entry.name))
    progress.change { $0.counts.directories += 1 }
    try append(.enter(entry))
  }

  private func leave() throws {
    parent.leave()
    try append(.leave)
  }

  func append(_ step: TreeStep) throws {
    if options.isDryRun { return }
    try builder.append(step)
  }

  func report(_ error: FileError) { progress.addFailure("\(error)") }
}
