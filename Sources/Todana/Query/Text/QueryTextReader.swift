/// A reader of a query's text, with the parts that conditions and sorts share.
struct QueryTextReader {
  let text: String
  private let typeName: String
  private let fields: [String: any FieldAccess]
  private let fieldNames: [String]
  /// The fields in brackets of the text, by their tokens' positions; empty if it has none.
  private var bracketedFields: [Int: any FieldAccess] = [:]
  private let tokens: [QueryToken]
  private var position = 0
  private let arguments: [(any Sendable)?]
  private var usedArgumentCount = 0
  /// The number of parentheses around the current place.
  var depth = 0

  static let depthLimit = 100

  init(_ text: String, of type: StoredObject.Type, arguments: [(any Sendable)?]) throws(QueryTextError) {
    let list = type.fields
    try self.init(
      text, of: StoredObject.unqualifiedName(of: type), list.map(\.name), try Self.checked(list, of: type, in: text),
      arguments)
  }

  /// Makes a reader for a class that the program does not have.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - name: The stored name of the class, for messages.
  ///   - fields: The fields that the text can name, each name once.
  /// - Throws: ``QueryTextError``.
  init(_ text: String, ofClassNamed name: String, fields: [Field]) throws(QueryTextError) {
    let access = Dictionary(fields.map { ($0.name, $0.access) }) { first, _ in first }
    try self.init(text, of: name, fields.map(\.name), access, [])
  }

  /// Makes a reader for a text whose fields are in brackets.
  ///
  /// `field` returns the field of a name. It is called for each field of the text. `words` are fields without brackets.
  init(
    bracketed text: String, of type: StoredObject.Type, arguments: [(any Sendable)?],
    words: [String: any FieldAccess], field: (String) -> any FieldAccess
  ) throws(QueryTextError) {
    try self.init(
      text, of: StoredObject.unqualifiedName(of: type), words.keys.sorted(), words, arguments, hasBracketedFields: true)
    for (position, token) in tokens.enumerated() {
      if case .bracketed(let name) = token.kind { bracketedFields[position] = field(name) }
    }
  }

  private init(
    _ text: String, of typeName: String, _ names: [String], _ fields: [String: any FieldAccess],
    _ arguments: [(any Sendable)?], hasBracketedFields: Bool = false
  ) throws(QueryTextError) {
    var lexer = try QueryTextLexer(text, hasBracketedFields: hasBracketedFields)
    self.text = text
    self.typeName = typeName
    self.fields = fields
    fieldNames = names
    tokens = try lexer.tokens()
    self.arguments = arguments
  }

  private static func checked(
    _ list: [Field], of type: StoredObject.Type, in text: String
  ) throws(QueryTextError) -> [String: any FieldAccess] {
    let typeName = StoredObject.unqualifiedName(of: type)
    var fields: [String: any FieldAccess] = [:]
    for (position, field) in list.enumerated() {
      var problem: String?
      if field.name.isEmpty || field.name.utf8.contains(0) {
        problem = "The name of field \(position + 1) of \(typeName) is empty or contains a NUL."
      } else if !field.access.isProperty(of: type) {
        problem = "The field \"\(field.name)\" of \(typeName) is a property that \(typeName) does not have."
      } else if fields.updateValue(field.access, forKey: field.name) != nil {
        problem = "Two fields of \(typeName) have the name \"\(field.name)\"."
      }
      if let problem { throw QueryTextError(.invalidField, problem, in: text, at: 0) }
    }
    return fields
  }

  // MARK: Tokens

  var next: QueryToken { tokens[position] }

  /// Returns the current token and moves on to the next one; stays at the last one.
  @discardableResult
  mutating func take() -> QueryToken {
    defer { if position < tokens.count - 1 { position += 1 } }
    return tokens[position]
  }

  mutating func take(_ symbol: QueryToken.Symbol) -> Bool {
    guard next.kind == .symbol(symbol) else { return false }
    take()
    return true
  }

  mutating func take(_ keyword: String) -> Bool {
    guard isKeyword(keyword, next) else { return false }
    take()
    return true
  }

  /// Takes the token `[c]`, `[cd]` or `[i]`, if it is the next one.
  mutating func takeFold() -> Folding {
    guard case .fold(let folding) = next.kind else { return .none }
    take()
    return folding
  }

  func isKeyword(_ keyword: String, _ token: QueryToken) -> Bool {
    guard case .word(let word) = token.kind else { return false }
    return word.utf8.count == keyword.utf8.count && Self.uppercased(word) == keyword
  }

  /// Returns a word in upper case; nil if it is too long for a keyword or not in ASCII.
  private static func uppercased(_ word: String) -> String? {
    let bytes = word.utf8
    guard bytes.count <= 10, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    return word.uppercased()
  }

  // MARK: Fields and values

  static let keywords: Set<String> = [
    "AND", "OR", "NOT", "IN", "BETWEEN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "IS", "NULL", "TRUE", "FALSE",
  ]

  func isField(_ token: QueryToken) -> Bool {
    switch token.kind {
    case .name, .bracketed: true
    case .word(let word): Self.uppercased(word).map { !Self.keywords.contains($0) } ?? true
    default: false
    }
  }

  mutating func takeField() throws(QueryTextError) -> NamedField {
    let token = next
    let name: String
    if case .bracketed(let name) = token.kind, let access = bracketedFields[position] {
      take()
      return NamedField(name: name, access: access, token: token)
    }
    switch token.kind {
    case .name(let quoted): name = quoted
    case .word(let word) where isField(token): name = word
    default: throw expected("a field")
    }
    guard let access = fields[name] else {
      let shown = fieldNames.prefix(20).map { "\"\($0)\"" }.joined(separator: ", ")
      let rest = fieldNames.count > 20 ? " and \(fieldNames.count - 20) others" : ""
      let known = fieldNames.isEmpty ? "it declares none (StoredObject.fields)" : "its fields are \(shown)\(rest)"
      throw error(.unknownField, "\(typeName) has no field \"\(name.prefix(80))\"; \(known).", at: token)
    }
    take()
    return NamedField(name: name, access: access, token: token)
  }

  /// Takes a literal or an argument.
  mutating func takeValue() throws(QueryTextError) -> Any? {
    let token = next
    let value: Any?
    switch token.kind {
    case .text(let text): value = text
    case .number(let number): value = number
    case .argument:
      guard usedArgumentCount < arguments.count else { throw wrongArgumentCount(at: token) }
      value = arguments[usedArgumentCount]
      usedArgumentCount += 1
    case .word where isKeyword("TRUE", token): value = true
    case .word where isKeyword("FALSE", token): value = false
    case .word where isKeyword("NULL", token): value = nil
    default: throw expected("a value")
    }
    take()
    return flattened(value)
  }

  /// Throws if the text continues, or if arguments are left.
  func finish() throws(QueryTextError) {
    guard next.kind == .end else { throw expected("the end") }
    guard usedArgumentCount == arguments.count else { throw wrongArgumentCount(at: next) }
  }

  // MARK: Errors

  func error(_ code: QueryTextError.Code, _ message: String, at token: QueryToken) -> QueryTextError {
    QueryTextError(code, message, in: text, at: token.start)
  }

  func expected(_ what: String) -> QueryTextError {
    let found: String
    switch next.kind {
    case .end: found = "the end of the text"
    default:
      let bytes = text.utf8.dropFirst(next.start).prefix(min(next.end - next.start, 40))
      found = String(decoding: bytes, as: UTF8.self)
    }
    return error(.syntax, "Expected \(what), but found \(found).", at: next)
  }

  private func wrongArgumentCount(at token: QueryToken) -> QueryTextError {
    let count = tokens.count { $0.kind == .argument }
    return error(
      .wrongArgumentCount,
      "The text has \(count) question mark\(count == 1 ? "" : "s"), but \(arguments.count) argument"
        + "\(arguments.count == 1 ? " was" : "s were") given.", at: token)
  }
}

/// A field that a text names, with its place.
struct NamedField {
  let name: String
  let access: any FieldAccess
  let token: QueryToken
}
