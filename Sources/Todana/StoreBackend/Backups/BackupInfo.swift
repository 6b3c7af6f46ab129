#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One backup of a ``BackupSeries``.
public struct BackupInfo: Sendable, Hashable {
  /// Its number in the series: it starts at 1 and grows.
  public var number: Int
  /// When it was finished.
  public var date: Date
  /// The commit whose state it has.
  public var commitNumber: CommitNumber
  /// The store that it is of.
  public var storeID: StoreID
  /// Bytes of the store's files: what restoring it writes.
  public var byteCount: Int
  /// Bytes that it added to the series.
  public var newByteCount: Int
  /// False where its manifest is damaged, or of a newer version of this library: then only the number is known.
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
