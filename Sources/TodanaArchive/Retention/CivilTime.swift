#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A date and time of day in the proleptic Gregorian calendar, without a time zone.
///
/// The arithmetic is from Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
struct CivilTime: Sendable, Hashable {
  /// The number of days since 1970-01-01, a Thursday.
  var day: Int
  /// The second of the day, 0 to 86,399.
  var secondOfDay: Int

  init(day: Int, secondOfDay: Int) {
    self.day = day
    self.secondOfDay = secondOfDay
  }

  /// Creates the local time of an instant in a time zone; fractions of a second are dropped.
  ///
  /// Instants before the year 1 or after the year 9999, which only damaged snapshots have, are clamped to those years.
  init(at instant: Date, in zone: TimeZone) {
    let seconds = Self.seconds(of: instant)
    self.init(localSeconds: seconds + Self.offset(at: seconds, in: zone))
  }

  private init(localSeconds: Int) {
    day = Self.floorDivide(localSeconds, 86_400)
    secondOfDay = localSeconds - day * 86_400
  }

  var hour: Int { secondOfDay / 3_600 }

  /// The year, the month from 1 to 12, and the day of the month from 1.
  var date: (year: Int, month: Int, dayOfMonth: Int) {
    // The years of this algorithm begin in March, so a leap day is the last day; an era has 400 years.
    let shifted = day + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Returns the first day of a month, in days since 1970-01-01.
  static func firstDay(year: Int, month: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns the instant at which a time zone shows this local time.
  ///
  /// If the zone shows it twice, returns the earlier instant. If the zone skips it, because clocks are set forward,
  /// uses the offset before the change or after it, whichever gives the earlier instant.
  func instant(in zone: TimeZone) -> Date {
    let local = day * 86_400 + secondOfDay
    // No time zone changes its offset twice within two days.
    let offsets = [local - 86_400, local + 86_400].map { Self.offset(at: $0, in: zone) }
    let earlierFirst = [max(offsets[0], offsets[1]), min(offsets[0], offsets[1])]
    let offset = earlierFirst.first { Self.offset(at: local - $0, in: zone) == $0 } ?? earlierFirst[0]
    return Date(timeIntervalSince1970: Double(local - offset))
  }

  private static func seconds(of instant: Date) -> Int {
    let seconds = instant.timeIntervalSince1970
    // Treat NaN as the earliest time.
    guard !seconds.isNaN else { return -62_135_596_800 }
    return Int(min(max(seconds, -62_135_596_800), 253_402_300_799).rounded(.down))
  }

  private static func offset(at seconds: Int, in zone: TimeZone) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// Divides and rounds down, even for negative dividends.
  static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
    dividend >= 0 ? dividend / divisor : -((divisor - 1 - dividend) / divisor)
  }
}
