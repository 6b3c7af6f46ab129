/// A compiled pattern for paths: `?`, `*`, `[…]` within a name, `**` across names, `\` before what stands for itself.
///
/// It is cut at its slashes, and each part matches one name of a path, or is a `**` and matches any number of names.
/// Matching looks back at most one `*` and one `**` (see `Glob+Matching.swift`).
struct Glob: Sendable, Hashable {
  enum Token: Sendable, Hashable {
    case byte(UInt8)
    /// `?`
    case anyByte
    /// `*`: any bytes of one name, also none.
    case anyRun
    /// `[…]`, by its index in ``Glob/sets``.
    case set(UInt32)
  }

  /// What lies between two slashes of the pattern.
  struct Part: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// One name, byte by byte.
      case literal
      /// One name, by its tokens.
      case wildcards
      /// `**`: at least so many names.
      case names(atLeast: Int)
    }

    var kind: Kind
    /// Where its tokens lie in ``Glob/tokens``.
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
  ///   - pattern: Without a slash at either end.
  ///   - crossesNames: Whether a `**` that is all of a part matches any number of names. False for a pattern that is
  ///     compared with one name: there it is an ordinary `*`.
  ///   - foldsCase: It is to be compared with lower-case paths (``CaseFolding``).
  /// - Throws: What makes it match nothing.
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
    /// The first token of the part that is being read.
    private var partStart = 0
    /// Unescaped `*` of the part, where it has nothing else.
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
          // Several in a row are one.
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

    /// Appends the character at the index, which stands for itself.
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
        // `**/` matches no name as well. `a/**` is what lies in a, not a itself. And Git takes the shortcut that skips a
        // `**/` only where the slash is not escaped.
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
