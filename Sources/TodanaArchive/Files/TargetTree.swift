/// Goes down into a target and up again, as a walk through what is restored does.
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
    let timeBefore: FileTime?
  }

  private let root: TargetDirectory
  private var trail: DirectoryTrail
  private var levels: [Level] = []

  /// Has at most `openLimit` directories open at once, besides the target.
  package init(_ root: TargetDirectory, openLimit: Int = 32) {
    self.root = root
    trail = DirectoryTrail(root.handle, openLimit: openLimit)
  }

  /// Where files are made now; nil after a directory was not found again in ``leave()``.
  package var directory: TargetDirectory? {
    guard let current = trail.current else { return nil }
    return TargetDirectory(
      current, root.context, timeBefore: levels.isEmpty ? root.timeBefore : levels.last?.timeBefore)
  }

  /// The names of the directories from the target down to ``directory``.
  package var steps: [[UInt8]] { levels.map(\.entry.name) }

  /// Makes a directory in ``directory``, or opens the one that is there, and goes into it.
  ///
  /// Of earlier runs' leftovers in one that is there, none stays.
  package mutating func enter(_ entry: FileEntry) throws(FileError) {
    guard let above = directory else { throw FileError(.makeDirectory, entry.name, .changed) }
    let inside = try above.makeDirectory(entry)
    if inside.timeBefore != nil { try inside.removeLeftovers() }
    trail.enter(inside.handle)
    levels.append(Level(entry: entry, timeBefore: inside.timeBefore))
  }

  /// Gives the target itself metadata, if it was made for this restoring.
  package func finishRoot(_ entry: FileEntry) {
    if root.timeBefore == nil { root.finish(entry) }
  }

  /// Gives ``directory`` its metadata, and goes back to the one that it is in.
  ///
  /// - Parameter finish: Gives a directory its metadata, now or later.
  /// - Throws: ``FileError/Code/changed`` where that one is not there any more; the next call goes on upwards.
  package mutating func leave(
    _ finish: (TargetDirectory, FileEntry) -> Void = { $0.finish($1) }
  ) throws(FileError) {
    guard let level = levels.last else { return }
    if let directory {
      finish(directory, level.entry)
    } else {
      root.report.add(FileError(.setTimes, root.handle.path.bytes(of: level.entry.name), .changed))
    }
    levels.removeLast()
    try trail.leave()
  }
}
