/// The rules for which snapshots `prune` keeps; a snapshot that no rule keeps is removed.
///
/// The rules are those of restic's `forget`. Each rule is applied to all snapshots of a group independently, so an
/// additional rule never removes more:
///
/// - `last` keeps the given number of newest snapshots.
/// - `hourly`, `daily`, `weekly`, `monthly` and `yearly` keep the newest snapshot of each of the newest periods that
///   have snapshots, up to the given number. If there are fewer such periods, the oldest snapshot of the group is kept,
///   too. Periods are those of a time zone; weeks are those of ISO 8601.
/// - `tags` keeps snapshots that have all tags of one of the sets.
/// - `within` keeps snapshots within a duration before the newest snapshot of the group.
///
/// Snapshots with a time in the future are kept, and no rule counts them: a snapshot made with a wrong clock displaces
/// no other.
public struct RetentionPolicy: Sendable, Hashable {
  public var last = KeepCount.none
  public var hourly = KeepCount.none
  public var daily = KeepCount.none
  public var weekly = KeepCount.none
  public var monthly = KeepCount.none
  public var yearly = KeepCount.none
  public var tags: [TagSet] = []
  public var within: CalendarDuration?

  /// Creates a policy without rules.
  public init() {}

  /// Whether the policy has no rule that keeps a snapshot.
  public var isEmpty: Bool { !last.isRule && periods.isEmpty && tags.isEmpty && within == nil }

  /// The rules for periods, from the shortest to the longest period.
  var periods: [(period: CalendarPeriod, count: KeepCount)] {
    let all: [(period: CalendarPeriod, count: KeepCount)] = [
      (.hour, hourly), (.day, daily), (.week, weekly), (.month, monthly), (.year, yearly),
    ]
    return all.filter(\.count.isRule)
  }
}

/// The number of snapshots, or of periods with snapshots, that a rule keeps.
public enum KeepCount: Sendable, Hashable, CustomStringConvertible {
  /// The newest snapshots or periods, up to this number; 0 means that there is no rule.
  case newest(Int)
  case all

  /// The count of a rule that was not given: it keeps nothing.
  public static let none = KeepCount.newest(0)

  /// Parses a number, or `all`.
  ///
  /// Accepts `-1` and `unlimited` for `all`, as restic does.
  ///
  /// - Throws: ``ArgumentError/Code/invalidCount`` for any other text.
  public init(_ text: String) throws(ArgumentError) {
    if text == "all" || text == "unlimited" || text == "-1" {
      self = .all
    } else if let count = Int(text), count >= 0, text.first != "+" {
      self = .newest(count)
    } else {
      throw ArgumentError(
        .invalidCount, "“\(printable(text))” is not a number of snapshots: write a number such as 7, or all.")
    }
  }

  /// Whether the count makes a rule, and is not 0.
  var isRule: Bool {
    switch self {
    case .all: true
    // A program may have set a negative number, which is no rule either. The text `-1` is parsed as ``all``.
    case .newest(let count): count > 0
    }
  }

  /// Counts one snapshot or period to keep; returns false if the number is used up.
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

/// A set of tags for `--keep-tag`; a snapshot must have all of them.
public struct TagSet: Sendable, Hashable, CustomStringConvertible {
  public let tags: [String]

  /// Parses tags separated by commas; spaces around a tag are removed.
  ///
  /// - Throws: ``ArgumentError/Code/invalidTags`` if a tag is empty.
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
        "“\(printable(text))” has an empty tag: write a tag, or several separated by commas."
      )
    }
  }

  /// Tests whether all tags of the set are among the given ones.
  func isContained(in tags: [String]) -> Bool { self.tags.allSatisfy(tags.contains) }

  public var description: String { tags.joined(separator: ",") }
}
