extension TextExpression {
  /// Creates an expression from a text in the grammar of Tokyo Dystopia, the text index of BNRPersistence.
  ///
  /// | text | finds texts that |
  /// |---|---|
  /// | `blue`, `"kind of"` | contain this, also within words |
  /// | `[[blue]]` | have this between spaces; punctuation belongs to what is between them |
  /// | `[[gre*]]`, `[[*een]]`, `[[*ree*]]` | have something between spaces that begins or ends like this; contain this |
  /// | `[[[[kind of`, `of blue]]]]` | begin with this, which goes on to `]]` or to the end; end with this |
  /// | `a b`, `a && b` | have both |
  /// | `a \|\| b` | have one of them; binds more tightly than the others |
  /// | `a !! b` | have the first, but not the second; an expression that begins with `!!` finds nothing |
  ///
  /// Case and accents do not count, and spaces of any kind and number count as one. `docs/formats/text-search.md` has
  /// the grammar.
  ///
  /// - Throws: ``TextExpressionError`` for a NUL character, at which Tokyo Dystopia stops reading.
  public init(dystopia text: String) throws(TextExpressionError) {
    if let position = text.unicodeScalars.enumerated().first(where: { $0.element == "\0" })?.offset {
      throw TextExpressionError(position: position, message: "The expression has a NUL character")
    }
    self.init(DystopiaParser(text).node)
  }
}

/// The parser of ``TextExpression/init(dystopia:)``, with the results of `tcidbsearch2` of Tokyo Dystopia 0.9.15.
struct DystopiaParser {
  private let scalars: [Unicode.Scalar]

  init(_ text: String) { scalars = Array(Self.squeezed(text).unicodeScalars) }

  /// A node that finds nothing.
  private static var never: TextNode { .not(.term(.substring, "")) }

  var node: TextNode {
    let terms = terms
    // A single term is never an operator.
    if terms.count == 1 { return Self.node(of: terms[0]) }
    var parts: [TextNode] = []
    var isExcluded = false
    var index = 0
    while index < terms.count {
      switch String(String.UnicodeScalarView(terms[index])) {
      case "&&", "||": isExcluded = false
      case "!!": isExcluded = true
      default:
        var alternatives = [Self.node(of: terms[index])]
        // The term after || is a term, even if it looks like an operator.
        while index + 2 < terms.count, terms[index + 1] == ["|", "|"] {
          alternatives.append(Self.node(of: terms[index + 2]))
          index += 2
        }
        let part = TextNode.joinAny(alternatives)
        // An exclusion at the beginning leaves nothing.
        if isExcluded, parts.isEmpty { return Self.never }
        parts.append(isExcluded ? .not(part) : part)
        isExcluded = false
      }
      index += 1
    }
    return parts.isEmpty ? Self.never : .joinAll(parts)
  }

  // MARK: Terms

  private var terms: [[Unicode.Scalar]] {
    var terms: [[Unicode.Scalar]] = []
    var position = 0
    func has(_ scalar: Unicode.Scalar, at index: Int) -> Bool { index < scalars.count && scalars[index] == scalar }
    while position < scalars.count {
      let start = position
      if scalars[position] == " " {
        position += 1
        continue
      }
      if scalars[position] == "\"" {
        position += 1
        while position < scalars.count {
          let isQuote = scalars[position] == "\""
          position += 1
          guard isQuote else { continue }
          // Two marks are one that belongs to the text.
          guard has("\"", at: position) else { break }
          position += 1
        }
      } else if scalars[position] == "[", has("[", at: position + 1) {
        position += 2
        while position < scalars.count, !(scalars[position] == "]" && has("]", at: position + 1)) { position += 1 }
        position = min(position + 2, scalars.count)
      } else {
        position += 1
        while position < scalars.count, scalars[position] != " ", scalars[position] != "\"" { position += 1 }
      }
      terms.append(Array(scalars[start..<position]))
    }
    return terms
  }

  private static func node(of term: [Unicode.Scalar]) -> TextNode {
    if term.first == "\"" { return substring(unquoted(term)[...]) }
    guard term.count >= 4 else { return substring(term[...]) }
    let opening: [Unicode.Scalar] = ["[", "["], closing: [Unicode.Scalar] = ["]", "]"]
    if term.starts(with: opening + opening) {
      let text = text(term.suffix(2) == closing[...] && term.count >= 6 ? term[4..<term.count - 2] : term[4...])
      return text.isEmpty ? never : .term(.beginning, text)
    }
    if term.suffix(4) == (closing + closing)[...] {
      let text = text(term.dropLast(4))
      return text.isEmpty ? never : .term(.end, text)
    }
    guard term.starts(with: opening), term.suffix(2) == closing[...] else { return substring(term[...]) }
    var word = term[2..<term.count - 2]
    let isSuffix = word.first == "*"
    if isSuffix { word = word.dropFirst() }
    let isPrefix = word.last == "*"
    if isPrefix { word = word.dropLast() }
    return token(text(word), isPrefix: isPrefix, isSuffix: isSuffix)
  }

  private static func substring(_ term: ArraySlice<Unicode.Scalar>) -> TextNode {
    let text = text(term)
    return text.isEmpty ? never : .term(.substring, text)
  }

  /// Returns a node for what stands between spaces, or begins or ends there.
  private static func token(_ text: String, isPrefix: Bool, isSuffix: Bool) -> TextNode {
    switch (isPrefix, isSuffix) {
    case _ where text.isEmpty: never
    case (true, true): .term(.substring, text)
    case (true, false): .any([.term(.beginning, text), .term(.substring, " " + text)])
    case (false, true): .any([.term(.end, text), .term(.substring, text + " ")])
    case (false, false):
      .any([
        .term(.whole, text), .term(.beginning, text + " "), .term(.end, " " + text),
        .term(.substring, " " + text + " "),
      ])
    }
  }

  /// Returns the text of a term in quotation marks.
  ///
  /// If marks follow each other, the text has all of them but one.
  private static func unquoted(_ term: [Unicode.Scalar]) -> [Unicode.Scalar] {
    term.indices.dropFirst().compactMap { index in
      if term[index] != "\"" { return term[index] }
      return index + 1 < term.count && term[index + 1] == "\"" ? "\"" : nil
    }
  }

  /// Returns the text of a term; an empty one if nothing is left of it by folding.
  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    let text = squeezed(String(String.UnicodeScalarView(scalars)))
    return TextFolding.fold(text).isEmpty ? "" : text
  }

  /// Returns a text with single spaces, and none at both ends.
  private static func squeezed(_ text: String) -> String {
    text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }.joined(separator: " ")
  }
}
