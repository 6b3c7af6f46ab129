/// How far a backup is.
public struct BackupProgress: Sendable {
  /// The commit whose state is copied.
  public var commitNumber: CommitNumber
  public var copiedByteCount: Int
  public var byteCount: Int
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
  ///   - path: Where nothing, or an empty directory, is.
  ///   - progress: Called after each step; throwing from it ends the backup.
  /// - Returns: The commit whose state was copied.
  /// - Throws: What `progress` throws; ``StoreError``: a store in memory cannot be copied so.
  /// - Complexity: O(*n*) in the bytes of the store's files.
  @discardableResult
  public func backUp(
    to path: String, progress: (BackupProgress) throws -> Void = { _ in }
  ) throws -> CommitNumber {
    try begin()
    let backup = try onBackend { backend throws(BackendError) in try backend.openBackup(at: path) }
    var hasMore = true
    while hasMore {
      hasMore = try onBackend { _ throws(BackendError) in try backup.next() }
      try progress(
        BackupProgress(
          commitNumber: backup.commitNumber, copiedByteCount: backup.copiedByteCount, byteCount: backup.byteCount))
    }
    return backup.commitNumber
  }
}
