/// One pattern as gitignore(5) has them.
///
/// `*`, `?` and `[…]` match bytes of one name, never a slash. A pattern with a slash at its start or in its middle is
/// compared with the whole path, any other with the last name of it. A slash at the end asks for a directory. `**/` at
/// the start, `/**/` in the middle and `/**` at the end stand for any number of directories. `!` at the start takes back
/// what an earlier pattern left out. `\` before a character takes its meaning away.
///
/// Names are bytes, and so `?` is one byte of them. A match takes at most pattern × path steps and allocates nothing.
///
/// Source of the rules: gitignore(5), and where it is silent, what Git does.
public struct Pattern: Sendable, Hashable {
  /// As it was written.
  public let text: [UInt8]
  /// It begins with `!`.
  public let isNegated: Bool
  /// It ends in a slash, and so matches directories only.
  public let matchesOnlyDirectories: Bool
  /// It is compared with the whole path, not with the last name alone.
  public let isAnchored: Bool
  /// Why it matches nothing at all; nil for a sound pattern.
  public let flaw: PatternFlaw?

  private let glob: Glob

  /// A pattern from the command line: every byte counts, `#` and spaces at the end as well.
  public init(_ text: [UInt8]) {
    self.text = text
    var rest = text[...]
    isNegated = rest.first == UInt8(ascii: "!")
    if isNegated { rest = rest.dropFirst() }
    matchesOnlyDirectories = rest.last == UInt8(ascii: "/")
    if matchesOnlyDirectories { rest = rest.dropLast() }
    // A slash counts wherever it stands, escaped or within brackets too.
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

  /// A line of a file of patterns, without its line feed; nil for a comment and for a blank line.
  ///
  /// A carriage return at the end goes, and so do spaces at the end, up to one that a backslash protects.
  public init?(line: [UInt8]) {
    guard line.first != UInt8(ascii: "#") else { return nil }
    var trimmed = line
    if trimmed.last == UInt8(ascii: "\r") { trimmed.removeLast() }
    trimmed.removeSubrange(Self.startOfTrailingSpaces(in: trimmed)...)
    guard !trimmed.isEmpty else { return nil }
    self.init(trimmed)
  }

  /// Whether a path matches, leaving aside whether the pattern is negated.
  ///
  /// - Parameters:
  ///   - path: Relative to the directory that the pattern is for: names with single slashes between them, none at either
  ///     end.
  ///   - isDirectory: A symbolic link to a directory is none.
  /// - Returns: True if it does.
  public func matches(_ path: Span<UInt8>, isDirectory: Bool) -> Bool {
    var nameStart = path.count
    while nameStart > 0, path[nameStart - 1] != UInt8(ascii: "/") { nameStart -= 1 }
    return matches(path, from: 0, nameStart: nameStart, isDirectory: isDirectory)
  }

  /// See ``matches(_:isDirectory:)-(Span<UInt8>,_)``.
  public func matches(_ path: [UInt8], isDirectory: Bool) -> Bool {
    matches(path.span, isDirectory: isDirectory)
  }

  /// Whether the path matches that begins at `start` and whose last name begins at `nameStart`.
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
