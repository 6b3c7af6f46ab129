/// Goes down into a target and up again, as a walk through a snapshot does.
///
/// ```swift
/// var tree = TargetTree(try .open(path, options: options, report: report))
/// try tree.enter(directory)              // a directory's entry
/// try tree.directory?.makeLink(entry)
/// try tree.leave()                       // the directory gets its metadata
/// ```
///
/// As with ``SourceWalk``, neither descriptors nor the length of paths limit the depth. One thread at a time.
package struct TargetTree {
  private struct Level {
    let entry: FileEntry
    let origin: TargetDirectory.Origin
  }

  package let root: TargetDirectory
  private var trail: DirectoryTrail
  private var levels: [Level] = []

  /// Has at most `openLimit` directories open at once, besides the target.
  package init(_ root: TargetDirectory, openLimit: Int = 32) {
    self.root = root
    trail = DirectoryTrail(root.handle, openLimit: openLimit)
  }

  /// The directory where files are made now; nil after it was not found again in ``leave(_:)``.
  package var directory: TargetDirectory? {
    guard let current = trail.current else { return nil }
    return TargetDirectory(current, root.context, levels.last?.origin ?? root.origin)
  }

  /// Returns the error of an operation in ``directory`` when there is none.
  package func lost(_ operation: FileError.Operation, _ name: [UInt8]) -> FileError {
    let path = trail.currentPath.bytes(of: name)
    guard let failure = trail.failure else { return FileError(operation, path, .changed) }
    return FileError(operation, path, failure.code, errorNumber: failure.errorNumber, detail: failure.detail)
  }

  /// The names of the directories from the target down to ``directory``.
  package var steps: [[UInt8]] { levels.map(\.entry.name) }

  /// Makes a directory in ``directory``, or opens the existing one, and goes into it.
  ///
  /// Leftovers of earlier runs in an existing one are removed.
  ///
  /// - Returns: Whether it was made, or existed.
  @discardableResult
  package mutating func enter(_ entry: FileEntry) throws(FileError) -> TargetDirectory.Origin {
    guard let above = directory else { throw lost(.makeDirectory, entry.name) }
    let inside = try above.makeDirectory(entry)
    if inside.origin != .made { try inside.removeLeftovers() }
    trail.enter(inside.handle)
    levels.append(Level(entry: entry, origin: inside.origin))
    return inside.origin
  }

  /// Gives the target itself metadata, if this run or an interrupted one has made it.
  package func finishRoot(_ entry: FileEntry) {
    switch root.origin {
    case .made, .unfinished: root.finish(entry)
    case .existing: break
    }
  }

  /// Gives ``directory`` its metadata, and goes back to the one that it is in.
  ///
  /// - Parameter finish: Gives a directory its metadata, now or later.
  /// - Throws: ``FileError/Code/changed`` if that one is not there any more, and the next call goes on upwards; or if it has
  ///   another directory, or none, under this one's name: the files that were made are elsewhere.
  package mutating func leave(
    _ finish: (TargetDirectory, FileEntry) -> Void = { $0.finish($1) }
  ) throws(FileError) {
    guard let level = levels.last else { return }
    let left = directory
    if let directory {
      finish(directory, level.entry)
    } else {
      root.report.add(lost(.setTimes, []))
    }
    levels.removeLast()
    try trail.leave()
    guard let left, let above = directory else { return }
    guard try above.identity(of: level.entry.name)?.identity == left.identity else {
      throw FileError(.place, left.path, .changed)
    }
  }

  /// Throws ``FileError/Code/changed`` if the path that was opened as the target leads elsewhere now.
  package func checkTarget(_ path: [UInt8]) throws(FileError) {
    guard try SourceStart.open(path).identity == root.identity else { throw FileError(.open, path, .changed) }
  }
}

/// Goes through a target as ``TargetTree`` does, and changes nothing: for a dry run.
package struct TargetSurvey {
  private struct Level {
    let entry: FileEntry
    let origin: TargetDirectory.Origin
  }

  private let root: TargetDirectory?
  private var trail: DirectoryTrail?
  private var levels: [Level] = []
  /// Directories below ``directory`` that would be made.
  private var missingCount = 0

  /// - Parameters:
  ///   - root: The target; nil if it would be made.
  ///   - openLimit: How many directories are open at once, at most, besides the target.
  package init(_ root: TargetDirectory?, openLimit: Int = 32) {
    self.root = root
    trail = root.map { DirectoryTrail($0.handle, openLimit: openLimit) }
  }

  /// The existing directory where files would be made; nil if it would be made itself.
  package var directory: TargetDirectory? {
    guard missingCount == 0, let root, let current = trail?.current else { return nil }
    return TargetDirectory(current, root.context, levels.last?.origin ?? root.origin)
  }

  /// Goes into a directory that exists or would be made.
  ///
  /// - Throws: ``FileError/Code/linkInTheWay`` and ``FileError/Code/notADirectory`` if it could not be made.
  package mutating func enter(_ entry: FileEntry) throws(FileError) -> TargetDirectory.Origin {
    guard let above = directory, let inside = try above.openForDryRun(entry) else {
      missingCount += 1
      return .made
    }
    trail?.enter(inside.handle)
    levels.append(Level(entry: entry, origin: inside.origin))
    return inside.origin
  }

  /// Goes back to the directory above; `finish` gets an existing one, to compare its metadata.
  package mutating func leave(_ finish: (TargetDirectory, FileEntry) -> Void) throws(FileError) {
    if missingCount > 0 {
      missingCount -= 1
      return
    }
    guard let level = levels.last else { return }
    if let directory { finish(directory, level.entry) }
    levels.removeLast()
    try trail?.leave()
  }
}
