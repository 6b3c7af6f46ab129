/// A directory with backups of one store, in which each backup takes only the space of the changes since the previous
/// one.
///
/// ```swift
/// let series = BackupSeries(at: "Music.backups")
/// try store.backUp(into: series)
/// guard try series.verify().isSound else { return }
/// try series.prune(keeping: 30)
/// try series.restore(to: "Music-restored.todana")
/// ```
///
/// Every backup is complete by itself, and can be restored without the others. A new backup never changes the earlier
/// ones, even if it is interrupted by an error, a killed process or a loss of power.
///
/// Every byte is covered by a checksum, which ``verify(_:progress:)`` and ``restore(_:to:progress:)`` compare.
/// Checksums reveal damage, not tampering.
///
/// The value consists of a path only, and can be used in any thread. Any program that has the path can read a series,
/// without the store.
///
/// Several threads and processes can use a series at once: any number of readers, and one backup. A second backup
/// throws ``BackendError/Code/inUse`` immediately. The same error is thrown by a pruning while the series is in use,
/// and by every other call during a pruning.
public struct BackupSeries: Sendable, Hashable {
  /// The directory, which the first backup creates; its parent directory must exist.
  public let path: String

  public init(at path: String) { self.path = path }

  /// Returns the backups in the order of their numbers; none if the directory does not exist.
  ///
  /// - Throws: ``StoreError``, such as one with ``BackendError/Code/notAStore`` if the directory contains other files.
  /// - Complexity: O(*n*) in the backups: a few bytes of each are read.
  public func backups() throws(StoreError) -> [BackupInfo] {
    try Self.translating { () throws(BackendError) in try SeriesTask.list(path) }
  }

  /// Reads all data of a backup, and compares them with the checksums.
  ///
  /// This checks the backup's own bytes. To check whether the records are sound, call ``Store/verify(progress:)`` on
  /// the store, or on a store restored from the backup.
  ///
  /// - Parameters:
  ///   - number: A backup's number; nil for all of them, which reads data that several backups share only once.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the verification.
  /// - Returns: The damage found.
  /// - Throws: Errors of `progress`; ``StoreError`` if there is no such backup, or the series is being pruned. Damage
  ///   is not thrown, but reported.
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
  /// Each piece is compared with its checksum as it is written. The directory appears at its path only when it is
  /// complete and durable. An interrupted restore leaves a directory whose name ends in `.partial`; the next one to the
  /// same path replaces it.
  ///
  /// - Parameters:
  ///   - number: A backup's number; nil for the newest.
  ///   - path: The path of the new directory. Nothing may exist there except an empty directory.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the restore.
  /// - Returns: The backup that was restored.
  /// - Throws: Errors of `progress`; ``StoreError`` if there is no such backup, or the path is not free; with the code
  ///   ``StoreError/Code/damagedRecord`` if a piece of the backup is damaged.
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

  /// Removes all backups but the newest ones, and frees the space that only they needed.
  ///
  /// The space is returned to the file system if that can free the middle of a file (ext4, XFS, Btrfs, tmpfs).
  /// Otherwise a file of the series is removed when none of its data is needed any longer. An interrupted pruning
  /// removes nothing that the remaining backups need; the next one continues.
  ///
  /// - Parameters:
  ///   - count: The number of backups to keep, at least one. Does nothing if there are no more.
  ///   - progress: Called after each step; throwing from it ends the pruning.
  /// - Throws: Errors of `progress`; ``StoreError`` if the series is in use, or if the manifest or a table of a backup
  ///   to be kept is damaged. In the latter case nothing is removed, as the data that this backup needs are unknown.
  ///   Damaged pieces are found by ``verify(_:progress:)`` only.
  /// - Complexity: O(*n*) in the bytes of the backups that are kept, of which about 1/128 is read.
  public func prune(keeping count: Int, progress: (BackupSeriesProgress) throws -> Void = { _ in }) throws {
    let task = try Self.translating { () throws(BackendError) in try SeriesTask.prune(path, keeping: count) }
    try run(task, progress) { _ in }
  }

  /// Removes one backup, and frees the space that only it needed.
  ///
  /// The other backups stay complete. If the removed backup is the newest one, the next backup gets its number.
  /// ``prune(keeping:progress:)`` describes how the space is freed.
  ///
  /// - Parameters:
  ///   - number: The number of the backup.
  ///   - progress: Called after each step; throwing from it ends the removal. Before the backup is removed, all other
  ///     backups are read.
  /// - Throws: Errors of `progress`; ``StoreError`` if there is no such backup, if it is the only one, if the series is
  ///   in use, or if the manifest or a table of another backup is damaged. In the last case nothing is removed, as the
  ///   data that this backup needs are unknown.
  /// - Complexity: O(*n*) in the bytes of the other backups, of which about 1/128 is read.
  public func remove(_ number: Int, progress: (BackupSeriesProgress) throws -> Void = { _ in }) throws {
    let task = try Self.translating { () throws(BackendError) in try SeriesTask.remove(path, number) }
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

  /// Calls a closure, and rethrows its ``BackendError`` as a ``StoreError``.
  private static func translating<Result>(_ body: () throws(BackendError) -> Result) throws(StoreError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      throw StoreError(error)
    }
  }
}

/// The progress of an operation on a series.
public struct BackupSeriesProgress: Sendable {
  /// The number of bytes of the store's files that were processed.
  public var doneByteCount: Int
  public var byteCount: Int
}
