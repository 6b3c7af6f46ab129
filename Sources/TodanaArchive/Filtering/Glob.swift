/// A compiled pattern for paths: `?`, `*` and `[…]` within a name, `**` across names, `\` before a literal character.
///
/// The pattern is split at its slashes. Each part matches one name (path component), or is a `**` that matches any
/// number of names. Matching backtracks to at most one `*` and one `**` (see `Glob+Matching.swift`).
struct Glob: Sendable, Hashable {
  enum Token: Sendable, Hashable {
    case byte(UInt8)
    /// `?`: any single byte.
    case anyByte
    /// `*`: any number of bytes of one name, including none.
    case anyRun
    /// `[…]`: the index of its set in ``Glob/sets``.
    case set(UInt32)
  }

  /// A part of the pattern between two slashes.
  struct Part: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// One name, compared byte by byte.
      case literal
      /// One name, matched by tokens.
      case wildcards
      /// `**`: any number of names, but at least this many.
      case names(atLeast: Int)
    }

    var kind: Kind
    /// The range of the part's tokens in ``Glob/tokens``.
    var tokens: Range<Int>
  }

  var tokens: [Token] = []
  var sets: [ByteSet] = []
  var parts: [Part] = []
}

extension Glob {
  /// Compiles a pattern.
  ///
  /// - Parameters:
  ///   - pattern: The pattern, without a slash at either end.
  ///   - crossesNames: Whether a part that is a `**` matches any number of names. False for a pattern that is compared
  ///     with a single name: `**` is an ordinary `*` then.
  ///   - foldsCase: Whether the pattern is compared with lower-case paths (``CaseFolding``).
  /// - Throws: ``PatternFlaw`` if the pattern can never match.
  init(_ pattern: [UInt8], crossesNames: Bool, foldsCase: Bool = false) throws(PatternFlaw) {
    guard !pattern.isEmpty else { throw .empty }
    guard !pattern.contains(0) else { throw .nul }
    var parser = Parser(pattern: pattern, crossesNames: crossesNames, foldsCase: foldsCase)
    try parser.parse()
    self = parser.glob
  }

  private struct Parser {
    let pattern: [UInt8]
    let crossesNames: Bool
    let foldsCase: Bool
    var glob = Glob()
    private var index = 0
    /// The index of the first token of the current part.
    private var partStart = 0
    /// The number of unescaped `*` in the current part.
    private var starCount = 0

    init(pattern: [UInt8], crossesNames: Bool, foldsCase: Bool) {
      self.pattern = pattern
      self.crossesNames = crossesNames
      self.foldsCase = foldsCase
    }

    mutating func parse() throws(PatternFlaw) {
      while index < pattern.count {
        switch pattern[index] {
        case UInt8(ascii: "/"):
          index += 1
          try endPart(before: .slash)
        case UInt8(ascii: "\\"):
          guard index + 1 < pattern.count else { throw .trailingBackslash }
          index += 1
          if pattern[index] == UInt8(ascii: "/") {
            index += 1
            try endPart(before: .escapedSlash)
          } else {
            appendLiteral()
          }
        case UInt8(ascii: "*"):
          index += 1
          starCount += 1
          // Several `*` in a row are equivalent to one.
          if glob.tokens.count == partStart || glob.tokens.last != .anyRun { glob.tokens.append(.anyRun) }
        case UInt8(ascii: "?"):
          index += 1
          glob.tokens.append(.anyByte)
        case UInt8(ascii: "["):
          let (set, end) = try BracketExpression.read(pattern, at: index, foldsCase: foldsCase)
          glob.tokens.append(.set(UInt32(glob.sets.count)))
          glob.sets.append(set)
          index = end
        default:
          appendLiteral()
        }
      }
      try endPart(before: .end)
    }

    /// Appends the character at the index as a literal.
    private mutating func appendLiteral() {
      guard foldsCase else {
        glob.tokens.append(.byte(pattern[index]))
        index += 1
        return
      }
      var lowered: [UInt8] = []
      index = CaseFolding.appendLowercase(of: pattern.span, at: index, to: &lowered)
      for byte in lowered { glob.tokens.append(.byte(byte)) }
    }

    private enum PartEnd { case slash, escapedSlash, end }

    private mutating func endPart(before partEnd: PartEnd) throws(PatternFlaw) {
      let range = partStart..<glob.tokens.count
      guard !range.isEmpty else { throw .emptyName }
      if crossesNames, starCount >= 2, range.count == 1, glob.tokens[partStart] == .anyRun {
        // `**/` may match no name at all, but `a/**` matches only paths inside of a. If the slash is escaped, Git does
        // not take the shortcut for `**/`, so at least one name is needed.
        glob.parts.append(Part(kind: .names(atLeast: partEnd == .slash ? 0 : 1), tokens: range))
      } else {
        let isLiteral = glob.tokens[range].allSatisfy { if case .byte = $0 { true } else { false } }
        glob.parts.append(Part(kind: isLiteral ? .literal : .wildcards, tokens: range))
      }
      partStart = glob.tokens.count
      starCount = 0
    }
  }
}
