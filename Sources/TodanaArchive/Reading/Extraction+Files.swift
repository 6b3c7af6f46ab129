// The restoring of single files: those with one name, and those with several hard links.
extension Extraction {
  /// Restores an entry other than a directory, or treats the existing file as the options say.
  ///
  /// - Returns: The outcome; nil if another thread determines it.
  mutating func restore(_ entry: ArchiveEntry, _ path: [UInt8]) throws -> ExtractOptions.Outcome? {
    let file = entry.file
    let target = try target.directory(for: file.name)
    // The directory is new, so the file system treats two names as equal, for example by ignoring case: a file would be
    // lost.
    if let target, target.origin == .made, try target.identity(of: file.name) != nil {
      throw FileError(.place, target.path + [UInt8(ascii: "/")] + file.name, .exists, detail: Self.oneName)
    }
    if file.linkCount > 1, let target { return try restoreLinked(entry, target) }
    // A directory of this run has no existing file of this name, as checked above.
    let placement = target?.origin == .made ? .isNew : try target?.placement(of: file) ?? .isNew
    switch placement {
    case .isNew, .replaces: return try make(entry, path, in: target)
    case .isRight: return .right
    case .keeps: return .kept
    case .comparesContent:
      try add(entry, path, in: target, compares: true)
      return nil
    case .setsMetadata: return try target?.updateMetadata(file) == .wasRight ? .right : .updated
    case .setsOtherMetadata:
      if let target { try setOtherMetadata(file, in: target) }
      return .kept
    }
  }

  private static let oneName = "the directory was new; the file system may treat different names as equal"

  private func add(_ entry: ArchiveEntry, _ path: [UInt8], in target: TargetDirectory?, compares: Bool) throws {
    guard let directory = directories.last else { throw FileError(.makeFile, path, .changed) }
    try files.add(entry, path: path, in: target, directory, compares: compares)
  }

  private mutating func make(
    _ entry: ArchiveEntry, _ path: [UInt8], in target: TargetDirectory?
  ) throws -> ExtractOptions.Outcome? {
    guard let target, !options.isDryRun else {
      if !TargetDirectory.canMake(entry.file.kind) { return .leftOut }
      if entry.file.kind == .regular { progress.bytesWritten += entry.dataByteCount }
      return .restored
    }
    if entry.file.kind == .regular {
      try add(entry, path, in: target, compares: false)
      return nil
    }
    return try makeOther(entry.file, in: target) == nil ? .leftOut : .restored
  }

  /// Creates a symbolic link, a FIFO or a device; returns nil if it was left out.
  private func makeOther(_ file: FileEntry, in target: TargetDirectory) throws(FileError) -> FileIdentity? {
    file.isSymbolicLink ? try target.makeLink(file) : try target.makeSpecialFile(file)
  }

  private mutating func setOtherMetadata(_ file: FileEntry, in target: TargetDirectory) throws(FileError) {
    switch try target.updateMetadata(file, hasContent: false) {
    case .wasRight: break
    case .set: progress.updatedFiles += 1
    case .needsNewFile: reportOtherNames(target.path + [UInt8(ascii: "/")] + file.name)
    }
  }

  // MARK: Several names

  /// Restores a file with several hard links: the first name like any file, the others as links to it.
  private mutating func restoreLinked(
    _ entry: ArchiveEntry, _ target: TargetDirectory
  ) throws -> ExtractOptions.Outcome {
    let file = entry.file
    let existing = try target.identity(of: file.name)
    if let first = links.first(of: file) {
      let placement = try target.placement(of: file)
      if let existing, let identity = first.identity, existing.identity == identity {
        return try setWaitingMetadata(file, existing.identity, in: target) ?? (first.isMade ? .restored : .right)
      }
      return try link(entry, to: first, placement, target)
    }
    let placement = try target.placement(of: file)
    let steps = self.target.steps + [file.name]
    switch placement {
    case .isNew, .replaces:
      let result = try makeFirst(entry, target)
      if let identity = result.identity { links.note(file, steps, identity, isMade: true) }
      return result.outcome
    case .isRight:
      links.note(file, steps, existing?.identity, isMade: false)
      return .right
    case .keeps: return .kept
    case .comparesContent:
      progress.comparedFiles += 1
      let result = try restorer.compare(entry, in: target) { try noteWriting($0) }
      links.note(file, steps, result.identity, isMade: result.outcome == .restored)
      return result.outcome
    case .setsMetadata:
      links.note(file, steps, existing?.identity, isMade: false)
      switch try target.updateMetadata(file) {
      case .wasRight: return .right
      case .set: return .updated
      case .needsNewFile:
        // Set the metadata only if all names of the file are found in the target.
        if let existing { links.wait(existing.identity, path: target.path + [UInt8(ascii: "/")] + file.name) }
        return .right
      }
    case .setsOtherMetadata:
      try setOtherMetadata(file, in: target)
      return .kept
    }
  }

  private mutating func link(
    _ entry: ArchiveEntry, to first: HardLinkGroups.First, _ placement: Placement, _ target: TargetDirectory
  ) throws -> ExtractOptions.Outcome {
    switch placement {
    case .isNew, .replaces, .comparesContent, .setsMetadata:
      if options.isDryRun { return .restored }
      try target.makeHardLink(
        entry.file, to: first.steps, expecting: first.identity,
        replaces: placement == .comparesContent || placement == .setsMetadata)
      if let identity = first.identity, let update = try setWaitingMetadata(entry.file, identity, in: target) {
        return update == .updated ? .updated : .restored
      }
      return .restored
    // A separate file is at the path; it should be a link to the first one.
    case .isRight, .keeps: return .kept
    case .setsOtherMetadata:
      try setOtherMetadata(entry.file, in: target)
      return .kept
    }
  }

  /// Sets the metadata of an existing file if this is the last of its names; returns nil if the file does not wait for
  /// its metadata.
  private mutating func setWaitingMetadata(
    _ file: FileEntry, _ identity: FileIdentity, in target: TargetDirectory
  ) throws -> ExtractOptions.Outcome? {
    guard links.find(identity), let existing = try target.identity(of: file.name) else { return nil }
    guard links.hasFoundAll(identity, linkCount: existing.linkCount) else { return .right }
    return try target.updateMetadata(file, knowsAllNames: true) == .wasRight ? .right : .updated
  }

  private mutating func makeFirst(_ entry: ArchiveEntry, _ target: TargetDirectory) throws -> FileRestorer.Result {
    guard entry.file.kind != .regular else {
      return try restorer.restore(entry, in: target) { try noteWriting($0) }
    }
    if options.isDryRun {
      return FileRestorer.Result(
        outcome: TargetDirectory.canMake(entry.file.kind) ? .restored : .leftOut, identity: nil)
    }
    let identity = try makeOther(entry.file, in: target)
    return FileRestorer.Result(outcome: identity == nil ? .leftOut : .restored, identity: identity)
  }

  private mutating func noteWriting(_ byteCount: Int) throws {
    progress.bytesWritten += Int64(byteCount)
    try tellProgress()
  }

  /// Sets the locking flags of the files whose names were all created, and reports files with names that were not
  /// found.
  mutating func finishLinks() {
    for path in links.unfinished { reportOtherNames(path) }
    for first in links.locked {
      do throws(FileError) {
        try target.root?.writeFlags(first.entry, to: first.steps)
      } catch {
        report.add(error)
      }
    }
  }

  private func reportOtherNames(_ path: [UInt8]) {
    let detail = "it has other hard links, which are not among the restored files"
    report.add(FileError(.setPermissions, path, .skipped, detail: detail))
  }
}

/// The files with several hard links that an extraction has met, and their names in the target.
struct HardLinkGroups {
  /// The first name of an archived file.
  struct First {
    /// The path components from the target on.
    let steps: [[UInt8]]
    /// The identity of the file in the target; nil if it is unknown and not checked.
    let identity: FileIdentity?
    let entry: FileEntry
    /// Whether this run has created the file.
    let isMade: Bool
  }

  /// The first names by the identity of the file in the archive.
  private var firsts: [FileIdentity: First] = [:]
  /// Existing files with different metadata, by their identity in the target.
  private var waiting: [FileIdentity: (path: [UInt8], foundCount: UInt64)] = [:]

  func first(of file: FileEntry) -> First? { firsts[file.identity] }

  mutating func note(_ file: FileEntry, _ steps: [[UInt8]], _ identity: FileIdentity?, isMade: Bool) {
    guard firsts[file.identity] == nil else { return }
    firsts[file.identity] = First(steps: steps, identity: identity, entry: file, isMade: isMade)
  }

  /// Counts one more name of a file that waits for its metadata; returns false if the file does not wait.
  mutating func find(_ identity: FileIdentity) -> Bool {
    guard waiting[identity] != nil else { return false }
    waiting[identity]?.foundCount += 1
    return true
  }

  /// Makes an existing file wait for its metadata until all its names were found.
  mutating func wait(_ identity: FileIdentity, path: [UInt8]) { waiting[identity] = (path, 1) }

  /// Tests whether all names of a file were found; if so, the file no longer waits.
  mutating func hasFoundAll(_ identity: FileIdentity, linkCount: UInt64) -> Bool {
    guard let found = waiting[identity], found.foundCount >= linkCount else { return false }
    waiting[identity] = nil
    return true
  }

  /// The paths of the files with names that were not found.
  var unfinished: [[UInt8]] { waiting.values.map(\.path).sorted { $0.lexicographicallyPrecedes($1) } }

  /// The created files that become immutable or append-only after all their names were created.
  var locked: [First] { firsts.values.filter { $0.isMade && !$0.entry.flags.isDisjoint(with: .locking) } }
}
