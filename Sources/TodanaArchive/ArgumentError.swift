/// An option, rule or list that a user gave and that cannot be used.
///
/// Switch over ``code``; show ``message``, which says what to do.
public struct ArgumentError: Error, Sendable, CustomStringConvertible {
  public var code: Code
  public var message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  @nonexhaustive
  public enum Code: Sendable {
    /// A pattern that matches nothing; see ``PatternFlaw``.
    case flawedPattern
    /// A name that no file has.
    case invalidName
    /// A size that cannot be read.
    case invalidSize
    /// A list of files with a path that no file has.
    case invalidFileList
    /// No rule says which snapshots to keep, so every snapshot would go.
    case noRule
    /// The rules keep no snapshot of a group.
    case keepsNothing
    /// A number of snapshots that cannot be read.
    case invalidCount
    /// A duration that cannot be read.
    case invalidDuration
    /// An empty tag in a list of tags.
    case invalidTags
    /// A word by which snapshots cannot be grouped.
    case invalidGrouping
  }

  public var description: String { message }
}
