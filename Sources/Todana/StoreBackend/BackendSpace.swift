/// The disk space that a keyspace takes.
public struct BackendSpace: Sendable, Equatable {
  /// The length of the keyspace's file.
  public var fileByteCount: Int
  /// The approximate length of the file after a compaction now; at most ``fileByteCount``.
  public var neededByteCount: Int

  public init(fileByteCount: Int, neededByteCount: Int) {
    self.fileByteCount = fileByteCount
    self.neededByteCount = neededByteCount
  }
}
