/// What a keyspace takes on disk.
public struct BackendSpace: Sendable, Equatable {
  public var fileByteCount: Int
  /// About what it would take if it were compacted now; at most ``fileByteCount``.
  public var neededByteCount: Int

  public init(fileByteCount: Int, neededByteCount: Int) {
    self.fileByteCount = fileByteCount
    self.neededByteCount = neededByteCount
  }
}
