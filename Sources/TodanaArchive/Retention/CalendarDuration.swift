#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A duration in calendar units: `1y5m7d2h` is one year, five months, seven days and two hours.
public struct CalendarDuration: Sendable, Hashable, CustomStringConvertible {
  public var years = 0
  public var months = 0
  public var days = 0
  public var hours = 0

  /// The maximum number of a unit: far more than any program needs, and too small for arithmetic overflow.
  private static let largestNumber = 1_000_000

  /// Parses numbers, each followed by its unit: `y`, `m` (months), `d` or `h`.
  ///
  /// The units may come in any order, each once.
  ///
  /// - Throws: ``ArgumentError/Code/invalidDuration`` for any other text, and for a duration of zero.
  public init(_ text: String) throws(ArgumentError) {
    var rest = text.unicodeScalars[...]
    var seen: Set<Unicode.Scalar> = []
    while !rest.isEmpty {
      let digits = rest.prefix { ("0"..."9").contains($0) }
      rest = rest[digits.endIndex...]
      guard !digits.isEmpty else { throw Self.error(text, "a number is missing") }
      guard let number = Int(String(digits)), number <= Self.largestNumber else {
        throw Self.error(text, "a number is more than \(Self.largestNumber)")
      }
      guard let unit = rest.popFirst() else { throw Self.error(text, "a unit is missing after \(number)") }
      guard seen.insert(unit).inserted else { throw Self.error(text, "a unit occurs twice") }
      switch unit {
      case "y": years = number
      case "m": months = number
      case "d": days = number
      case "h": hours = number
      default: throw Self.error(text, "units are y, m (months), d and h")
      }
    }
    if years + months + days + hours == 0 { throw Self.error(text, "it is zero") }
  }

  /// Returns the instant that precedes another one by the duration.
  ///
  /// Years, months and days are subtracted on the calendar of the time zone, keeping the time of day, even if the
  /// offset of the zone changes in between. Hours are then subtracted as elapsed time. A day beyond the end of its
  /// month continues into the next month, as in restic: one month before 31 March is 3 March, or 2 March in a leap
  /// year.
  func start(before end: Date, in zone: TimeZone) -> Date {
    var time = CivilTime(at: end, in: zone)
    let (year, month, dayOfMonth) = time.date
    let monthNumber = (year - years) * 12 + month - 1 - months
    let newYear = CivilTime.floorDivide(monthNumber, 12)
    time.day = CivilTime.firstDay(year: newYear, month: monthNumber - newYear * 12 + 1) + dayOfMonth - 1 - days
    let seconds = end.timeIntervalSince1970
    let fraction = seconds.isFinite ? seconds - seconds.rounded(.down) : 0
    return time.instant(in: zone) + fraction - Double(hours) * 3_600
  }

  private static func error(_ text: String, _ reason: String) -> ArgumentError {
    ArgumentError(
      .invalidDuration,
      "“\(printable(text))” is not a duration: \(reason). Write one such as 1y5m7d2h.")
  }

  public var description: String {
    [(years, "y"), (months, "m"), (days, "d"), (hours, "h")].map { $0.0 == 0 ? "" : "\($0.0)\($0.1)" }.joined()
  }
}

/// A period of the calendar, of which a retention rule keeps one snapshot.
public enum CalendarPeriod: Sendable, Hashable, CaseIterable {
  case hour, day, week, month, year

  /// Returns the number of the period that contains a time; later periods have larger numbers.
  ///
  /// Periods follow the local calendar and clock. An hour that clocks show twice, because they are set back, is one
  /// period.
  func number(of time: CivilTime) -> Int {
    switch self {
    case .hour: return time.day * 24 + time.hour
    case .day: return time.day
    // ISO weeks begin on Monday. Monday 1969-12-29 is three days before day 0. Weeks counted from there need no week
    // year, which can differ from the calendar year.
    case .week: return CivilTime.floorDivide(time.day + 3, 7)
    case .month:
      let (year, month, _) = time.date
      return year * 12 + month - 1
    case .year: return time.date.year
    }
  }

  /// The adjective for the period, as in “daily snapshot”.
  var adjective: String {
    switch self {
    case .hour: "hourly"
    case .day: "daily"
    case .week: "weekly"
    case .month: "monthly"
    case .year: "yearly"
    }
  }
}
