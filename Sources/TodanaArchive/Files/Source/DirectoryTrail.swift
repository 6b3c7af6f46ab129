internal import CFileSystem

/// The directories from where a walk began down to where it is.
///
/// Only so many are open at once, so a tree may be deeper than a process may have descriptors. One that was closed is
/// opened again through ".." of the one in it, or else by its steps from the first; either way only if it is the same
/// directory as before.
struct DirectoryTrail {
  private struct Level {
    let path: EntryPath
    let identity: FileIdentity
    var handle: DirectoryHandle?
  }

  /// The first directory, which stays open.
  let root: DirectoryHandle
  private let openLimit: Int
  /// Without the first.
  private var levels: [Level] = []

  /// Has at most `openLimit` directories open at once, besides the first; at least one.
  init(_ root: DirectoryHandle, openLimit: Int = 32) {
    self.root = root
    self.openLimit = max(1, openLimit)
  }

  /// How many steps below the first.
  var depth: Int { levels.count }

  /// The path of the directory where the walk is, also if that is not open.
  var currentPath: EntryPath { levels.last?.path ?? root.path }

  /// Why there is no ``current`` directory.
  private(set) var failure: FileError?

  /// The directory where the walk is; nil after ``leave()`` threw.
  var current: DirectoryHandle? { levels.isEmpty ? root : levels.last?.handle }

  mutating func enter(_ directory: DirectoryHandle) {
    levels.append(Level(path: directory.path, identity: directory.identity, handle: directory))
    let closed = levels.count - 1 - openLimit
    if closed >= 0 { levels[closed].handle = nil }
  }

  /// Goes back by one step.
  ///
  /// Throws if the directory above is not there any more, or cannot be opened. There is no ``current`` one then; the next
  /// call goes on upwards.
  mutating func leave() throws(FileError) {
    failure = nil
    guard let left = levels.popLast(), let above = levels.last, above.handle == nil else { return }
    if let handle = left.handle,
      let opened = try? handle.openParent(expecting: above.identity, above.path)
    {
      levels[levels.count - 1].handle = opened
      return
    }
    do throws(FileError) {
      levels[levels.count - 1].handle = try openFromRoot()
    } catch {
      failure = error
      throw error
    }
  }

  private func openFromRoot() throws(FileError) -> DirectoryHandle {
    var directory = root
    for level in levels { directory = try directory.openDirectory(level.path.name, expecting: level.identity) }
    return directory
  }
}

/// How many directories a walk and the files that threads make in them may keep open, so that the process has enough
/// descriptors (`ulimit -n`).
struct DirectoryLimits: Sendable, Equatable {
  /// Directories on the way from the start of a walk to where it is.
  var trail: Int
  /// Directories of files that one batch hands to a thread.
  var batch: Int
  /// Batches that wait for a thread.
  var batchCount: Int

  static let full = DirectoryLimits(trail: 32, batch: 8, batchCount: 4)

  /// Chooses limits for a number of free descriptors; each working thread may take a few for the archive and a file.
  init(free: Int, threadCount: Int) {
    let room = free - threadCount * Self.descriptorsOfThread
    let full = Self.full
    guard room < full.trail + full.batch * (full.batchCount + threadCount + 1) else {
      self = full
      return
    }
    // Half for batches: those that wait, those that threads have, and the next one. The rest is for the way.
    batchCount = 1
    let openBatchCount = batchCount + threadCount + 1
    batch = max(1, min(full.batch, room / 2 / openBatchCount))
    trail = max(1, min(full.trail, room - batch * openBatchCount))
  }

  init(trail: Int, batch: Int, batchCount: Int) {
    (self.trail, self.batch, self.batchCount) = (trail, batch, batchCount)
  }

  private static let descriptorsOfThread = 4

  /// Limits for the descriptors that the process has left now.
  static func current(threadCount: Int) -> DirectoryLimits {
    let limit = tdf_descriptor_limit()
    let count = tdf_descriptor_count()
    guard limit > 0 else { return full }
    // Without /proc, as many as an archive usually has open.
    return DirectoryLimits(free: Int(limit) - Int(count >= 0 ? count : 24), threadCount: threadCount)
  }
}
