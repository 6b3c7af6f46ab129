/// The totals of a backup that is passed in parts.
public struct BackupSummary: Sendable, Hashable {
  public var storeID: StoreID
  /// The commit whose state the backup contains.
  public var commitNumber: CommitNumber
  public var fileCount: Int
  /// The number of bytes of all files together.
  public var byteCount: Int

  public init(storeID: StoreID, commitNumber: CommitNumber, fileCount: Int, byteCount: Int) {
    self.storeID = storeID
    self.commitNumber = commitNumber
    self.fileCount = fileCount
    self.byteCount = byteCount
  }
}

/// A part of a backup that is passed on, for example to a tape or over a network.
///
/// ``Store/writeBackup(_:)`` returns the parts, and ``Store/restore(at:fromParts:)`` creates a store from them. The
/// files of the store come one after another. Each begins with its name and length, and its bytes follow.
public enum BackupPart: Sendable, Hashable {
  /// The first part, with the totals of the backup.
  case summary(BackupSummary)
  /// The beginning of a file.
  ///
  /// A name has at most 255 characters: only ASCII letters, digits, `.`, `-` and `_`.
  case file(name: String, byteCount: Int)
  /// The next bytes of the file that began last.
  case bytes([UInt8])
}
