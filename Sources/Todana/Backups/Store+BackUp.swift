/// The progress of a backup.
public struct BackupProgress: Sendable {
  /// The commit whose state is copied.
  public var commitNumber: CommitNumber
  /// The number of bytes of the store's files that have been processed so far.
  ///
  /// They were copied, or the series already had them.
  public var copiedByteCount: Int
  public var byteCount: Int
  /// The number of bytes that have been written so far.
  public var newByteCount: Int
}

extension Store {
  /// Copies all saved data to a new directory, which is a store of its own.
  ///
  /// The copy has the state of one commit, the newest at the call. The store can be used concurrently, even by other
  /// threads. A save waits at most for one step of a few megabytes, and later saves are not in the copy. Pending
  /// changes are not copied.
  ///
  /// The copy appears at its path only when it is complete and durable. If it is interrupted, by an error or a loss of
  /// power, the path is unchanged.
  ///
  /// ```swift
  /// try store.backUp(to: "Backups/2026-11-22.todana")
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of the copy. Nothing may exist there except an empty directory. No other backup must be made
  ///     there at the same time.
  ///   - progress: Called after each step; throwing from it ends the backup.
  /// - Returns: The commit whose state was copied.
  /// - Throws: Errors of `progress`; ``StoreError``, for example for a store in memory, which cannot be copied this
  ///   way.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public func backUp(
    to path: String, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> CommitNumber {
    try begin()
    let backup = try onEngine("backups") { engine throws(BackendError) in try engine.openBackup(at: path) }
    try finish(backup, progress)
    return backup.commitNumber
  }

  /// Adds a backup of all saved data to a series; only changes since the newest backup there are written.
  ///
  /// The backup has the state of one commit, the newest at the call, and the store can be used concurrently. All files
  /// of the store are read, and compared by checksums of 4 KiB pieces. The number of bytes read is therefore
  /// proportional to the size of the store, and the number written to the size of the changes. If a class has outgrown
  /// its file since the last backup, it has a new file, which is written entirely.
  ///
  /// ```swift
  /// try store.backUp(into: BackupSeries(at: "Music.backups"))
  /// ```
  ///
  /// - Parameters:
  ///   - series: The series, which the first backup creates; it accepts backups of one store only.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the backup.
  /// - Returns: The new backup.
  /// - Throws: Errors of `progress`; ``StoreError`` with an underlying ``BackendError``: the series belongs to another
  ///   store (``BackendError/Code/otherStore``), is in use (``BackendError/Code/inUse``), or its directory contains
  ///   other files (``BackendError/Code/notAStore``). The earlier backups are unchanged after any error.
  /// - Complexity: O(*n*) in the bytes of the store's files, which are read.
  @discardableResult
  public func backUp(
    into series: BackupSeries, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> BackupInfo {
    try begin()
    let backup = try onEngine("backups") { engine throws(BackendError) in try engine.openBackup(into: series.path) }
    try finish(backup, progress)
    guard let info = backup.info else { throw StoreError(.backend, "The backend did not report what it backed up.") }
    return info
  }

  private func finish(_ backup: any BackendBackup, _ progress: (BackupProgress) throws -> Void) throws {
    var hasMore = true
    while hasMore {
      hasMore = try onBackend { _ throws(BackendError) in try backup.next() }
      try progress(
        BackupProgress(
          commitNumber: backup.commitNumber, copiedByteCount: backup.copiedByteCount, byteCount: backup.byteCount,
          newByteCount: backup.newByteCount))
    }
  }
}
