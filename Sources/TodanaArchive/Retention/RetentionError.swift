/// Why nothing may be removed.
///
/// Switch over ``code``; show ``message``, which says what to do.
public struct RetentionError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// No rule says what to keep, so every snapshot would go.
    case noRule
    /// The rules keep nothing of a group.
    case keepsNothing
    case invalidCount
    case invalidDuration
    case invalidTags
    case invalidGrouping
  }

  public var description: String { message }
}
