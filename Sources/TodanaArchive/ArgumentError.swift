/// An error in an option, rule or list that a user gave.
///
/// Switch over ``code`` to handle it. ``message`` says how to correct the argument.
public struct ArgumentError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// A pattern that can match no path; see ``PatternFlaw``.
    case flawedPattern
    /// A name that no file can have.
    case invalidName
    /// A size that cannot be parsed.
    case invalidSize
    /// A list of files that contains a path that no file can have.
    case invalidFileList
    /// Missing retention rules: without a rule, every snapshot would be removed.
    case noRule
    /// Rules that keep no snapshot of a group.
    case keepsNothing
    /// A number of snapshots that cannot be parsed.
    case invalidCount
    /// A duration that cannot be parsed.
    case invalidDuration
    /// An empty tag in a list of tags.
    case invalidTags
    /// A word that names no property by which snapshots can be grouped.
    case invalidGrouping
  }

  public var description: String { message }
}
