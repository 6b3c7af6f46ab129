#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A duration as a calendar counts it: `1y5m7d2h` is a year, five months, seven days and two hours.
public struct CalendarDuration: Sendable, Hashable, CustomStringConvertible {
  public var years = 0
  public var months = 0
  public var days = 0
  public var hours = 0

  /// Each number may be this large, which is far more than anybody keeps and far less than arithmetic takes.
  private static let largestNumber = 1_000_000

  /// Reads numbers, each with its unit: `y`, `m` (months), `d`, `h`; each unit once, in any order.
  ///
  /// - Throws: ``ArgumentError/Code/invalidDuration`` for anything else, and for a duration of zero.
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
      guard let unit = rest.popFirst() else { throw Self.error(text, "a unit is missing behind \(number)") }
      guard seen.insert(unit).inserted else { throw Self.error(text, "a unit is there twice") }
      switch unit {
      case "y": years = number
      case "m": months = number
      case "d": days = number
      case "h": hours = number
      default: throw Self.error(text, "units are y, m (months), d and h")
      }
    }
    if years + months + days + hours == 0 { throw Self.error(text, "it is no time at all") }
  }

  /// The instant that lies so long before another.
  ///
  /// Years, months and days are counted back on the calendar of the time zone, at the same time of the day, whatever was
  /// done to clocks in between; then hours, as they pass. A day that its month does not have is counted on from the
  /// month's start: a month before the 31st of March is the 3rd of March, or the 2nd in a leap year, as with restic.
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
      "“\(printable(text))” is not a duration: \(reason). Write one as in 1y5m7d2h.")
  }

  public var description: String {
    [(years, "y"), (months, "m"), (days, "d"), (hours, "h")].map { $0.0 == 0 ? "" : "\($0.0)\($0.1)" }.joined()
  }
}

/// A stretch of the calendar of which a rule keeps one snapshot.
public enum CalendarPeriod: Sendable, Hashable, CaseIterable {
  case hour, day, week, month, year

  /// A number that all times of one period have in common, and no others; it grows with time.
  ///
  /// Periods are those that calendar and clock show. So an hour that clocks show twice, as they are put back, is one
  /// period.
  func number(of time: CivilTime) -> Int {
    switch self {
    case .hour: return time.day * 24 + time.hour
    case .day: return time.day
    // ISO 8601: weeks begin on a Monday. 1969-12-29 was one, three days before day 0; numbering weeks from there needs no
    // years, to which the first and last days of a year may not belong.
    case .week: return CivilTime.floorDivide(time.day + 3, 7)
    case .month:
      let (year, month, _) = time.date
      return year * 12 + month - 1
    case .year: return time.date.year
    }
  }

  /// As in “daily snapshot”.
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
