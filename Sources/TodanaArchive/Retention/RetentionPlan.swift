#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Which snapshots stay, and why; which go.
public struct RetentionPlan: Sendable {
  /// Sorted by host, label, paths, tags.
  public let groups: [Group]

  /// Snapshots that were looked at together.
  public struct Group: Sendable {
    public let key: SnapshotGroupKey
    /// Newest first; of those of one time, the one that was stored last.
    public let entries: [Entry]
  }

  /// What becomes of a snapshot.
  public struct Entry: Sendable {
    public let snapshot: RetentionSnapshot
    /// The rules that keep it; none if it goes.
    public let reasons: [RetentionReason]
    public var isKept: Bool { !reasons.isEmpty }
  }

  /// In the order of groups and entries.
  public var kept: [RetentionSnapshot] { groups.flatMap(\.entries).filter(\.isKept).map(\.snapshot) }

  /// In the order of groups and entries.
  public var removed: [RetentionSnapshot] { groups.flatMap(\.entries).filter { !$0.isKept }.map(\.snapshot) }
}

/// A rule that keeps a snapshot.
@nonexhaustive
public enum RetentionReason: Sendable, Hashable, CustomStringConvertible {
  /// Among the newest: `--keep-last`.
  case last
  /// The newest of a period: `--keep-daily` and so on.
  case newest(of: CalendarPeriod)
  /// The oldest of its group, kept while a rule for periods found fewer than it may keep, so that the history reaches as
  /// far back as it can.
  case oldest(for: CalendarPeriod)
  /// It has all of the tags: `--keep-tag`.
  case tags(TagSet)
  /// It is newer than the clock says that it is now: no rule looks at it.
  case future
  /// It is not older, counted back from the newest: `--keep-within`.
  case within(CalendarDuration)

  /// Such as `daily snapshot`.
  public var description: String {
    switch self {
    case .last: "last snapshot"
    case .newest(let period): "\(period.adjective) snapshot"
    case .oldest(let period): "oldest \(period.adjective) snapshot"
    case .tags(let tags): "has tags \(printable(tags.description))"
    case .future: "in the future"
    case .within(let duration): "within \(duration)"
    }
  }
}

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
