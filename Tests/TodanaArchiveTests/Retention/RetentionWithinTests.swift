// Units: --keep-within, on the calendar and through changes of clocks.
import Foundation
import Testing
import TodanaArchive

@Suite struct RetentionWithinTests {
  /// The earliest instant that a duration before `end` still keeps.
  private func isKept(_ time: String, _ duration: String, before end: String, in name: String = "UTC") throws -> Bool {
    let policy = try policy { $0.within = try CalendarDuration(duration) }
    return try policy.keptTimes([time, end], in: zone(name)).contains(time)
  }

  @Test(arguments: [
    ("1h", "2026-01-01T12:00:00Z", "2026-01-01T11:00:00Z", "UTC"),
    ("1d", "2026-01-01T12:00:00Z", "2025-12-31T12:00:00Z", "UTC"),
    ("1m", "2026-01-15T12:00:00Z", "2025-12-15T12:00:00Z", "UTC"),
    ("13m", "2026-01-15T12:00:00Z", "2024-12-15T12:00:00Z", "UTC"),
    ("1y", "2024-02-29T12:00:00Z", "2023-03-01T12:00:00Z", "UTC"),
    // February has no 31st: the third day after its 28th.
    ("1m", "2026-03-31T12:00:00Z", "2026-03-03T12:00:00Z", "UTC"),
    ("1m", "2024-03-31T12:00:00Z", "2024-03-02T12:00:00Z", "UTC"),
    ("1y5m7d2h", "2026-08-20T12:00:00Z", "2025-03-13T10:00:00Z", "UTC"),
    ("60d", "2024-03-01T00:00:00Z", "2024-01-01T00:00:00Z", "UTC"),
    // Clocks are put forward in Berlin at 01:00Z on 2026-03-29: the day has 23 hours.
    ("1d", "2026-03-29T10:00:00Z", "2026-03-28T11:00:00Z", "Europe/Berlin"),
    ("24h", "2026-03-29T10:00:00Z", "2026-03-28T10:00:00Z", "Europe/Berlin"),
    // And back at 01:00Z on 2026-10-25: the day has 25 hours.
    ("1d", "2026-10-25T11:00:00Z", "2026-10-24T10:00:00Z", "Europe/Berlin"),
    // 02:30 came twice on that day: the first counts.
    ("1d", "2026-10-26T01:30:00Z", "2026-10-25T00:30:00Z", "Europe/Berlin"),
    // 02:30 did not come on 2026-03-29: 01:30 is the earlier that one may think of.
    ("1d", "2026-03-30T00:30:00Z", "2026-03-29T00:30:00Z", "Europe/Berlin"),
    // Samoa left out 2011-12-30.
    ("1d", "2011-12-31T12:00:00Z", "2011-12-30T12:00:00Z", "Pacific/Apia"),
    ("1m", "2026-03-31T22:30:00Z", "2026-02-28T23:30:00Z", "Europe/Berlin"),
  ])
  func `counts back on the calendar`(_ duration: String, _ end: String, _ start: String, _ name: String) throws {
    // What lies at the start itself is old enough to go, as with restic.
    #expect(try !isKept(start, duration, before: end, in: name))
    let second = ISO8601DateFormatter().string(from: instant(start).addingTimeInterval(1))
    #expect(try isKept(second, duration, before: end, in: name))
  }

  @Test func `the newest that is not in the future counts`() throws {
    let policy = try policy { $0.within = try CalendarDuration("1d") }
    let times = ["2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-05T12:00:00Z", "2030-01-01T00:00:00Z"]
    #expect(try policy.keptTimes(times, now: instant("2026-01-06T00:00:00Z")) == [times[3], times[2], times[1]])
    #expect(try policy.keptTimes(times, now: instant("2031-01-06T00:00:00Z")) == [times[3]])
    // None counts those of the future.
    let last = TodanaArchiveTests.policy { $0.last = .newest(1) }
    #expect(try last.keptTimes(times, now: instant("2026-01-06T00:00:00Z")) == [times[3], times[2]])
    // A clock that went wrong: nothing goes.
    #expect(try policy.keptTimes(times, now: instant("2020-01-01T00:00:00Z")) == times.reversed())
    // Long after, the newest stays.
    #expect(try policy.keptTimes([times[0]], now: lateNow) == [times[0]])
  }
}
