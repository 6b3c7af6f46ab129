// How single files are restored: those with one name, and those with several.
extension Extraction {
  /// Restores a file that is no directory, or treats the existing one by the options.
  ///
  /// - Returns: What became of it; nil if another thread is going to know.
  mutating func restore(_ entry: ArchiveEntry, _ path: [UInt8]) throws -> ExtractOptions.Outcome? {
    let file = entry.file
    let target = try target.directory(for: file.name)
    // Two names are one there, as upper and lower case on some file systems: one of the files would be lost.
    if let target, target.origin == .made, try target.identity(of: file.name) != nil {
      throw FileError(.place, target.path + [UInt8(ascii: "/")] + file.name, .exists, detail: Self.oneName)
    }
    if file.linkCount > 1, let target { return try restoreLinked(entry, target) }
    // In a directory that was made, nothing else was found above.
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

  private static let oneName = "the directory was new; the file system may take different names for one"

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

  /// Makes a symbolic link, a FIFO or a device; nil if it was left out.
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

  /// Restores a file with several names: the first one as any other, the next ones as links to it.
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
        // Only when all names were seen to be in the target.
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
    // A file of its own, which should be the other one.
    case .isRight, .keeps: return .kept
    case .setsOtherMetadata:
      try setOtherMetadata(entry.file, in: target)
      return .kept
    }
  }

  /// Sets the metadata of an existing file if this is the last of its names; nil if it does not wait for that.
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

  /// Locks files whose names were all made, and reports files whose names were not all found.
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
    let detail = "it has other names, which are not among the restored files"
    report.add(FileError(.setPermissions, path, .skipped, detail: detail))
  }
}

/// The files with several names that an extraction has met, and their names in the target.
struct HardLinkGroups {
  /// The first name of a file of the archive.
  struct First {
    /// From the target on.
    let steps: [[UInt8]]
    /// The file in the target; nil if any may be there.
    let identity: FileIdentity?
    let entry: FileEntry
    /// Whether this run has made the file.
    let isMade: Bool
  }

  /// By the identity that the archive has.
  private var firsts: [FileIdentity: First] = [:]
  /// Existing files whose metadata is different, by their identities in the target.
  private var waiting: [FileIdentity: (path: [UInt8], foundCount: UInt64)] = [:]

  func first(of file: FileEntry) -> First? { firsts[file.identity] }

  mutating func note(_ file: FileEntry, _ steps: [[UInt8]], _ identity: FileIdentity?, isMade: Bool) {
    guard firsts[file.identity] == nil else { return }
    firsts[file.identity] = First(steps: steps, identity: identity, entry: file, isMade: isMade)
  }

  /// Counts one more name of an existing file that waits for its metadata; false if it does not wait.
  mutating func find(_ identity: FileIdentity) -> Bool {
    guard waiting[identity] != nil else { return false }
    waiting[identity]?.foundCount += 1
    return true
  }

  /// Has an existing file wait until all its names were found.
  mutating func wait(_ identity: FileIdentity, path: [UInt8]) { waiting[identity] = (path, 1) }

  /// Returns whether as many names were found as the file has; it does not wait then any more.
  mutating func hasFoundAll(_ identity: FileIdentity, linkCount: UInt64) -> Bool {
    guard let found = waiting[identity], found.foundCount >= linkCount else { return false }
    waiting[identity] = nil
    return true
  }

  /// The paths of existing files that have more names than were found.
  var unfinished: [[UInt8]] { waiting.values.map(\.path).sorted { $0.lexicographicallyPrecedes($1) } }

  /// Files that were made, and become immutable or append-only when all names were made.
  var locked: [First] { firsts.values.filter { $0.isMade && !$0.entry.flags.isDisjoint(with: .locking) } }
}
