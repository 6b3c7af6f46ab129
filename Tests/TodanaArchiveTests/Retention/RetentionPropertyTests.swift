// Property tests: random snapshots and rules, compared with a simple model on Foundation's calendar.
//
// A failure prints the seed; `TODANA_TEST_SEED` repeats it.
import Foundation
import TestSupport
import Testing
import TodanaArchive

@Suite struct RetentionPropertyTests {
  @Test func `random rules keep the snapshots that a simple model keeps`() throws {
    for seed in RandomSeeds.seeds(new: 150, long: 5_000) {
      do {
        var retention = RandomRetention(seed: seed)
        try retention.check()
      } catch {
        Issue.record("seed \(seed): \(error)")
        return
      }
    }
  }
}

private struct Broken: Error, CustomStringConvertible {
  let description: String
}

private struct RandomRetention {
  private var generator: SeededGenerator
  private let zone: TimeZone
  private var snapshots: [RetentionSnapshot] = []
  private var policy = RetentionPolicy()
  private let now = instant("2026-07-01T00:00:00Z")

  private static let zones = [
    "UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia",
    "America/New_York",
    "Africa/Casablanca", "Pacific/Kiritimati",
  ]

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    zone = TodanaArchiveTests.zone(Self.zones[Int.random(in: 0..<Self.zones.count, using: &generator)])
    // The span is from a few hours to six centuries.
    let span = pow(10, Double.random(in: 4...10.3, using: &generator))
    let spacing = [1.0, 900, 3_600, 86_400][Int.random(in: 0..<4, using: &generator)]
    for number in 0..<Int.random(in: 1...60, using: &generator) {
      let age = (Double.random(in: -span / 4...span, using: &generator) / spacing).rounded() * spacing
      let host = Bool.random(using: &generator) ? "ann" : "bob"
      let path = Bool.random(using: &generator) ? "/a" : "/b"
      var tags: [String] = []
      for tag in ["s", "t", "u"] where Int.random(in: 0..<4, using: &generator) == 0 { tags.append(tag) }
      snapshots.append(
        RetentionSnapshot(id: [UInt8(number)], time: now - age, host: host, paths: [Array(path.utf8)], tags: tags))
    }
    var policy = RetentionPolicy()
    for _ in 0..<Int.random(in: 0...3, using: &generator) { addRule(to: &policy) }
    if policy.isEmpty { policy.last = .newest(1) }
    self.policy = policy
  }

  /// Adds a rule, or raises the count of an existing one.
  private mutating func addRule(to policy: inout RetentionPolicy) {
    let count =
      Int.random(in: 0..<8, using: &generator) == 0 ? KeepCount.all : .newest(Int.random(in: 1...8, using: &generator))
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: policy.last = more(policy.last, count)
    case 1: policy.hourly = more(policy.hourly, count)
    case 2: policy.daily = more(policy.daily, count)
    case 3: policy.weekly = more(policy.weekly, count)
    case 4: policy.monthly = more(policy.monthly, count)
    case 5: policy.yearly = more(policy.yearly, count)
    case 6:
      if let tags = try? TagSet(["s", "t", "s,u"][Int.random(in: 0..<3, using: &generator)]) {
        policy.tags.append(tags)
      }
    default:
      if policy.within == nil {
        policy.within = try? CalendarDuration(
          ["1h", "3d", "1m2d", "1y", "2y3m4d5h"][Int.random(in: 0..<5, using: &generator)])
      }
    }
  }

  private func more(_ one: KeepCount, _ other: KeepCount) -> KeepCount {
    guard case .newest(let first) = one, case .newest(let second) = other else { return .all }
    return .newest(max(first, second))
  }

  private func plan(_ policy: RetentionPolicy, _ snapshots: [RetentionSnapshot]) throws -> RetentionPlan {
    try policy.plan(for: snapshots, in: zone, now: now, mayEmptyGroups: true)
  }

  mutating func check() throws {
    let plan = try plan(policy, snapshots)
    try compareWithModel(plan)

    // Every snapshot is in one group, and every kept one names a rule.
    let placed = plan.groups.flatMap(\.entries)
    try require(Set(placed.map(\.snapshot)) == Set(snapshots) && placed.count == snapshots.count, "places")
    try require(placed.allSatisfy { $0.isKept == !$0.reasons.isEmpty }, "reasons")
    try require(plan.kept.count + plan.removed.count == snapshots.count, "kept and removed")

    // The order of the input does not matter.
    let again = try self.plan(policy, snapshots.shuffled(using: &generator))
    try require(again.kept == plan.kept && again.removed == plan.removed, "order")

    // An additional rule never removes more.
    var larger = policy
    addRule(to: &larger)
    try require(
      Set(plan.kept).isSubset(of: try self.plan(larger, snapshots).kept), "\(larger) removes more than \(policy)")

    // Applying the rules to the kept snapshots removes none. Rules that count (all but tags and within) still find
    // as many.
    let second = try self.plan(policy, plan.kept)
    try require(second.removed.isEmpty, "a second time removes \(second.removed.count) more, \(policy)")

    // `last` keeps the newest of each group.
    let count = Int.random(in: 1...10, using: &generator)
    var last = RetentionPolicy()
    last.last = .newest(count)
    for group in try self.plan(last, snapshots).groups {
      let future = group.entries.prefix { $0.snapshot.time > now }
      try require(future.allSatisfy { $0.reasons == [.future] }, "the future stays")
      let entries = group.entries.dropFirst(future.count)
      let kept = entries.filter(\.isKept).count
      try require(kept == min(count, entries.count) && entries.prefix(kept).allSatisfy(\.isKept), "last \(count)")
      let times = group.entries.map(\.snapshot.time)
      try require(zip(times, times.dropFirst()).allSatisfy { $0 >= $1 }, "newest first")
    }
  }

  /// Compares each calendar rule with Foundation's calendar.
  private func compareWithModel(_ plan: RetentionPlan) throws {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = zone
    let rules: [(CalendarPeriod, KeepCount, Set<Calendar.Component>)] = [
      (.hour, policy.hourly, [.year, .month, .day, .hour]), (.day, policy.daily, [.year, .month, .day]),
      (.week, policy.weekly, [.yearForWeekOfYear, .weekOfYear]), (.month, policy.monthly, [.year, .month]),
      (.year, policy.yearly, [.year]),
    ]
    for group in plan.groups {
      let entries = group.entries.filter { $0.snapshot.time <= now }
      for (period, count, components) in rules {
        let limit = if case .newest(let number) = count { number } else { Int.max }
        var firsts: [DateComponents: Int] = [:]
        var expected: Set<Int> = []
        for (index, entry) in entries.enumerated() where expected.count < limit {
          let label = calendar.dateComponents(components, from: entry.snapshot.time)
          let isNew = firsts[label] == nil
          if isNew { firsts[label] = index }
          if isNew || index == entries.count - 1 { expected.insert(index) }
        }
        let found = entries.indices.filter {
          entries[$0].reasons.contains(.newest(of: period))
            || entries[$0].reasons.contains(.oldest(for: period))
        }
        try require(Set(found) == expected, "\(period) \(count) in \(zone): \(found), not \(expected.sorted())")
      }
    }
  }

  private func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: what()) }
  }
}
