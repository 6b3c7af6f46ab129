/// A pattern that `find` searches for among stored paths.
///
/// A pattern with a slash at its start or in its middle is compared with the whole path, any other with the last name.
/// A slash at the end restricts it to directories. ``Pattern`` describes the wildcards; a leading `!` is literal.
public struct PathQuery: Sendable {
  private let pattern: Glob
  private let ignoresCase: Bool
  /// Whether the pattern is compared with the whole path instead of the last name.
  let isAnchored: Bool
  private let matchesOnlyDirectories: Bool

  /// Parses a pattern.
  ///
  /// - Parameters:
  ///   - text: The pattern; every byte is significant.
  ///   - ignoresCase: Whether upper and lower case are equal in names that are UTF-8, by the simple lower-case mapping
  ///     of each scalar. Bytes that are not UTF-8 are compared unchanged.
  /// - Throws: ``ArgumentError/Code/flawedPattern`` if the pattern can never match.
  public init(_ text: [UInt8], ignoresCase: Bool = false) throws(ArgumentError) {
    self.ignoresCase = ignoresCase
    matchesOnlyDirectories = text.last == UInt8(ascii: "/")
    var rest = matchesOnlyDirectories ? text.dropLast() : text[...]
    isAnchored = rest.contains(UInt8(ascii: "/"))
    if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
    do throws(PatternFlaw) {
      pattern = try Glob(Array(rest), crossesNames: isAnchored, foldsCase: ignoresCase)
    } catch {
      throw ArgumentError(.flawedPattern, "“\(printable(text))” matches nothing: \(error).")
    }
  }

  /// Tests whether a stored path matches.
  ///
  /// Allocates memory only if case is ignored.
  ///
  /// - Parameters:
  ///   - path: Names with single slashes between them, and none at the end; a leading slash is ignored.
  ///   - isDirectory: Whether the path is stored as a directory.
  /// - Returns: True if the path matches.
  public func matches(_ path: Span<UInt8>, isDirectory: Bool) -> Bool {
    if matchesOnlyDirectories, !isDirectory { return false }
    var start = 0
    if isAnchored {
      if !path.isEmpty, path[0] == UInt8(ascii: "/") { start = 1 }
    } else {
      start = path.count
      while start > 0, path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    }
    if start >= path.count { return false }
    guard ignoresCase else {
      return isAnchored ? pattern.matches(path, from: start) : pattern.matchesName(path, from: start)
    }
    let lowered = CaseFolding.lowercase(path.extracting(start...))
    return isAnchored ? pattern.matches(lowered.span) : pattern.matchesName(lowered.span, from: 0)
  }

  /// Tests whether a stored path matches; see ``matches(_:isDirectory:)-(Span<UInt8>,_)``.
  public func matches(_ path: [UInt8], isDirectory: Bool) -> Bool {
    matches(path.span, isDirectory: isDirectory)
  }
}

/// Lower-case conversion of UTF-8 names, for comparisons that ignore case.
///
/// Each scalar is replaced by its simple lower-case mapping (Unicode Standard, 3.13 and UnicodeData.txt). The result is
/// one scalar regardless of its neighbours, so “ẞ” becomes “ß” and not “ss”. Bytes that are not UTF-8 stay unchanged.
enum CaseFolding {
  static func lowercase(_ bytes: Span<UInt8>) -> [UInt8] {
    var lowered: [UInt8] = []
    lowered.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count { index = appendLowercase(of: bytes, at: index, to: &lowered) }
    return lowered
  }

  /// Appends the lower case of the character at an index, and returns the index after the character.
  static func appendLowercase(of bytes: Span<UInt8>, at index: Int, to lowered: inout [UInt8]) -> Int {
    let first = bytes[index]
    if first < 0x80 {
      let isUppercase = first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z")
      lowered.append(isUppercase ? first + 32 : first)
      return index + 1
    }
    guard let (scalar, end) = scalar(in: bytes, at: index) else {
      lowered.append(first)
      return index + 1
    }
    // The full mapping is longer than the simple one only for İ (U+0130), and begins with it.
    let mapped = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    lowered.append(contentsOf: String(Character(mapped)).utf8)
    return end
  }

  /// Returns the scalar that begins at an index and the index after it; nil if the bytes are not UTF-8.
  private static func scalar(in bytes: Span<UInt8>, at index: Int) -> (Unicode.Scalar, end: Int)? {
    // A scalar has at most four bytes.
    var candidate: [UInt8] = []
    for next in index..<min(index + 4, bytes.count) { candidate.append(bytes[next]) }
    var iterator = candidate.makeIterator()
    var parser = UTF8.ForwardParser()
    guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
    return (UTF8.decode(encoded), index + encoded.count)
  }
}
