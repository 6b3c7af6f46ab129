import TodanaArchive

/// A file's time as text in ISO 8601, in UTC, with nine digits for the nanoseconds.
///
/// `Date` and its formatters are too coarse for nanoseconds, and too slow for a long list.
struct FileTimeText: CustomStringConvertible {
  let description: String

  init(_ time: FileTime) {
    let (days, seconds) = Self.divided(Int(time.seconds), by: 86_400)
    let (year, month, day) = Self.date(daysSince1970: days)
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.padded($0, 2) }.joined(separator: ":")
    description =
      "\(Self.text(ofYear: year))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T\(clock)."
      + "\(Self.padded(Int(time.nanoseconds), 9))Z"
  }

  /// Returns the year with four digits, or with a sign and at least six digits outside the years 0 to 9999.
  private static func text(ofYear year: Int) -> String {
    (0...9999).contains(year) ? padded(year, 4) : (year < 0 ? "-" : "+") + padded(abs(year), 6)
  }

  /// Returns the date of the Gregorian calendar.
  ///
  /// Years begin in March here, so that the leap day is the last day of a year.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }

  /// Divides with a remainder that is not negative.
  private static func divided(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func padded(_ value: Int, _ digitCount: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
  }
}
