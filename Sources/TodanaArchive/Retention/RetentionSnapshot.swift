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
  public var tags: [String]

  public init(id: [UInt8], time: Date, host: String, paths: [[UInt8]], tags: [String] = []) {
    self.id = id
    self.time = time
    self.host = host
    self.paths = paths
    self.tags = tags
  }

  /// Newest first; of those of one time, by id.
  static func isBefore(_ one: RetentionSnapshot, _ other: RetentionSnapshot) -> Bool {
    let (oneTime, otherTime) = (one.sortedTime, other.sortedTime)
    return oneTime == otherTime ? one.id.lexicographicallyPrecedes(other.id) : oneTime > otherTime
  }

  /// A time that is not a number has a place as well: that of the oldest.
  private var sortedTime: Double {
    let seconds = time.timeIntervalSinceReferenceDate
    return seconds.isNaN ? -.infinity : seconds
  }
}
