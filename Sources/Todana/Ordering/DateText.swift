#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Texts for dates of any year.
enum DateText {
  /// Returns a date in the format of ISO 8601; nil for years outside of 1 to 9999.
  ///
  /// `Date.description` traps for infinite dates, and Foundation formats dates of other years wrongly.
  static func iso8601(_ date: Date) -> String? {
    let seconds = date.timeIntervalSinceReferenceDate
    // The range is from the year 1 to the end of 9999.
    guard (-63_113_904_000..<252_423_993_600).contains(seconds) else { return nil }
    return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: seconds != seconds.rounded()))
  }

  /// Parses a date in the format of ISO 8601: `2026-11-27`, `2026-11-27T08:30:00Z` or `2026-11-27T08:30:00.25+01:00`.
  ///
  /// A date without a time is its beginning in UTC, and a time without a time zone is in UTC. A space may stand between
  /// date and time. Returns nil for other texts.
  static func date(_ text: String) -> Date? {
    var characters = Array(text)
    if characters.count == 10 {
      return try? Date.ISO8601FormatStyle().year().month().day().parse(text)
    }
    if characters.count > 10, characters[10] == " " { characters[10] = "T" }
    if !characters.dropFirst(10).contains(where: { "Zz+-".contains($0) }) { characters.append("Z") }
    let text = String(characters)
    return (try? Date.ISO8601FormatStyle().parse(text))
      ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
  }

  /// Returns a description of any date, for messages.
  static func description(_ date: Date) -> String {
    iso8601(date) ?? "\(date.timeIntervalSinceReferenceDate) s after 2001-01-01"
  }
}
