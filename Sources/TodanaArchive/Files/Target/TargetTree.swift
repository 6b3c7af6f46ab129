/// A position in a target that follows a walk through a snapshot, down into directories and up again.
///
/// ```swift
/// var tree = TargetTree(try .open(path, options: options, report: report))
/// try tree.enter(directory)              // a directory's entry
/// try tree.directory?.makeLink(entry)
/// try tree.leave()                       // the directory gets its metadata
/// ```
///
/// As with ``SourceWalk``, the depth is not limited by descriptors or the length of paths. Not thread-safe.
package struct TargetTree {
  private struct Level {
    let entry: FileEntry
    let origin: TargetDirectory.Origin
  }

  package let root: TargetDirectory
  private var trail: DirectoryTrail
  private var levels: [Level] = []

  /// Creates a position at the target that keeps at most `openLimit` directories open besides the target.
  package init(_ root: TargetDirectory, openLimit: Int = 32) {
    self.root = root
    trail = DirectoryTrail(root.handle, openLimit: openLimit)
  }

  /// The current directory; nil if ``leave(_:)`` could not open it again.
  package var directory: TargetDirectory? {
    guard let current = trail.current else { return nil }
    return TargetDirectory(current, root.context, levels.last?.origin ?? root.origin)
  }

  /// Returns the error for an operation that needs ``directory`` while that is nil.
  package func lost(_ operation: FileError.Operation, _ name: [UInt8]) -> FileError {
    let path = trail.currentPath.bytes(of: name)
    guard let failure = trail.failure else { return FileError(operation, path, .changed) }
    return FileError(operation, path, failure.code, errorNumber: failure.errorNumber, detail: failure.detail)
  }

  /// The names of the directories from the target down to ``directory``.
  package var steps: [[UInt8]] { levels.map(\.entry.name) }

  /// Makes a directory in ``directory``, or opens the existing one, and enters it.
  ///
  /// Leftovers of earlier runs in an existing directory are removed.
  ///
  /// - Returns: The origin of the directory.
  @discardableResult
  package mutating func enter(_ entry: FileEntry) throws(FileError) -> TargetDirectory.Origin {
    guard let above = directory else { throw lost(.makeDirectory, entry.name) }
    let inside = try above.makeDirectory(entry)
    if inside.origin != .made { try inside.removeLeftovers() }
    trail.enter(inside.handle)
    levels.append(Level(entry: entry, origin: inside.origin))
    return inside.origin
  }

  /// Sets the metadata of the target itself, if this or an interrupted run has made the target.
  package func finishRoot(_ entry: FileEntry) {
    switch root.origin {
    case .made, .unfinished: root.finish(entry)
    case .existing: break
    }
  }

  /// Sets the metadata of ``directory``, and goes back to its parent.
  ///
  /// - Parameter finish: Sets a directory's metadata, now or later.
  /// - Throws: ``FileError`` if the parent cannot be opened again; the next call continues with the parent's parent.
  ///   ``FileError/Code/changed`` if the parent no longer has this directory under its name, so that the restored files
  ///   are elsewhere.
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

  /// Throws ``FileError/Code/changed`` if the target's path now refers to another directory.
  package func checkTarget(_ path: [UInt8]) throws(FileError) {
    guard try SourceStart.open(path).identity == root.identity else { throw FileError(.open, path, .changed) }
  }
}

/// A position in a target as ``TargetTree`` has it, for a dry run: nothing is changed.
package struct TargetSurvey {
  private struct Level {
    let entry: FileEntry
    let origin: TargetDirectory.Origin
  }

  private let root: TargetDirectory?
  private var trail: DirectoryTrail?
  private var levels: [Level] = []
  /// The number of levels below ``directory`` that do not exist and would be made.
  private var missingCount = 0

  /// Creates a position at the target.
  ///
  /// - Parameters:
  ///   - root: The target; nil if it would be made.
  ///   - openLimit: The maximum number of directories open at once, besides the target.
  package init(_ root: TargetDirectory?, openLimit: Int = 32) {
    self.root = root
    trail = root.map { DirectoryTrail($0.handle, openLimit: openLimit) }
  }

  /// The current directory; nil if it does not exist and would be made.
  package var directory: TargetDirectory? {
    guard missingCount == 0, let root, let current = trail?.current else { return nil }
    return TargetDirectory(current, root.context, levels.last?.origin ?? root.origin)
  }

  /// Enters a directory that exists or would be made.
  ///
  /// - Throws: ``FileError/Code/linkInTheWay`` or ``FileError/Code/notADirectory`` if it could not be made.
  package mutating func enter(_ entry: FileEntry) throws(FileError) -> TargetDirectory.Origin {
    guard let above = directory, let inside = try above.openForDryRun(entry) else {
      missingCount += 1
      return .made
    }
    trail?.enter(inside.handle)
    levels.append(Level(entry: entry, origin: inside.origin))
    return inside.origin
  }

  /// Goes back to the parent; passes an existing directory to `finish`, to compare its metadata.
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
