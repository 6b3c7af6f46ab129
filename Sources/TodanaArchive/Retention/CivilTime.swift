#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a calendar on the wall and a clock below it show: proleptic Gregorian, without a time zone.
///
/// Source of the arithmetic: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
struct CivilTime: Sendable, Hashable {
  /// Days since 1970-01-01, which was a Thursday.
  var day: Int
  /// 0 to 86,399.
  var secondOfDay: Int

  init(day: Int, secondOfDay: Int) {
    self.day = day
    self.secondOfDay = secondOfDay
  }

  /// What is shown in a time zone at an instant; parts of a second are dropped.
  ///
  /// Times before the year 1 and after 9999, which only a broken snapshot has, are taken for those.
  init(at instant: Date, in zone: TimeZone) {
    let seconds = Self.seconds(of: instant)
    self.init(localSeconds: seconds + Self.offset(at: seconds, in: zone))
  }

  private init(localSeconds: Int) {
    day = Self.floorDivide(localSeconds, 86_400)
    secondOfDay = localSeconds - day * 86_400
  }

  var hour: Int { secondOfDay / 3_600 }

  /// The year, and the month from 1 to 12, and the day of the month from 1.
  var date: (year: Int, month: Int, dayOfMonth: Int) {
    // Years begin in March here, so that a leap day is the last of them; eras have 400 years.
    let shifted = day + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// The first day of a month, in days since 1970-01-01.
  static func firstDay(year: Int, month: Int) -> Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The instant at which a time zone shows this.
  ///
  /// The earlier one where it shows it twice. Where it never does, since clocks are put forward over it, the instant at
  /// which it would without that: again the earlier of the two that one may think of.
  func instant(in zone: TimeZone) -> Date {
    let local = day * 86_400 + secondOfDay
    // No zone changes twice within two days.
    let offsets = [local - 86_400, local + 86_400].map { Self.offset(at: $0, in: zone) }
    let earlierFirst = [max(offsets[0], offsets[1]), min(offsets[0], offsets[1])]
    let offset = earlierFirst.first { Self.offset(at: local - $0, in: zone) == $0 } ?? earlierFirst[0]
    return Date(timeIntervalSince1970: Double(local - offset))
  }

  private static func seconds(of instant: Date) -> Int {
    let seconds = instant.timeIntervalSince1970
    // Not a number is no time either.
    guard !seconds.isNaN else { return -62_135_596_800 }
    return Int(min(max(seconds, -62_135_596_800), 253_402_300_799).rounded(.down))
  }

  private static func offset(at seconds: Int, in zone: TimeZone) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
  }

  /// Rounds down, also below zero.
  static func floorDivide(_ dividend: Int, _ divisor: Int) -> Int {
    dividend >= 0 ? dividend / divisor : -((divisor - 1 - dividend) / divisor)
  }
}
