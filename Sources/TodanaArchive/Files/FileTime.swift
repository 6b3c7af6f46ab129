/// A time as file systems have it.
public struct FileTime: Sendable, Hashable, Comparable {
  /// Since the beginning of 1970 (UTC); negative before.
  public var seconds: Int64
  /// Added to ``seconds``, also to negative ones: 0 to 999,999,999.
  public var nanoseconds: UInt32

  public init(seconds: Int64, nanoseconds: UInt32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
