/// An error in a text that ``TextExpression/init(parsing:)`` or ``TextExpression/init(dystopia:)`` reads.
public struct TextExpressionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The position of the error, as a number of Unicode scalars before it.
  public let position: Int
  public let message: String

  public var description: String { "\(message) (at character \(position + 1))" }
}

extension TextExpression {
  /// Creates an expression from a text with operators.
  ///
  /// | text | finds |
  /// |---|---|
  /// | `blue green` | texts with both words |
  /// | `blue OR green` | texts with one of the words; `OR` binds less tightly than words in sequence |
  /// | `(blue OR green) live` | as the parentheses say |
  /// | `-live`, `NOT live` | texts without the word |
  /// | `"kind of blue"` | the words, one after the other |
  /// | `gre*`, `*een`, `*ree*` | words that begin or end like this; this text anywhere |
  /// | `blue NEAR/3 green` | both words with at most 3 words between them |
  /// | `grene~`, `grene~2` | words with at most one or two letters changed |
  /// | `/gr[ae]y/` | a match of a regular expression |
  /// | `^blue`, `green$`, `^blue$` | texts that begin or end like this, or are equal to it |
  ///
  /// Operators are in upper case. A backslash takes the meaning from the character after it: `\-1`, `C\*`, `\OR`. Texts
  /// that people type are for ``init(typed:)``, which never fails. `docs/formats/text-search.md` has the grammar.
  ///
  /// - Throws: ``TextExpressionError`` with the position of the first error.
  public init(parsing text: String) throws(TextExpressionError) {
    var parser = TextExpressionParser(text)
    self.init(try parser.parse())
  }
}

/// The parser of ``TextExpression/init(parsing:)``: one function for each rule of the grammar.
struct TextExpressionParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  /// The highest number of words of `NEAR`.
  private static let distanceLimit = 1_000_000
  /// The deepest nesting of parentheses and exclusions.
  private static let depthLimit = TextExpression.depthLimit

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func parse() throws(TextExpressionError) -> TextNode {
    skipSpaces()
    if isAtEnd { return .nothing }
    let node = try alternatives()
    if !isAtEnd { throw error("A ) has no (") }
    return node
  }

  // alternatives = sequence { "OR" sequence }
  private mutating func alternatives() throws(TextExpressionError) -> TextNode {
    var parts = [try sequence()]
    while skip(operator: "OR") { parts.append(try sequence()) }
    return .joinAny(parts)
  }

  // sequence = factor { [ "AND" ] factor }
  private mutating func sequence() throws(TextExpressionError) -> TextNode {
    var parts = [try factor()]
    while !isAtEnd, current != ")", !isAt(operator: "OR") {
      _ = skip(operator: "AND")
      parts.append(try factor())
    }
    return .joinAll(parts)
  }

  // factor = ( "-" | "NOT" ) factor | proximity
  private mutating func factor() throws(TextExpressionError) -> TextNode {
    let start = position
    let isExcluded = skip(operator: "NOT") || (current == "-" && advance())
    guard isExcluded else { return try proximity() }
    if scalars[start] == "-", isAtEnd || isSpace(current) { throw error("A - must be followed by what is excluded") }
    return .not(try nested { parser throws(TextExpressionError) in try parser.factor() })
  }

  // proximity = primary { "NEAR/" number primary }
  private mutating func proximity() throws(TextExpressionError) -> TextNode {
    let start = position
    let first = try primary()
    var words: [String] = []
    var common: Int?
    while let distance = try skipNear() {
      if words.isEmpty { words.append(try plain(first, at: start)) }
      if let common, common != distance { throw error("The numbers of NEAR must be equal: use parentheses and -") }
      common = distance
      let place = position
      words.append(try plain(try primary(), at: place))
    }
    guard let common else { return first }
    return .makeNear(words, distance: common)
  }

  private func plain(_ node: TextNode, at place: Int) throws(TextExpressionError) -> String {
    switch node {
    case .term(.word, let text), .term(.phrase, let text): return text
    default:
      throw TextExpressionError(position: place, message: "NEAR joins only words and phrases")
    }
  }

  // primary = "(" alternatives ")" | regular expression | term
  private mutating func primary() throws(TextExpressionError) -> TextNode {
    guard let current else { throw error("A word is missing at the end") }
    switch current {
    case "(":
      let start = position
      advance()
      skipSpaces()
      let node = try nested { parser throws(TextExpressionError) in try parser.alternatives() }
      guard self.current == ")" else { throw TextExpressionError(position: start, message: "A ( has no )") }
      advance()
      skipSpaces()
      return node
    case ")": throw error("A word is missing before )")
    case "/": return try regularExpression()
    default:
      for name in ["OR", "AND"] where isAt(operator: name) { throw error("A word is missing before \(name)") }
      return try term()
    }
  }

  private mutating func regularExpression() throws(TextExpressionError) -> TextNode {
    let start = position
    advance()
    var text = String.UnicodeScalarView()
    while let scalar = current, scalar != "/" {
      advance()
      text.append(scalar)
      guard scalar == "\\", let next = current else { continue }
      if next == "/" { text.removeLast() }
      text.append(next)
      advance()
    }
    guard current == "/" else {
      throw TextExpressionError(position: start, message: "A regular expression has no / at its end")
    }
    advance()
    do throws(RegularExpression.Invalid) {
      _ = try RegularExpression(RegexText.normalized(String(text)))
    } catch {
      throw TextExpressionError(position: start, message: "The regular expression is invalid: \(error.reason)")
    }
    try endTerm()
    return .regularExpression(String(text))
  }

  // term = [ "^" ] [ "*" ] ( word | phrase ) [ "*" | "~" [ number ] | "$" ]; ^ and $, or * and *, go together
  private mutating func term() throws(TextExpressionError) -> TextNode {
    let isBeginning = current == "^" && advance()
    let hasStarBefore = current == "*" && advance()
    let isPhrase = current == "\""
    let start = position
    let text = isPhrase ? try phrase() : try word()
    let hasStarAfter = current == "*" && advance()
    // Only ** has a meaning: every text has the empty part.
    if !isPhrase, text.isEmpty, !(hasStarBefore && hasStarAfter) {
      throw TextExpressionError(position: start, message: "A word is missing")
    }
    var edits: Int?
    if current == "~" {
      advance()
      edits = number() ?? 1
      if let edits, !(1...2).contains(edits) { throw error("A word may differ by 1 or 2 letters") }
    }
    let isEnd = current == "$" && advance()
    let marks = [isBeginning, hasStarBefore, hasStarAfter, edits != nil, isEnd].count { $0 }
    guard marks <= 1 || marks == 2 && (hasStarBefore && hasStarAfter || isBeginning && isEnd) else {
      throw TextExpressionError(position: start, message: "The marks ^ * ~ $ of a word do not go together")
    }
    try endTerm()
    if isBeginning { return .term(isEnd ? .whole : .beginning, text) }
    if isEnd { return .term(.end, text) }
    if let edits { return text.isEmpty ? .nothing : .fuzzy(text, edits: edits) }
    switch (hasStarBefore, hasStarAfter) {
    case (true, true): return .term(.substring, text)
    case (true, false): return .make(.suffix, text)
    case (false, true): return .make(.prefix, text)
    case (false, false): return .make(isPhrase ? .phrase : .word, text)
    }
  }

  /// Requires a space, a parenthesis or the end, and skips spaces.
  private mutating func endTerm() throws(TextExpressionError) {
    if let current, !isSpace(current), current != "(", current != ")" {
      throw error("A space is missing before \(current)")
    }
    skipSpaces()
  }

  private mutating func word() throws(TextExpressionError) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = current, !isSpace(scalar), !"\"()*~$".unicodeScalars.contains(scalar) {
      advance()
      if scalar == "^" { throw error("A ^ may only come before a word") }
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let next = current else { throw error("A \\ must be followed by a character") }
      text.append(next)
      advance()
    }
    return String(text)
  }

  private mutating func phrase() throws(TextExpressionError) -> String {
    let start = position
    advance()
    var text = String.UnicodeScalarView()
    while let scalar = current, scalar != "\"" {
      advance()
      guard scalar == "\\" else {
        text.append(scalar)
        continue
      }
      guard let next = current else { break }
      text.append(next)
      advance()
    }
    guard current == "\"" else {
      throw TextExpressionError(position: start, message: "A quotation mark has no partner")
    }
    advance()
    return String(text)
  }

  // MARK: Scalars

  private var isAtEnd: Bool { position >= scalars.count }
  private var current: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }
  private func isSpace(_ scalar: Unicode.Scalar?) -> Bool { scalar?.properties.isWhitespace ?? false }
  private func error(_ message: String) -> TextExpressionError {
    TextExpressionError(position: position, message: message)
  }

  @discardableResult
  private mutating func advance() -> Bool {
    position += 1
    return true
  }

  private mutating func skipSpaces() { while isSpace(current) { advance() } }

  private mutating func number() -> Int? {
    var number: Int?
    while let scalar = current, let digit = scalar.isASCII ? Int(String(scalar)) : nil {
      number = min((number ?? 0) * 10 + digit, Self.distanceLimit + 1)
      advance()
    }
    return number
  }

  private func isAt(operator name: String) -> Bool {
    let end = position + name.unicodeScalars.count
    guard end <= scalars.count, scalars[position..<end].elementsEqual(name.unicodeScalars) else { return false }
    return end == scalars.count || isSpace(scalars[end]) || "()\"".unicodeScalars.contains(scalars[end])
  }

  private mutating func skip(operator name: String) -> Bool {
    guard isAt(operator: name) else { return false }
    position += name.unicodeScalars.count
    skipSpaces()
    return true
  }

  private mutating func skipNear() throws(TextExpressionError) -> Int? {
    let name = Array("NEAR/".unicodeScalars)
    guard position + name.count <= scalars.count, scalars[position..<position + name.count].elementsEqual(name) else {
      return nil
    }
    position += name.count
    guard let distance = number() else { throw error("NEAR/ must be followed by a number of words") }
    if distance > Self.distanceLimit { throw error("The number of NEAR is at most \(Self.distanceLimit)") }
    try endTerm()
    return distance
  }

  private mutating func nested(
    _ body: (inout TextExpressionParser) throws(TextExpressionError) -> TextNode
  ) throws(TextExpressionError) -> TextNode {
    guard depth < Self.depthLimit else {
      throw error("The expression is nested more than \(Self.depthLimit) levels deep")
    }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }
}
