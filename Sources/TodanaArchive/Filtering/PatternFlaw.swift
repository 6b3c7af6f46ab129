/// Why a pattern matches no name at all.
///
/// Git takes such patterns silently; whoever typed one wants to know.
@nonexhaustive
public enum PatternFlaw: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nothing is left of it: `""`, `/`, `!`.
  case empty
  /// A `[` without its `]`.
  case openBracket
  /// `[:name:]` with a name that POSIX does not have.
  case unknownClass
  /// A backslash at the end, with nothing behind it to escape.
  case trailingBackslash
  /// Two slashes in a row, or a second one at the start or the end: no name is empty.
  case emptyName
  /// A NUL byte, which no name has.
  case nul

  public var description: String {
    switch self {
    case .empty: "the pattern is empty"
    case .openBracket: "a “[” is not closed; write “\\[” for the character itself"
    case .unknownClass: "there is no character class of that name; write “[[:alpha:]]”, for example"
    case .trailingBackslash: "it ends in a “\\” that escapes nothing; write “\\\\” for the character itself"
    case .emptyName: "two slashes follow each other, and no name is empty"
    case .nul: "it has a NUL byte, and no name has one"
    }
  }
}
