/// What `find PATTERN` looks for among stored paths.
///
/// A pattern with a slash at its start or in its middle is compared with the whole path, any other with the last name;
/// a slash at the end asks for a directory. Wildcards are those of ``Pattern``; a `!` has no meaning.
public struct PathQuery: Sendable {
  private let pattern: Glob
  private let ignoresCase: Bool
  /// Whether the whole path counts, and not the last name alone.
  let isAnchored: Bool
  private let matchesOnlyDirectories: Bool

  /// Reads a pattern.
  ///
  /// - Parameters:
  ///   - text: The pattern, every byte of which counts.
  ///   - ignoresCase: Upper and lower case are the same, in names that are UTF-8: by simple lower-case mapping, scalar by
  ///     scalar. Bytes that are not UTF-8 are compared as they are.
  /// - Throws: ``ArgumentError/Code/flawedPattern`` for a pattern that matches nothing.
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

  /// Whether a stored path matches.
  ///
  /// Allocates only where case is ignored.
  ///
  /// - Parameters:
  ///   - path: Names with single slashes between them, none at the end; one at the start does not count.
  ///   - isDirectory: Whether it is stored as a directory.
  /// - Returns: True if it is to be found.
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

  /// See ``matches(_:isDirectory:)-(Span<UInt8>,_)``.
  public func matches(_ path: [UInt8], isDirectory: Bool) -> Bool {
    matches(path.span, isDirectory: isDirectory)
  }
}

/// Lower case for names in UTF-8, for comparing without regard to case.
///
/// Each scalar is replaced by its simple lower-case mapping (Unicode Standard, 3.13 and UnicodeData.txt): one scalar for
/// one, whatever its neighbours are, so “ẞ” becomes “ß” and not “ss”. Bytes that are not UTF-8 stay as they are.
enum CaseFolding {
  static func lowercase(_ bytes: Span<UInt8>) -> [UInt8] {
    var lowered: [UInt8] = []
    lowered.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count { index = appendLowercase(of: bytes, at: index, to: &lowered) }
    return lowered
  }

  /// Appends the lower case of the character at an index, and returns the index behind it.
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
    // The full mapping is longer than the simple one for İ (U+0130) alone, and begins with it.
    let mapped = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    lowered.append(contentsOf: String(Character(mapped)).utf8)
    return end
  }

  /// The scalar that begins at an index; nil if what stands there is not UTF-8.
  private static func scalar(in bytes: Span<UInt8>, at index: Int) -> (Unicode.Scalar, end: Int)? {
    // A scalar takes four bytes at most.
    var candidate: [UInt8] = []
    for next in index..<min(index + 4, bytes.count) { candidate.append(bytes[next]) }
    var iterator = candidate.makeIterator()
    var parser = UTF8.ForwardParser()
    guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
    return (UTF8.decode(encoded), index + encoded.count)
  }
}
