// Unit tests of periods in time zones, across clock changes.
import Foundation
import Testing
import TodanaArchive

@Suite struct TimeZoneTests {
  /// Tests whether two instants are in one period, of which only the newer is kept.
  private func areTogether(_ period: CalendarPeriod, _ older: String, _ newer: String, in name: String) throws -> Bool {
    let policy = policy { $0.set(period, .newest(2)) }
    let kept = try policy.keptTimes(["1950-01-01T00:00:00Z", older, newer], in: zone(name))
    return !kept.contains(older)
  }

  @Test(arguments: [
    (CalendarPeriod.day, "2026-06-01T21:59:00Z", "2026-06-01T22:00:00Z", "Europe/Berlin", false),
    (.day, "2026-06-01T23:59:00Z", "2026-06-02T00:00:00Z", "Europe/Berlin", true),
    (.hour, "2026-06-01T10:29:00Z", "2026-06-01T10:30:00Z", "Asia/Kolkata", false),
    (.hour, "2026-06-01T10:59:00Z", "2026-06-01T11:00:00Z", "Asia/Kolkata", true),
    (.week, "2026-06-07T21:59:00Z", "2026-06-07T22:00:00Z", "Europe/Berlin", false),
    (.month, "2026-05-31T10:59:00Z", "2026-05-31T11:00:00Z", "Pacific/Auckland", true),
    (.month, "2026-05-31T11:59:00Z", "2026-05-31T12:00:00Z", "Pacific/Auckland", false),
    (.year, "2026-12-31T22:59:00Z", "2026-12-31T23:00:00Z", "Europe/Berlin", false),
    // 02:30 occurs twice on 2026-10-25: both are in one hour of the clock.
    (.hour, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "Europe/Berlin", true),
    (.hour, "2026-10-25T01:30:00Z", "2026-10-25T02:00:00Z", "Europe/Berlin", false),
    // 03:00 follows 01:59 on 2026-03-29.
    (.hour, "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z", "Europe/Berlin", false),
    (.day, "2026-03-28T23:00:00Z", "2026-03-29T21:59:00Z", "Europe/Berlin", true),
    (.day, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "Europe/Berlin", false),
    // Half an hour is repeated.
    (.hour, "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z", "Australia/Lord_Howe", true),
    // 2011-12-30 was skipped.
    (.day, "2011-12-30T09:59:00Z", "2011-12-30T10:00:00Z", "Pacific/Apia", false),
  ])
  func `periods follow the calendar and clock of the time zone`(
    _ period: CalendarPeriod, _ older: String, _ newer: String, _ name: String, _ areOne: Bool
  ) throws {
    #expect(try areTogether(period, older, newer, in: name) == areOne)
  }

  /// On the 7th at 00:01, clocks went back to 23:01 on the 6th, so the 7th started twice.
  @Test func `a day that occurs twice is one period`() throws {
    let times = [
      "2010-11-07T02:00:00Z",  // 23:30 on the 6th
      "2010-11-07T02:30:30Z",  // 00:00:30 on the 7th
      "2010-11-07T02:45:00Z",  // 23:15 on the 6th, again
      "2010-11-07T04:00:00Z",  // 00:30 on the 7th, again
    ]
    let policy = policy { $0.daily = .newest(3) }
    let plan = try policy.plan(
      for: snapshots(["2010-11-01T00:00:00Z", "2010-11-02T12:00:00Z"] + times), in: zone("America/St_Johns"),
      now: lateNow)
    #expect(plan.kept.map { String(decoding: $0.id, as: UTF8.self) } == [times[3], times[2], "2010-11-02T12:00:00Z"])
  }
}
