#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The snapshots that are kept, with the reasons, and the snapshots that are removed.
public struct RetentionPlan: Sendable {
  /// The groups, sorted by host, label, paths and tags.
  public let groups: [Group]

  /// A group of snapshots to which the rules are applied together.
  public struct Group: Sendable {
    public let key: SnapshotGroupKey
    /// The entries from the newest to the oldest; of snapshots with equal times, the one stored last comes first.
    public let entries: [Entry]
  }

  /// The decision for one snapshot.
  public struct Entry: Sendable {
    public let snapshot: RetentionSnapshot
    /// The rules that keep the snapshot; empty if it is removed.
    public let reasons: [RetentionReason]
    public var isKept: Bool { !reasons.isEmpty }
  }

  /// The kept snapshots, in the order of groups and entries.
  public var kept: [RetentionSnapshot] { groups.flatMap(\.entries).filter(\.isKept).map(\.snapshot) }

  /// The removed snapshots, in the order of groups and entries.
  public var removed: [RetentionSnapshot] { groups.flatMap(\.entries).filter { !$0.isKept }.map(\.snapshot) }
}

/// The reason why a snapshot is kept.
@nonexhaustive
public enum RetentionReason: Sendable, Hashable, CustomStringConvertible {
  /// The snapshot is among the newest: `--keep-last`.
  case last
  /// The snapshot is the newest of a period: `--keep-daily` and so on.
  case newest(of: CalendarPeriod)
  /// The snapshot is the oldest of its group, and a rule for periods has found fewer periods than it may keep.
  ///
  /// It is kept so that the history reaches back as far as possible.
  case oldest(for: CalendarPeriod)
  /// The snapshot has all tags of a set: `--keep-tag`.
  case tags(TagSet)
  /// The snapshot's time is later than now: no rule applies to it.
  case future
  /// The snapshot lies within a duration before the newest: `--keep-within`.
  case within(CalendarDuration)

  /// The reason in words, such as `daily snapshot`.
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

/// The properties of a snapshot that retention rules use.
public struct RetentionSnapshot: Sendable, Hashable {
  public var id: [UInt8]
  public var time: Date
  public var host: String
  /// The paths that the user archived; their order does not matter.
  public var paths: [[UInt8]]
  /// The name of the series that the snapshot belongs to, independently of its paths.
  public var label: String?
  public var tags: [String]
  /// The order of snapshots with equal times: a snapshot stored later has a larger number.
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

  /// Orders snapshots from the newest to the oldest; equal times by descending number, then by id.
  static func isBefore(_ one: RetentionSnapshot, _ other: RetentionSnapshot) -> Bool {
    let (oneTime, otherTime) = (one.sortedTime, other.sortedTime)
    if oneTime != otherTime { return oneTime > otherTime }
    return one.number == other.number ? one.id.lexicographicallyPrecedes(other.id) : one.number > other.number
  }

  /// The time as a number; NaN sorts as the oldest time.
  private var sortedTime: Double {
    let seconds = time.timeIntervalSinceReferenceDate
    return seconds.isNaN ? -.infinity : seconds
  }
}
