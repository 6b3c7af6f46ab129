#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension RetentionPolicy {
  /// Decides which snapshots are kept.
  ///
  /// - Parameters:
  ///   - snapshots: The snapshots, in any order.
  ///   - grouping: The properties by which snapshots are grouped.
  ///   - zone: The time zone whose calendar and clock define periods. On Linux, the program must import Foundation:
  ///     with FoundationEssentials alone, zones cannot be found by name, and the current one is GMT.
  ///   - now: The current time. Snapshots with later times are kept, and no rule counts them.
  ///   - mayEmptyGroups: Whether all snapshots of a group may be removed, for example if the only rule is for tags that
  ///     none of them has.
  /// - Returns: A plan with an entry for each snapshot.
  /// - Throws: ``ArgumentError/Code/noRule`` if the policy has no rule; ``ArgumentError/Code/keepsNothing`` if a group
  ///   would be emptied but must not be. After an error, nothing may be removed.
  public func plan(
    for snapshots: [RetentionSnapshot], groupedBy grouping: SnapshotGrouping = .standard, in zone: TimeZone, now: Date,
    mayEmptyGroups: Bool = false
  ) throws(ArgumentError) -> RetentionPlan {
    if isEmpty {
      throw ArgumentError(
        .noRule, "No rule keeps any snapshot, so all would be removed: add a rule, such as --keep-daily 7.")
    }
    let grouped = Dictionary(grouping: snapshots) { SnapshotGroupKey($0, by: grouping) }
    var groups: [RetentionPlan.Group] = []
    for key in grouped.keys.sorted(by: SnapshotGroupKey.isBefore) {
      let sorted = (grouped[key] ?? []).sorted(by: RetentionSnapshot.isBefore)
      let entries = entries(newestFirst: sorted, in: zone, now: now)
      let judged = entries.filter { $0.reasons != [.future] }
      if !mayEmptyGroups, !judged.isEmpty, !judged.contains(where: \.isKept) {
        throw ArgumentError(
          .keepsNothing, "The rules keep no snapshot of a group (\(key)): add a rule that does, such as --keep-last 1.")
      }
      groups.append(RetentionPlan.Group(key: key, entries: entries))
    }
    return RetentionPlan(groups: groups)
  }

  /// Applies all rules to a group.
  private func entries(
    newestFirst snapshots: [RetentionSnapshot], in zone: TimeZone, now: Date
  ) -> [RetentionPlan.Entry] {
    let future = snapshots.prefix { $0.time > now }
    let snapshots = Array(snapshots[future.count...])
    var last = last
    var rules = periods.map { PeriodRule($0.period, $0.count) }
    let window = within.map { Window($0, newestFirst: snapshots, in: zone) }
    return future.map { RetentionPlan.Entry(snapshot: $0, reasons: [.future]) }
      + snapshots.indices.map { index in
        let snapshot = snapshots[index]
        var reasons: [RetentionReason] = []
        if last.take() { reasons.append(.last) }
        let time = CivilTime(at: snapshot.time, in: zone)
        for rule in rules.indices {
          if let reason = rules[rule].reason(toKeep: time, isOldest: index == snapshots.count - 1) {
            reasons.append(reason)
          }
        }
        for set in tags where set.isContained(in: snapshot.tags) { reasons.append(.tags(set)) }
        if let window, window.contains(snapshot.time) { reasons.append(.within(window.duration)) }
        return RetentionPlan.Entry(snapshot: snapshot, reasons: reasons)
      }
  }

  /// A rule for periods that is applied to the snapshots of a group, from the newest to the oldest.
  private struct PeriodRule {
    let period: CalendarPeriod
    var count: KeepCount
    /// The periods found so far.
    ///
    /// The last one is not enough: a day can recur if clocks are set back across midnight.
    var metPeriods: Set<Int> = []

    init(_ period: CalendarPeriod, _ count: KeepCount) {
      self.period = period
      self.count = count
    }

    mutating func reason(toKeep time: CivilTime, isOldest: Bool) -> RetentionReason? {
      let isNew = metPeriods.insert(period.number(of: time)).inserted
      guard isNew || isOldest, count.take() else { return nil }
      return isNew ? .newest(of: period) : .oldest(for: period)
    }
  }

  /// The time span of a `within` rule.
  private struct Window {
    let duration: CalendarDuration
    /// The time of the newest snapshot; nil if there is none.
    let end: Date?
    let start: Date

    init(_ duration: CalendarDuration, newestFirst snapshots: [RetentionSnapshot], in zone: TimeZone) {
      self.duration = duration
      end = snapshots.first?.time
      start = end.map { duration.start(before: $0, in: zone) } ?? .distantPast
    }

    func contains(_ time: Date) -> Bool {
      // Always include times from `end` on: if `end` is outside the range of the calendar, `start` may be later than
      // `end`.
      guard let end else { return true }
      return time > start || time >= end
    }
  }
}
