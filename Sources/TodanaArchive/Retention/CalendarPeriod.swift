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
