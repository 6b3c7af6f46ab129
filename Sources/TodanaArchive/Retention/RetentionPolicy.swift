/// What `prune` keeps; a snapshot goes if no rule keeps it.
///
/// Rules are those of restic's `forget`. Each looks at all snapshots of a group by itself, so one more rule never removes
/// more:
///
/// - `last` keeps the newest so many.
/// - `hourly`, `daily`, `weekly`, `monthly`, `yearly` keep the newest snapshot of each of the newest so many periods that
///   have any; and the oldest of the group, if there were fewer. Periods are those of a time zone, weeks are those of ISO
///   8601.
/// - `tags` keep snapshots that have all tags of one of the sets.
/// - `within` keeps those that are less old, counted back from the newest snapshot of the group.
///
/// Snapshots of the future are kept, and no rule counts them: one that was made with a wrong clock pushes out no other.
public struct RetentionPolicy: Sendable, Hashable {
  public var last = KeepCount.none
  public var hourly = KeepCount.none
  public var daily = KeepCount.none
  public var weekly = KeepCount.none
  public var monthly = KeepCount.none
  public var yearly = KeepCount.none
  public var tags: [TagSet] = []
  public var within: CalendarDuration?

  /// No rule.
  public init() {}

  /// Whether no rule keeps anything.
  public var isEmpty: Bool { !last.isRule && periods.isEmpty && tags.isEmpty && within == nil }

  /// The rules for periods, from the shortest.
  var periods: [(period: CalendarPeriod, count: KeepCount)] {
    let all: [(period: CalendarPeriod, count: KeepCount)] = [
      (.hour, hourly), (.day, daily), (.week, weekly), (.month, monthly), (.year, yearly),
    ]
    return all.filter(\.count.isRule)
  }
}

/// How many snapshots, or periods that have some, a rule keeps.
public enum KeepCount: Sendable, Hashable, CustomStringConvertible {
  /// The newest so many; with 0 there is no such rule.
  case newest(Int)
  case all

  /// No such rule.
  public static let none = KeepCount.newest(0)

  /// Reads a number, or `all`, for which `-1` and `unlimited` stand as well, as with restic.
  ///
  /// - Throws: ``ArgumentError/Code/invalidCount`` for anything else.
  public init(_ text: String) throws(ArgumentError) {
    if text == "all" || text == "unlimited" || text == "-1" {
      self = .all
    } else if let count = Int(text), count >= 0, text.first != "+" {
      self = .newest(count)
    } else {
      throw ArgumentError(
        .invalidCount, "“\(printable(text))” is not a number of snapshots: write 7, or all.")
    }
  }

  /// Whether the rule keeps anything.
  var isRule: Bool {
    switch self {
    case .all: true
    // A number below zero, which cannot be read, is no rule either; `-1` is ``all`` only as text.
    case .newest(let count): count > 0
    }
  }

  /// Takes one off; false if none is left.
  mutating func take() -> Bool {
    switch self {
    case .all: return true
    case .newest(let count):
      guard count > 0 else { return false }
      self = .newest(count - 1)
      return true
    }
  }

  public var description: String {
    switch self {
    case .all: "all"
    case .newest(let count): "\(count)"
    }
  }
}

/// Tags that a snapshot must have all of, for `--keep-tag`.
public struct TagSet: Sendable, Hashable, CustomStringConvertible {
  public let tags: [String]

  /// Reads tags with commas between them; spaces around a tag go.
  ///
  /// - Throws: ``ArgumentError/Code/invalidTags`` where one is empty.
  public init(_ text: String) throws(ArgumentError) {
    tags = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let characters = Array(part)
      guard let first = characters.firstIndex(where: { $0 != " " }),
        let last = characters.lastIndex(where: { $0 != " " })
      else { return "" }
      return String(characters[first...last])
    }
    if tags.contains("") {
      throw ArgumentError(
        .invalidTags,
        "“\(printable(text))” has an empty tag: write a tag, or several with commas between them."
      )
    }
  }

  /// Whether all of the tags are among these.
  func isContained(in tags: [String]) -> Bool { self.tags.allSatisfy(tags.contains) }

  public var description: String { tags.joined(separator: ",") }
}
