internal import CFileSystem

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
