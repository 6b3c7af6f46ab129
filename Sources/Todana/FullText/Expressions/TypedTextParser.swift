extension TextExpression {
  /// Creates an expression from a text as people type it into a search field.
  ///
  /// - All words must occur, in any order and place. The last one may be the beginning of a longer word.
  /// - `"kind of blue"` means these words one after the other.
  /// - `-live` excludes texts with this word; `-"so what"` and `-(a OR b)` work as well.
  /// - `blue OR green` needs one of them, with `OR` in upper case; parentheses group.
  /// - `gre*` means words that begin like this.
  ///
  /// Whatever cannot be understood in this way is taken as words, so no text is an error. A string literal has this
  /// meaning, too.
  public init(typed text: String) {
    var parser = TypedTextParser(text)
    self.init(parser.parse())
  }
}

/// The parser of ``TextExpression/init(typed:)``, which accepts every text.
struct TypedTextParser {
  private enum Token: Equatable {
    case opening, closing, exclusion
    case or, and
    case word(String)
    case prefix(String)
    case phrase(String)
  }

  private let tokens: [Token]
  private var position = 0
  private var depth = 0

  /// The deepest nesting of parentheses; deeper ones are left out.
  private static let depthLimit = 50

  init(_ text: String) { tokens = Self.tokens(of: text) }

  mutating func parse() -> TextNode {
    var parts: [TextNode] = []
    while position < tokens.count {
      parts.append(alternatives())
      // A closing parenthesis without a partner is left out.
      if position < tokens.count { position += 1 }
    }
    return .joinAll(parts.filter { $0 != .nothing })
  }

  private mutating func alternatives() -> TextNode {
    var parts = [sequence()]
    while current == .or, canJoin(after: parts.last) {
      position += 1
      parts.append(sequence())
    }
    return .joinAny(parts.filter { $0 != .nothing })
  }

  private mutating func sequence() -> TextNode {
    var parts: [TextNode] = []
    while let token = current, token != .closing {
      switch token {
      case .or:
        if !parts.isEmpty, isFollowedByTerm { return .joinAll(parts) }
        parts.append(word("OR"))
      case .and:
        if !parts.isEmpty, isFollowedByTerm { position += 1 } else { parts.append(word("AND")) }
      default:
        if let node = factor() { parts.append(node) }
      }
    }
    return .joinAll(parts.filter { $0 != .nothing })
  }

  private mutating func word(_ text: String) -> TextNode {
    position += 1
    return .make(position == tokens.count ? .prefix : .word, text)
  }

  private func canJoin(after node: TextNode?) -> Bool { node != nil && node != .nothing && isFollowedByTerm }

  /// Whether the token after the current one begins a term.
  private var isFollowedByTerm: Bool {
    guard position + 1 < tokens.count else { return false }
    switch tokens[position + 1] {
    case .closing, .or, .and: return false
    default: return true
    }
  }

  private mutating func factor() -> TextNode? {
    guard let token = current else { return nil }
    position += 1
    switch token {
    case .exclusion:
      guard let next = current, next != .closing, next != .or, next != .and, let node = factor() else { return nil }
      return node == .nothing ? nil : .not(node)
    case .opening:
      guard depth < Self.depthLimit else { return nil }
      depth += 1
      let node = alternatives()
      depth -= 1
      if current == .closing { position += 1 }
      return node
    case .word(let text): return .make(.word, text)
    case .prefix(let text): return .make(.prefix, text)
    case .phrase(let text): return .make(.phrase, text)
    case .closing, .or, .and: return nil
    }
  }

  private var current: Token? { position < tokens.count ? tokens[position] : nil }

  // MARK: Tokens

  private static func isQuote(_ scalar: Unicode.Scalar) -> Bool { "\"“”„‟«»「」『』＂".unicodeScalars.contains(scalar) }

  /// Keyboards and programs that correct texts type other characters for a hyphen.
  private static func isHyphen(_ scalar: Unicode.Scalar) -> Bool { "-‐‑‒–−－".unicodeScalars.contains(scalar) }

  private static func tokens(of text: String) -> [Token] {
    let scalars = Array(text.unicodeScalars)
    var tokens: [Token] = []
    var position = 0
    while position < scalars.count {
      let scalar = scalars[position]
      if scalar.properties.isWhitespace {
        position += 1
      } else if scalar == "(" {
        tokens.append(.opening)
        position += 1
      } else if scalar == ")" {
        tokens.append(.closing)
        position += 1
      } else if isQuote(scalar) {
        let end = scalars[(position + 1)...].firstIndex(where: isQuote) ?? scalars.count
        let phrase = String(String.UnicodeScalarView(scalars[(position + 1)..<end]))
        let isOpen = end == scalars.count
        position = end + 1
        let hasStar = position < scalars.count && scalars[position] == "*"
        if hasStar { position += 1 }
        tokens.append(isOpen || hasStar ? .prefix(phrase) : .phrase(phrase))
      } else if isHyphen(scalar) {
        // Several hyphens count as one, so that exclusions are not nested. Hyphens by themselves have no meaning.
        position = scalars[position...].firstIndex { !isHyphen($0) } ?? scalars.count
        if position < scalars.count, !scalars[position].properties.isWhitespace { tokens.append(.exclusion) }
      } else {
        let end =
          scalars[position...].firstIndex { $0.properties.isWhitespace || $0 == "(" || $0 == ")" || isQuote($0) }
          ?? scalars.count
        let isExcluded = tokens.last == .exclusion
        tokens.append(token(of: scalars[position..<end], isLast: end == scalars.count && !isExcluded))
        position = end
      }
    }
    return tokens
  }

  private static func token(of scalars: ArraySlice<Unicode.Scalar>, isLast: Bool) -> Token {
    var word = scalars
    while word.last == "*" { word.removeLast() }
    let text = String(String.UnicodeScalarView(word))
    if word.count < scalars.count || isLast { return .prefix(text) }
    return text == "OR" ? .or : text == "AND" ? .and : .word(text)
  }
}
