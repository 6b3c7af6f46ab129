/// What is wrong with what a person asked for about leaving files out.
///
/// Switch over ``code``; show ``message``, which says what to do.
public struct ChoosingError: Error, Sendable, CustomStringConvertible {
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
    /// A list of files with a path that none can have.
    case invalidFileList
  }

  public var description: String { message }
}
