// Unit tests of `--keep-within`, on the calendar and across clock changes.
import Foundation
import Testing
import TodanaArchive

@Suite struct RetentionWithinTests {
  /// Tests whether a snapshot is kept if the newest one is at `end`.
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
    // February has no 31st: the start is the third day after the 28th.
    ("1m", "2026-03-31T12:00:00Z", "2026-03-03T12:00:00Z", "UTC"),
    ("1m", "2024-03-31T12:00:00Z", "2024-03-02T12:00:00Z", "UTC"),
    ("1y5m7d2h", "2026-08-20T12:00:00Z", "2025-03-13T10:00:00Z", "UTC"),
    ("60d", "2024-03-01T00:00:00Z", "2024-01-01T00:00:00Z", "UTC"),
    // In Berlin, clocks go forward at 01:00Z on 2026-03-29: the day has 23 hours.
    ("1d", "2026-03-29T10:00:00Z", "2026-03-28T11:00:00Z", "Europe/Berlin"),
    ("24h", "2026-03-29T10:00:00Z", "2026-03-28T10:00:00Z", "Europe/Berlin"),
    // Clocks go back at 01:00Z on 2026-10-25: the day has 25 hours.
    ("1d", "2026-10-25T11:00:00Z", "2026-10-24T10:00:00Z", "Europe/Berlin"),
    // 02:30 occurs twice on that day: the first one counts.
    ("1d", "2026-10-26T01:30:00Z", "2026-10-25T00:30:00Z", "Europe/Berlin"),
    // 02:30 does not occur on 2026-03-29: the earlier reading, 01:30, counts.
    ("1d", "2026-03-30T00:30:00Z", "2026-03-29T00:30:00Z", "Europe/Berlin"),
    // Samoa skipped 2011-12-30.
    ("1d", "2011-12-31T12:00:00Z", "2011-12-30T12:00:00Z", "Pacific/Apia"),
    ("1m", "2026-03-31T22:30:00Z", "2026-02-28T23:30:00Z", "Europe/Berlin"),
  ])
  func `a duration is counted back on the calendar`(
    _ duration: String, _ end: String, _ start: String, _ name: String
  ) throws {
    // A snapshot exactly at the start is removed, as in restic.
    #expect(try !isKept(start, duration, before: end, in: name))
    let second = ISO8601DateFormatter().string(from: instant(start).addingTimeInterval(1))
    #expect(try isKept(second, duration, before: end, in: name))
  }

  @Test func `a duration is counted back from the newest snapshot that is not in the future`() throws {
    let policy = try policy { $0.within = try CalendarDuration("1d") }
    let times = ["2026-01-01T00:00:00Z", "2026-01-05T00:00:00Z", "2026-01-05T12:00:00Z", "2030-01-01T00:00:00Z"]
    #expect(try policy.keptTimes(times, now: instant("2026-01-06T00:00:00Z")) == [times[3], times[2], times[1]])
    #expect(try policy.keptTimes(times, now: instant("2031-01-06T00:00:00Z")) == [times[3]])
    // No rule counts snapshots in the future.
    let last = TodanaArchiveTests.policy { $0.last = .newest(1) }
    #expect(try last.keptTimes(times, now: instant("2026-01-06T00:00:00Z")) == [times[3], times[2]])
    // If the clock is behind all snapshots, none is removed.
    #expect(try policy.keptTimes(times, now: instant("2020-01-01T00:00:00Z")) == times.reversed())
    // Even long afterwards, the newest is kept.
    #expect(try policy.keptTimes([times[0]], now: lateNow) == [times[0]])
  }
}
