/// A single pattern with the syntax of gitignore(5).
///
/// `*`, `?` and `[…]` match bytes of one name, never a slash. A pattern with a slash at its start or in its middle is
/// compared with the whole path, any other with the last name. A slash at the end restricts it to directories.
///
/// `**/` at the start, `/**/` in the middle and `/**` at the end match any number of directories. A leading `!`
/// includes files despite an earlier pattern that excludes them. `\` makes the following character literal.
///
/// Names are bytes, so `?` matches one byte. A match takes at most pattern × path steps and allocates nothing.
///
/// Source of the rules: gitignore(5), and Git's behaviour in cases that it leaves open.
public struct Pattern: Sendable, Hashable {
  /// The pattern as it was written.
  public let text: [UInt8]
  /// Whether the pattern begins with `!`.
  public let isNegated: Bool
  /// Whether the pattern ends in a slash, and so matches only directories.
  public let matchesOnlyDirectories: Bool
  /// Whether the pattern is compared with the whole path instead of the last name.
  public let isAnchored: Bool
  /// The reason why the pattern can never match; nil if it is valid.
  public let flaw: PatternFlaw?

  private let glob: Glob

  /// Parses a pattern from the command line; every byte is significant, including `#` and trailing spaces.
  public init(_ text: [UInt8]) {
    self.text = text
    var rest = text[...]
    isNegated = rest.first == UInt8(ascii: "!")
    if isNegated { rest = rest.dropFirst() }
    matchesOnlyDirectories = rest.last == UInt8(ascii: "/")
    if matchesOnlyDirectories { rest = rest.dropLast() }
    // Every slash counts, even if it is escaped or within brackets.
    isAnchored = rest.contains(UInt8(ascii: "/"))
    if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    do throws(PatternFlaw) {
      glob = try Glob(Array(rest), crossesNames: isAnchored)
      flaw = nil
    } catch {
      glob = Glob()
      flaw = error
    }
  }

  /// Parses a line of a pattern file, without its line feed; nil for a comment or a blank line.
  ///
  /// A carriage return at the end is removed, and trailing spaces are removed up to one that a backslash escapes.
  public init?(line: [UInt8]) {
    guard line.first != UInt8(ascii: "#") else { return nil }
    var trimmed = line
    if trimmed.last == UInt8(ascii: "\r") { trimmed.removeLast() }
    trimmed.removeSubrange(Self.startOfTrailingSpaces(in: trimmed)...)
    guard !trimmed.isEmpty else { return nil }
    self.init(trimmed)
  }

  /// Tests whether a path matches, regardless of whether the pattern is negated.
  ///
  /// - Parameters:
  ///   - path: The path relative to the pattern's directory: names with single slashes between them, and none at either
  ///     end.
  ///   - isDirectory: Whether the path is a directory; false for a symbolic link to one.
  /// - Returns: True if the path matches.
  public func matches(_ path: Span<UInt8>, isDirectory: Bool) -> Bool {
    var nameStart = path.count
    while nameStart > 0, path[nameStart - 1] != UInt8(ascii: "/") { nameStart -= 1 }
    return matches(path, from: 0, nameStart: nameStart, isDirectory: isDirectory)
  }

  /// Tests whether a path matches; see ``matches(_:isDirectory:)-(Span<UInt8>,_)``.
  public func matches(_ path: [UInt8], isDirectory: Bool) -> Bool {
    matches(path.span, isDirectory: isDirectory)
  }

  /// Tests whether the path from `start` on matches; its last name begins at `nameStart`.
  @inline(__always)
  func matches(_ path: Span<UInt8>, from start: Int, nameStart: Int, isDirectory: Bool) -> Bool {
    if flaw != nil || (matchesOnlyDirectories && !isDirectory) || start >= path.count { return false }
    return isAnchored ? glob.matches(path, from: start) : glob.matchesName(path, from: nameStart)
  }

  private static func startOfTrailingSpaces(in line: [UInt8]) -> Int {
    var start: Int?
    var index = 0
    while index < line.count {
      switch line[index] {
      case UInt8(ascii: " "): start = start ?? index
      case UInt8(ascii: "\\"):
        start = nil
        index += 1
      default: start = nil
      }
      index += 1
    }
    return start ?? line.count
  }
}

/// The reason why a pattern can never match.
///
/// Git accepts such patterns silently; here they are reported to the user.
@nonexhaustive
public enum PatternFlaw: Error, Sendable, Hashable, CustomStringConvertible {
  /// Nothing remains of the pattern: `""`, `/`, `!`.
  case empty
  /// A `[` has no matching `]`.
  case openBracket
  /// `[:name:]` with a name that POSIX does not define.
  case unknownClass
  /// A backslash at the end, with no character to escape.
  case trailingBackslash
  /// Two slashes in a row, or a second slash at the start or the end: a name cannot be empty.
  case emptyName
  /// The pattern contains a NUL, which no name can contain.
  case nul

  public var description: String {
    switch self {
    case .empty: "the pattern is empty"
    case .openBracket: "a “[” is not closed; write “\\[” for the character itself"
    case .unknownClass: "there is no character class of that name; write “[[:alpha:]]”, for example"
    case .trailingBackslash: "it ends in a “\\” that escapes nothing; write “\\\\” for the character itself"
    case .emptyName: "it has two slashes in a row, and names are not empty"
    case .nul: "it contains a NUL, which names do not"
    }
  }
}
