#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What rules of retention look at in a snapshot.
public struct RetentionSnapshot: Sendable, Hashable {
  public var id: [UInt8]
  public var time: Date
  public var host: String
  /// What was asked to be put into it; their order does not count.
  public var paths: [[UInt8]]
  /// The series that it belongs to, whatever its paths are.
  public var label: String?
  public var tags: [String]
  /// Orders snapshots of one time: the one that was stored later has the larger number.
  public var number: UInt64

  public init(
    id: [UInt8], time: Date, host: String, paths: [[UInt8]], label: String? = nil, tags: [String] = [],
    number: UInt64 = 0
  ) {
    self.id = id
    self.time = time
    self.host = host
    self.paths = paths
    self.label = label
    self.tags = tags
    self.number = number
  }

  /// Newest first; of those of one time, the one that was stored last; then by id.
  static func isBefore(_ one: RetentionSnapshot, _ other: RetentionSnapshot) -> Bool {
    let (oneTime, otherTime) = (one.sortedTime, other.sortedTime)
    if oneTime != otherTime { return oneTime > otherTime }
    return one.number == other.number ? one.id.lexicographicallyPrecedes(other.id) : one.number > other.number
  }

  /// A time that is not a number has a place as well: that of the oldest.
  private var sortedTime: Double {
    let seconds = time.timeIntervalSinceReferenceDate
    return seconds.isNaN ? -.infinity : seconds
  }
}
