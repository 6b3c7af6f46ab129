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
