// Unit tests of the snapshots that each rule keeps, by example.
import Foundation
import Testing
import TodanaArchive

@Suite struct RetentionPolicyTests {
  private static let days = (1...9).map { "2026-01-0\($0)T12:00:00Z" }

  @Test func `a policy without rules is an error`() throws {
    var zeroes = RetentionPolicy()
    zeroes.daily = try KeepCount("0")
    let negative = policy { $0.last = .newest(-1) }
    for policy in [RetentionPolicy(), zeroes, negative] {
      #expect(policy.isEmpty)
      let error = #expect(throws: ArgumentError.self) { try policy.keptTimes(Self.days) }
      #expect(error?.code == .noRule)
    }
  }

  @Test func `keep-last keeps the newest`() throws {
    #expect(try policy { $0.last = .newest(3) }.keptTimes(Self.days) == Self.days.suffix(3).reversed())
    #expect(try policy { $0.last = .all }.keptTimes(Self.days) == Self.days.reversed())
    #expect(try policy { $0.last = .newest(100) }.keptTimes(Self.days) == Self.days.reversed())
    #expect(try policy { $0.last = .newest(1) }.keptTimes([]) == [])
  }

  @Test func `the newest snapshot of each period is kept, and empty periods do not count`() throws {
    let times = [
      "2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z", "2026-01-05T08:00:00Z", "2026-01-05T09:00:00Z",
      "2026-01-09T08:00:00Z", "2026-01-09T09:00:00Z",
    ]
    #expect(try policy { $0.daily = .newest(2) }.keptTimes(times) == [times[5], times[3]])
    #expect(try policy { $0.daily = .newest(3) }.keptTimes(times) == [times[5], times[3], times[1]])
  }

  @Test func `the oldest snapshot is kept while a rule has counts left`() throws {
    let times = ["2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z", "2026-01-05T08:00:00Z"]
    let plan = try policy { $0.daily = .newest(3) }.plan(for: snapshots(times), in: utc, now: lateNow)
    #expect(plan.groups[0].entries.map(\.reasons) == [[.newest(of: .day)], [.newest(of: .day)], [.oldest(for: .day)]])
    #expect(plan.groups[0].entries[2].reasons[0].description == "oldest daily snapshot")
    let full = try policy { $0.daily = .newest(2) }.keptTimes(times)
    #expect(full == [times[2], times[1]])
    #expect(try policy { $0.daily = .all }.keptTimes(times) == times.reversed())
  }

  @Test(arguments: [
    (CalendarPeriod.hour, "2026-01-01T09:59:59Z", "2026-01-01T10:00:00Z", "2026-01-01T10:59:59Z"),
    (.day, "2026-01-01T23:59:59Z", "2026-01-02T00:00:00Z", "2026-01-02T23:59:59Z"),
    // A week that is in two years, a 53rd week, and a week before 1970.
    (.week, "2024-12-29T23:59:59Z", "2024-12-30T00:00:00Z", "2025-01-05T23:59:59Z"),
    (.week, "2020-12-27T23:59:59Z", "2020-12-28T00:00:00Z", "2021-01-03T23:59:59Z"),
    (.week, "1969-12-28T23:59:59Z", "1969-12-29T00:00:00Z", "1970-01-04T23:59:59Z"),
    (.month, "2024-01-31T23:59:59Z", "2024-02-01T00:00:00Z", "2024-02-29T23:59:59Z"),
    (.month, "1900-02-28T23:59:59Z", "1900-03-01T00:00:00Z", "1900-03-31T23:59:59Z"),
    (.month, "2100-02-28T23:59:59Z", "2100-03-01T00:00:00Z", "2100-03-31T23:59:59Z"),
    (.month, "2400-02-29T23:59:59Z", "2400-03-01T00:00:00Z", "2400-03-31T23:59:59Z"),
    (.year, "2399-12-31T23:59:59Z", "2400-01-01T00:00:00Z", "2400-12-31T23:59:59Z"),
    (.year, "2099-12-31T23:59:59Z", "2100-01-01T00:00:00Z", "2100-12-31T23:59:59Z"),
    (.year, "1999-12-31T23:59:59Z", "2000-01-01T00:00:00Z", "2000-12-31T23:59:59Z"),
  ])
  func `a period includes its first and its last second`(
    _ period: CalendarPeriod, _ before: String, _ first: String, _ end: String
  ) throws {
    let policy = policy { $0.set(period, .newest(2)) }
    // A third, oldest snapshot ensures that `before` is not kept merely as the oldest.
    let kept = try policy.keptTimes(["1800-01-01T00:00:00Z", before, first, end])
    #expect(kept == [end, before])
  }

  @Test func `rules are independent`() throws {
    let policy = try policy {
      $0.last = .newest(1)
      $0.daily = .newest(2)
      $0.within = try CalendarDuration("2d")
    }
    let plan = try policy.plan(for: snapshots(Self.days), in: utc, now: lateNow)
    let entries = plan.groups[0].entries
    #expect(entries[0].reasons.map(\.description) == ["last snapshot", "daily snapshot", "within 2d"])
    #expect(entries[1].reasons.map(\.description) == ["daily snapshot", "within 2d"])
    #expect(entries[2].reasons.isEmpty)
    #expect(plan.removed.count == 7)
  }

  @Test func `a set of tags keeps snapshots that have all of them`() throws {
    var some = snapshots(Self.days)
    some[0].tags = ["a"]
    some[1].tags = ["a", "b"]
    some[2].tags = ["c", "x"]
    let policy = try policy { $0.tags = [try TagSet("a, b"), try TagSet("c")] }
    let plan = try policy.plan(for: some, in: utc, now: lateNow)
    #expect(plan.kept.map(\.id) == [some[2].id, some[1].id])
    #expect(plan.groups[0].entries[7].reasons.map(\.description) == ["has tags a,b"])
  }

  @Test func `a group is emptied only if that is allowed`() throws {
    let policy = try policy { $0.tags = [try TagSet("none has it")] }
    let error = #expect(throws: ArgumentError.self) { try policy.keptTimes(Self.days) }
    #expect(error?.code == .keepsNothing)
    #expect(error?.message.contains("host ann, paths /home") == true)
    let plan = try policy.plan(for: snapshots(Self.days), in: utc, now: lateNow, mayEmptyGroups: true)
    #expect(plan.removed.count == 9)
  }

  @Test func `times that no calendar has do not trap`() throws {
    let times: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 1e18, -1e18, 0]
    let broken = times.enumerated().map {
      RetentionSnapshot(id: [UInt8($0)], time: Date(timeIntervalSince1970: $1), host: "", paths: [])
    }
    let policy = try policy {
      for period in CalendarPeriod.allCases { $0.set(period, .newest(2)) }
      $0.within = try CalendarDuration("1000000y1000000m1000000d1000000h")
    }
    let plan = try policy.plan(for: broken, in: zone("Europe/Berlin"), now: lateNow)
    #expect(plan.groups[0].entries.count == 8)
    #expect(plan.groups[0].entries.last?.snapshot.id == [0] || plan.groups[0].entries.last?.snapshot.id == [2])
  }
}

extension RetentionPolicy {
  mutating func set(_ period: CalendarPeriod, _ count: KeepCount) {
    switch period {
    case .hour: hourly = count
    case .day: daily = count
    case .week: weekly = count
    case .month: monthly = count
    case .year: yearly = count
    }
  }
}
