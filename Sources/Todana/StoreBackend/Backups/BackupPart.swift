/// What a backup that is handed on in parts has in all.
public struct BackupSummary: Sendable, Hashable {
  public var storeID: StoreID
  /// The commit whose state it has.
  public var commitNumber: CommitNumber
  public var fileCount: Int
  /// Of all files.
  public var byteCount: Int

  public init(storeID: StoreID, commitNumber: CommitNumber, fileCount: Int, byteCount: Int) {
    self.storeID = storeID
    self.commitNumber = commitNumber
    self.fileCount = fileCount
    self.byteCount = byteCount
  }
}

/// A part of a backup that is handed on, to a tape or over a network for example: ``Store/writeBackup(_:)`` gives parts,
/// and ``Store/restore(at:fromParts:)`` makes a store of them.
///
/// The files of the store come one after the other. Each begins with its name and length, and its bytes follow.
public enum BackupPart: Sendable, Hashable {
  /// The first part, which tells what follows.
  case summary(BackupSummary)
  /// A file begins.
  ///
  /// Names have letters, digits, `.`, `-` and `_` of ASCII only, at most 255 of them.
  case file(name: String, byteCount: Int)
  /// More bytes of the file that has begun last.
  case bytes([UInt8])
}
