internal import Foundation

/// The times of NanoStore: texts such as `2012-03-04 05:06:07:089`, in the time zone of the machine that wrote them.
struct NanoStoreDate {
  private let calendar: Calendar

  init(timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    self.calendar = calendar
  }

  /// Parses a time; returns nil for any other text.
  func date(_ text: String) -> Date? {
    guard let match = text.wholeMatch(of: #/(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d):(\d{3})/#) else { return nil }
    let (_, year, month, day, hour, minute, second, milliseconds) = match.output
    let components = DateComponents(
      year: Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute), second: Int(second))
    guard let date = calendar.date(from: components), let thousandths = Double(milliseconds) else { return nil }
    // A day that the month does not have would become one of the next month.
    guard calendar.component(.day, from: date) == Int(day), calendar.component(.month, from: date) == Int(month) else {
      return nil
    }
    return date.addingTimeInterval(thousandths / 1000)
  }
}
