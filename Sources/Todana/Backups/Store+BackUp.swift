/// How far a backup is.
public struct BackupProgress: Sendable {
  /// The commit whose state is copied.
  public var commitNumber: CommitNumber
  /// Bytes of the store's files that were copied, or found to be in the series already.
  public var copiedByteCount: Int
  public var byteCount: Int
  /// Bytes that were written.
  public var newByteCount: Int
}

extension Store {
  /// Copies everything that is saved to a new directory, which is a store of its own.
  ///
  /// The copy has the state of one commit, the newest at the call. The store can be used meanwhile, also by other
  /// threads; no save waits for more than one step of a few megabytes, and none of what is saved after the call is in
  /// the copy. What is pending is not in it. Until the copy is whole and durable there is nothing at its path: one that
  /// is interrupted, by an error or a loss of power, leaves what was there before.
  ///
  /// ```swift
  /// try store.backUp(to: "Backups/2026-11-22.todana")
  /// ```
  ///
  /// - Parameters:
  ///   - path: Where nothing, or an empty directory, is; nor is a second backup made there at the same time.
  ///   - progress: Called after each step; throwing from it ends the backup.
  /// - Returns: The commit whose state was copied.
  /// - Throws: What `progress` throws; ``StoreError``: a store in memory cannot be copied so.
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

  /// Adds a backup of everything that is saved to a series; only what changed since the newest one there is written.
  ///
  /// As ``backUp(to:progress:)``, the backup has the state of one commit, and the store can be used meanwhile. All files
  /// of the store are read, and compared by checksums of 4 KiB; so what is read is in proportion to the store, what is
  /// written to what changed. A class whose file outgrew its size since, and was replaced, is written whole.
  ///
  /// ```swift
  /// try store.backUp(into: BackupSeries(at: "Backups/Music"))
  /// ```
  ///
  /// - Parameters:
  ///   - series: Made by the first backup; it takes backups of one store only.
  ///   - progress: Called after each step of a few megabytes; throwing from it ends the backup.
  /// - Returns: The backup that was made.
  /// - Throws: What `progress` throws; ``StoreError`` with a ``BackendError`` underneath: the series is another store's
  ///   (``BackendError/Code/otherStore``), or in use (``BackendError/Code/inUse``), or the directory holds other things
  ///   (``BackendError/Code/notAStore``). Whatever is thrown, the earlier backups are as they were.
  /// - Complexity: O(*n*) in the bytes of the store's files, of reading.
  @discardableResult
  public func backUp(
    into series: BackupSeries, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> BackupInfo {
    try begin()
    let backup = try onEngine("backups") { engine throws(BackendError) in try engine.openBackup(into: series.path) }
    try finish(backup, progress)
    guard let info = backup.info else { throw StoreError(.backend, "The backend did not say what it backed up.") }
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
