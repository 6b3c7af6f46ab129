internal import CFileSystem

/// The directories from the start of a walk down to its current position.
///
/// Only a limited number of directories is open at the same time, so a tree may be deeper than the number of free
/// descriptors. A closed directory is reopened through ".." of its child, or else component by component from the first
/// directory. Both ways check that it is the same directory as before.
struct DirectoryTrail {
  private struct Level {
    let path: EntryPath
    let identity: FileIdentity
    var handle: DirectoryHandle?
  }

  /// The first directory, which stays open.
  let root: DirectoryHandle
  private let openLimit: Int
  /// The directories below the first.
  private var levels: [Level] = []

  /// Creates a trail that keeps at most `openLimit` directories open besides the first, and at least one.
  init(_ root: DirectoryHandle, openLimit: Int = 32) {
    self.root = root
    self.openLimit = max(1, openLimit)
  }

  /// The number of levels below the first directory.
  var depth: Int { levels.count }

  /// The path of the current directory, even if that is not open.
  var currentPath: EntryPath { levels.last?.path ?? root.path }

  /// The reason why there is no ``current`` directory; nil if there is one.
  private(set) var failure: FileError?

  /// The current directory; nil after ``leave()`` threw an error.
  var current: DirectoryHandle? { levels.isEmpty ? root : levels.last?.handle }

  mutating func enter(_ directory: DirectoryHandle) {
    levels.append(Level(path: directory.path, identity: directory.identity, handle: directory))
    let closed = levels.count - 1 - openLimit
    if closed >= 0 { levels[closed].handle = nil }
  }

  /// Goes back to the parent directory.
  ///
  /// If the parent no longer exists or cannot be opened, this throws and there is no ``current`` directory. The next
  /// call continues with the parent's parent.
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

/// Limits for the directories that a walk and its threads keep open, so that the process has enough descriptors.
///
/// The available number of descriptors is set by `ulimit -n`.
struct DirectoryLimits: Sendable, Equatable {
  /// The number of directories from the start of a walk to its current position.
  var trail: Int
  /// The number of directories in one batch of files that is passed to a thread.
  var batch: Int
  /// The number of batches that may wait for a thread.
  var batchCount: Int

  static let full = DirectoryLimits(trail: 32, batch: 8, batchCount: 4)

  /// Chooses limits for a number of free descriptors.
  ///
  /// A few descriptors for each thread are reserved for the archive and a file.
  init(free: Int, threadCount: Int) {
    let room = free - threadCount * Self.descriptorsOfThread
    let full = Self.full
    guard room < full.trail + full.batch * (full.batchCount + threadCount + 1) else {
      self = full
      return
    }
    // Half of the descriptors are for batches: the waiting batches, one batch for each thread, and the next batch. The
    // trail gets the rest.
    batchCount = 1
    let openBatchCount = batchCount + threadCount + 1
    batch = max(1, min(full.batch, room / 2 / openBatchCount))
    trail = max(1, min(full.trail, room - batch * openBatchCount))
  }

  init(trail: Int, batch: Int, batchCount: Int) {
    (self.trail, self.batch, self.batchCount) = (trail, batch, batchCount)
  }

  private static let descriptorsOfThread = 4

  /// Returns limits for the descriptors that the process has left now.
  static func current(threadCount: Int) -> DirectoryLimits {
    let limit = tdf_descriptor_limit()
    let count = tdf_descriptor_count()
    guard limit > 0 else { return full }
    // If /proc is missing, the number of open descriptors is unknown: 24 is usual with an open archive.
    return DirectoryLimits(free: Int(limit) - Int(count >= 0 ? count : 24), threadCount: threadCount)
  }
}
