/// A rule that keeps a snapshot.
@nonexhaustive
public enum RetentionReason: Sendable, Hashable, CustomStringConvertible {
  /// Among the newest: `--keep-last`.
  case last
  /// The newest of a period: `--keep-daily` and so on.
  case newest(of: CalendarPeriod)
  /// The oldest of its group, kept while a rule for periods found fewer than it may keep, so that the history reaches as
  /// far back as it can.
  case oldest(for: CalendarPeriod)
  /// It has all of the tags: `--keep-tag`.
  case tags(TagSet)
  /// It is newer than the clock says that it is now: no rule looks at it.
  case future
  /// It is not older, counted back from the newest: `--keep-within`.
  case within(CalendarDuration)

  /// Such as `daily snapshot`.
  public var description: String {
    switch self {
    case .last: "last snapshot"
    case .newest(let period): "\(period.adjective) snapshot"
    case .oldest(let period): "oldest \(period.adjective) snapshot"
    case .tags(let tags): "has tags \(PrintableBytes.text(of: Array(tags.description.utf8)))"
    case .future: "in the future"
    case .within(let duration): "within \(duration)"
    }
  }
}
