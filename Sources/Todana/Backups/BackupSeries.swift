/// A directory with backups of one store, in which each backup takes only the space of what changed since the one before.
///
/// ```swift
/// let series = BackupSeries(at: "Backups/Music")
/// try store.backUp(into: series)
/// try series.verify()
/// try series.prune(keeping: 30)
/// try series.restore(to: "Music-restored.todana")
/// ```
///
/// Every backup is whole by itself: any can be restored, and any removed, without regard to the others. What is there is
/// never changed by a backup: one that is interrupted, by an error, a killed process or a loss of power, leaves the
/// earlier ones as they were. Every byte has a checksum in it, which ``verify(_:progress:)`` compares, and
/// ``restore(_:to:progress:)`` too; it tells damage, not tampering.
///
/// The value is a path and nothing else; it can be used in any thread, and several calls may run at once in several
/// processes: readers beside each other and beside one backup. A second backup, and a pruning beside anything else, get
/// ``BackendError/Code/inUse`` at once. Any program that has the path can read a series, without the store.
public struct BackupSeries: Sendable, Hashable {
  /// The directory, which the first backup makes; the one that it stands in must be there.
  public let path: String

  public init(at path: String) { self.path = path }

  /// The backups that are there, in the order of their numbers; none where there is no directory.
  ///
  /// - Throws: ``StoreError``, such as with ``BackendError/Code/notAStore`` where the directory holds other things.
  /// - Complexity: O(*n*) in the backups: a few bytes of each are read.
  public func backups() throws(StoreError) -> [BackupInfo] {
    try Self.translating { () throws(BackendError) in try SeriesTask.list(path) }
  }

  /// Reads all that a backup needs, and compares it with the checksums.
  ///
  /// This is about the backup's own bytes; ``Store/verify(progress:)`` of the store, or of one that was restored, tells
  /// whether records are sound.
  ///
  /// - Parameters:
  ///   - number: A backup's number; nil for all of them. What several have in common is then read once.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the verification.
  /// - Returns: What was found.
  /// - Throws: What `progress` throws; ``StoreError``: there is no such backup, or the series is being pruned. Damage is
  ///   not thrown, but reported.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  public func verify(
    _ number: Int? = nil, progress: (BackupSeriesProgress) throws -> Void = { _ in }
  ) throws -> BackupVerification {
    let task = try Self.translating { () throws(BackendError) in try SeriesTask.verify(path, number) }
    var report = BackupVerification()
    try run(task, progress) { report.add($0) }
    report.backupCount = task.progress.backupCount
    report.byteCount = task.progress.doneByteCount
    return report
  }

  /// Writes a backup's files to a new directory, which is a store of its own, with the identity of the original.
  ///
  /// Each piece is compared with its checksum as it is written. Until the directory is whole and durable there is nothing
  /// at its path: a restoring that is interrupted leaves a directory whose name ends in `.partial`, which the next one to
  /// the same path replaces.
  ///
  /// - Parameters:
  ///   - number: A backup's number; nil for the newest.
  ///   - path: Where nothing, or an empty directory, is.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the restoring.
  /// - Returns: The backup that was restored.
  /// - Throws: What `progress` throws; ``StoreError``: there is no such backup, something is at the path, or with the code
  ///   ``StoreError/Code/damagedRecord`` a piece of it is damaged.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public func restore(
    _ number: Int? = nil, to path: String, progress: (BackupSeriesProgress) throws -> Void = { _ in }
  ) throws -> BackupInfo {
    let task = try Self.translating { () throws(BackendError) in
      try SeriesTask.restore(self.path, number, to: path)
    }
    try run(task, progress) { _ in }
    return task.info
  }

  /// Removes all backups but the newest ones, and gives back the space that only they needed.
  ///
  /// The space goes back to the file system where that can take it from the middle of a file (ext4, XFS, Btrfs, tmpfs);
  /// elsewhere a file of the series is removed when nothing in it is needed any more. Whenever this is interrupted,
  /// nothing that the remaining backups need is gone; the next pruning goes on.
  ///
  /// - Parameters:
  ///   - count: How many backups stay, at least one. Does nothing where there are no more.
  ///   - progress: Called after each step; throwing from it ends the pruning.
  /// - Throws: What `progress` throws; ``StoreError``: the series is in use, or a backup that is to stay is damaged; then
  ///   nothing was removed, as nobody knows what it needs.
  /// - Complexity: O(*n*) in the bytes of the backups that stay, of which the 128th part is read.
  public func prune(keeping count: Int, progress: (BackupSeriesProgress) throws -> Void = { _ in }) throws {
    let task = try Self.translating { () throws(BackendError) in try SeriesTask.prune(path, keeping: count) }
    try run(task, progress) { _ in }
  }

  private func run(
    _ task: SeriesTask, _ progress: (BackupSeriesProgress) throws -> Void,
    onDamage: (BackupVerification.Damage) -> Void
  ) throws {
    while !task.progress.isDone {
      let damages = try Self.translating { () throws(BackendError) in try task.next() }
      for damage in damages { onDamage(damage) }
      try progress(
        BackupSeriesProgress(doneByteCount: task.progress.doneByteCount, byteCount: task.progress.byteCount))
    }
  }

  /// Calls `body` and gives its errors as the store's.
  private static func translating<Result>(_ body: () throws(BackendError) -> Result) throws(StoreError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      throw StoreError(error)
    }
  }
}

/// How far work on a series is.
public struct BackupSeriesProgress: Sendable {
  /// Bytes of the store's files that were looked at.
  public var doneByteCount: Int
  public var byteCount: Int
}
