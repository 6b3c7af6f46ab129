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
