#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The description of one backup of a ``BackupSeries``.
public struct BackupInfo: Sendable, Hashable {
  /// The number of the backup in the series: numbers start at 1 and grow.
  public var number: Int
  /// The time when the backup was finished.
  public var date: Date
  /// The commit whose state the backup contains.
  public var commitNumber: CommitNumber
  /// The store that was backed up.
  public var storeID: StoreID
  /// The number of bytes of the store's files, which restoring the backup writes.
  public var byteCount: Int
  /// The number of bytes that the backup added to the series.
  public var newByteCount: Int
  /// Whether the backup's manifest can be read.
  ///
  /// False if it is damaged, or was written by a newer version of this library: then only the number is known.
  public var isReadable: Bool

  public init(
    number: Int, date: Date, commitNumber: CommitNumber, storeID: StoreID, byteCount: Int, newByteCount: Int,
    isReadable: Bool = true
  ) {
    self.number = number
    self.date = date
    self.commitNumber = commitNumber
    self.storeID = storeID
    self.byteCount = byteCount
    self.newByteCount = newByteCount
    self.isReadable = isReadable
  }
}
