/// A token of a query's text.
struct QueryToken {
  let kind: Kind
  /// The offset of the token in bytes.
  let start: Int
  let end: Int

  enum Kind: Equatable {
    /// A name or a keyword.
    case word(String)
    /// A name between backticks.
    case name(String)
    case text(String)
    case number(NumberLiteral)
    /// A question mark.
    case argument
    case symbol(Symbol)
    /// The token `[c]`, `[cd]` or `[i]`.
    case fold(Folding)
    /// A field in brackets, in texts with such fields.
    case bracketed(String)
    case end
  }

  enum Symbol: String {
    case leftParenthesis = "("
    case rightParenthesis = ")"
    case comma = ","
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case and = "&&"
    case or = "||"
    case not = "!"
  }
}

/// A lexer that divides a query's text into tokens.
struct QueryTextLexer {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0
  /// Whether brackets enclose fields.
  private let hasBracketedFields: Bool
  /// Whether brackets at this position may be a mark of the token before them: `[c]`.
  private var mayBeMark = false

  static let byteLimit = 65_536
  /// The maximum length of a number in bytes.
  ///
  /// No type of number needs more digits.
  private static let numberByteLimit = 100

  /// Makes a lexer.
  ///
  /// - Throws: ``QueryTextError`` if the text is too long.
  init(_ text: String, hasBracketedFields: Bool = false) throws(QueryTextError) {
    self.hasBracketedFields = hasBracketedFields
    guard text.utf8.count <= Self.byteLimit else {
      let kept = String(decoding: text.utf8.prefix(Self.byteLimit), as: UTF8.self)
      throw QueryTextError(
        .tooLong, "The text has \(text.utf8.count) bytes; the limit is \(Self.byteLimit).", in: kept,
        at: kept.utf8.count)
    }
    self.text = text
    bytes = Array(text.utf8)
  }

  /// Returns all tokens, of which the last is the end.
  mutating func tokens() throws(QueryTextError) -> [QueryToken] {
    var tokens: [QueryToken] = []
    while true {
      while let byte = peek(), byte == 0x20 || (0x09...0x0D).contains(byte) { position += 1 }
      let start = position
      mayBeMark = tokens.last.map { $0.end == start && Self.takesMark($0.kind) } ?? false
      guard let byte = peek() else {
        tokens.append(QueryToken(kind: .end, start: start, end: start))
        return tokens
      }
      let kind = try kind(beginningWith: byte)
      tokens.append(QueryToken(kind: kind, start: start, end: position))
    }
  }

  private mutating func kind(beginningWith byte: UInt8) throws(QueryTextError) -> QueryToken.Kind {
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): return .text(try quoted(by: byte, "text"))
    case UInt8(ascii: "`"):
      let start = position
      let name = try quoted(by: byte, "name")
      if name.isEmpty { throw error("A name between backticks is empty.", at: start) }
      return .name(name)
    case UInt8(ascii: "?"):
      position += 1
      return .argument
    case UInt8(ascii: "["): return hasBracketedFields ? try bracketed() : try fold()
    case _ where Self.isDigit(byte), UInt8(ascii: "."), UInt8(ascii: "-"): return .number(try number())
    case _ where Self.beginsWord(byte): return .word(word())
    default: return .symbol(try symbol(byte))
    }
  }

  // MARK: Parts

  /// Reads a text or name up to its closing quotation mark; two quotation marks within it mean one.
  private mutating func quoted(by mark: UInt8, _ what: String) throws(QueryTextError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = peek() {
      position += 1
      if byte == mark {
        guard peek() == mark else { return String(decoding: content, as: UTF8.self) }
        position += 1
      }
      content.append(byte)
    }
    throw error("The \(what) that begins here has no end.", at: start)
  }

  /// Tests whether a mark may follow a token: an operator, or a field in a sort.
  private static func takesMark(_ token: QueryToken.Kind) -> Bool {
    switch token {
    case .bracketed, .symbol(.equal), .symbol(.notEqual), .symbol(.less), .symbol(.lessOrEqual), .symbol(.greater),
      .symbol(.greaterOrEqual):
      return true
    case .word(let word):
      let operators = TextOperation.all.map(\.keyword) + ["IN", "BETWEEN"]
      return operators.contains(word.uppercased())
    default: return false
    }
  }

  /// Reads a field in brackets, or a mark directly after another token.
  private mutating func bracketed() throws(QueryTextError) -> QueryToken.Kind {
    if mayBeMark, let folding = try? fold() { return folding }
    let start = position
    var depth = 0
    while let byte = peek() {
      position += 1
      switch byte {
      case UInt8(ascii: "\\"): if peek() != nil { position += 1 }
      case UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return .bracketed(String(decoding: bytes[(start + 1)..<(position - 1)], as: UTF8.self)) }
      default: break
      }
    }
    throw error("The field that begins here has no closing bracket.", at: start)
  }

  private mutating func fold() throws(QueryTextError) -> QueryToken.Kind {
    let start = position
    let forms: [(String, Folding)] = [("[c]", .caseAndAccents), ("[cd]", .caseAndAccents), ("[i]", .caseOnly)]
    for (form, folding) in forms where matches(form) {
      position += form.utf8.count
      return .fold(folding)
    }
    throw error(
      "Only [c] or [i] is allowed here: after an operator, [c] ignores case and accents, and [i] only case.",
      at: start)
  }

  private mutating func number() throws(QueryTextError) -> NumberLiteral {
    let start = position
    var isWhole = true
    if peek() == UInt8(ascii: "-") { position += 1 }
    var digitCount = skipDigits()
    if peek() == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      digitCount += skipDigits()
    }
    var isNumber = digitCount > 0
    if isNumber, let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if let sign = peek(), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { position += 1 }
      isNumber = skipDigits() > 0
    }
    if let byte = peek(), Self.beginsWord(byte) || byte == UInt8(ascii: ".") { isNumber = false }
    guard isNumber else { throw error("This is not a number.", at: start) }
    guard position - start <= Self.numberByteLimit else {
      throw error("A number has at most \(Self.numberByteLimit) digits.", at: start)
    }
    // Other parsers of numbers require a digit before and after the point.
    var digits = String(decoding: bytes[start..<position], as: UTF8.self)
    if let point = digits.firstIndex(of: ".") {
      let next = digits.index(after: point)
      if next == digits.endIndex || !digits[next].isNumber { digits.insert("0", at: next) }
      if point == digits.startIndex || digits[digits.index(before: point)] == "-" { digits.insert("0", at: point) }
    }
    return NumberLiteral(digits: digits, isWhole: isWhole)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while let byte = peek(), Self.isDigit(byte) { position += 1 }
    return position - start
  }

  private mutating func word() -> String {
    let start = position
    while let byte = peek(), Self.beginsWord(byte) || Self.isDigit(byte) || byte == UInt8(ascii: ".") { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  // Longer spellings come first, because a shorter one may be their beginning.
  private static let spellings: [(String, QueryToken.Symbol)] = [
    ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<=", .lessOrEqual), (">=", .greaterOrEqual),
    ("&&", .and), ("||", .or), ("=", .equal), ("<", .less), (">", .greater), ("!", .not), ("(", .leftParenthesis),
    (")", .rightParenthesis), (",", .comma),
  ]

  private mutating func symbol(_ byte: UInt8) throws(QueryTextError) -> QueryToken.Symbol {
    for (spelling, symbol) in Self.spellings where matches(spelling) {
      position += spelling.utf8.count
      return symbol
    }
    let shown = byte < 0x20 || byte == 0x7F ? "The character with the code \(byte)" : "\"\(Unicode.Scalar(byte))\""
    throw error("\(shown) is not allowed here.", at: position)
  }

  // MARK: Bytes

  private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Tests whether the text continues with a spelling, in lower or upper case.
  private func matches(_ spelling: String) -> Bool {
    let wanted = spelling.utf8
    guard bytes.count - position >= wanted.count else { return false }
    return zip(bytes[position...], wanted).allSatisfy { byte, wanted in
      byte == wanted || (Self.beginsWord(wanted) && byte | 0x20 == wanted)
    }
  }

  private func error(_ message: String, at byteOffset: Int) -> QueryTextError {
    QueryTextError(.syntax, message, in: text, at: byteOffset)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// Tests whether a byte can begin a word: an ASCII letter, the underscore, or any byte of a character outside of
  /// ASCII.
  private static func beginsWord(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
