/// The object of a text condition: words, phrases, parts of texts, and combinations of them.
///
/// ```swift
/// let typed = TextExpression(typed: "blue gre")                  // as a person types
/// let parsed = try TextExpression(parsing: "choice* OR \"source code\" NEAR/3 tree")
/// let built: TextExpression = .prefix("blu") && !.phrase("so what") || .fuzzy("grene")
/// try store.fetch(Song.where { $0.title.matches(typed) })
/// ```
///
/// Case, accents and compatibility forms never matter: `"ecoute"` finds `"ÉCOUTE"`, and `"fi"` finds `"ﬁ"`. A text is
/// divided into words by the rules of Unicode Standard Annex 29. Chinese and Japanese texts have no spaces, so there each
/// character is a word, and several characters are a phrase. They are found wherever they stand.
///
/// A text without any words, such as `"!"` or an empty one, finds nothing by itself, and does not restrict an expression
/// that it is part of.
///
/// ``description`` has the syntax of ``init(parsing:)``, and parsing it gives an equal expression, unless a query refuses
/// it.
public struct TextExpression: Sendable, Hashable, ExpressibleByStringLiteral {
  let node: TextNode
  /// The number of levels of nested expressions, at most one more than the limit.
  private let depth: Int

  /// The deepest nesting that a query accepts, because carrying it out is recursive.
  ///
  /// A deeper expression is not kept, and its query throws an error.
  static let depthLimit = 200

  var isTooDeep: Bool { depth > Self.depthLimit }

  /// Makes an expression of a parser's result, whose depth the parser limits.
  init(_ node: TextNode) { self.init(node, depth: node.depth) }

  private init(_ node: TextNode, depth: Int) {
    self.node = depth > Self.depthLimit ? .nothing : node
    self.depth = min(depth, Self.depthLimit + 1)
  }

  /// Creates an expression from a text as typed by a person, as ``init(typed:)`` does.
  public init(stringLiteral text: String) { self.init(typed: text) }

  public static func == (lhs: TextExpression, rhs: TextExpression) -> Bool {
    lhs.node == rhs.node && lhs.isTooDeep == rhs.isTooDeep
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(node) }

  // MARK: Terms

  /// Finds texts with a word.
  ///
  /// If the text has several words, they must follow each other.
  public static func word(_ text: String) -> TextExpression { TextExpression(.make(.word, text)) }

  /// Finds texts with a word that begins like this.
  ///
  /// If the text has several words, they must follow each other, and the last is the beginning of a word.
  public static func prefix(_ text: String) -> TextExpression { TextExpression(.make(.prefix, text)) }

  /// Finds texts with a word that ends like this.
  ///
  /// If the text has several words, they must follow each other, and the first is the end of a word.
  public static func suffix(_ text: String) -> TextExpression { TextExpression(.make(.suffix, text)) }

  /// Finds texts that contain this text anywhere, also within words and across spaces.
  ///
  /// Spaces of any kind and number count as one. Every text contains the empty one.
  public static func substring(_ text: String) -> TextExpression { TextExpression(.make(.substring, text)) }

  /// Finds texts with these words, one after the other.
  public static func phrase(_ text: String) -> TextExpression { TextExpression(.make(.phrase, text)) }

  /// Finds texts that have a word like this, with few letters changed.
  ///
  /// - Parameters:
  ///   - text: The word. If it has several words, each may differ.
  ///   - edits: The most changes, 1 or 2. A change inserts, removes or replaces a letter, or exchanges two adjacent
  ///     ones. With another number, the query throws ``StoreError/Code/invalidQuery``.
  /// - Returns: The expression.
  public static func fuzzy(_ text: String, edits: Int = 1) -> TextExpression {
    TextExpression(text.isEmpty && (1...2).contains(edits) ? .nothing : .fuzzy(text, edits: edits))
  }

  /// Finds texts that have all of these words or phrases close together, in any order.
  ///
  /// - Parameters:
  ///   - words: The words, or phrases of several words.
  ///   - distance: The most words between the end of each of them and the beginning of the last one. If it is negative,
  ///     the query throws ``StoreError/Code/invalidQuery``.
  /// - Returns: The expression.
  public static func near(_ words: String..., within distance: Int) -> TextExpression {
    TextExpression(.makeNear(words, distance: distance))
  }

  /// Finds texts that contain a match of a regular expression.
  ///
  /// The expression is applied to the text without case, accents and compatibility forms, so it must have no accents
  /// itself: `ecole` finds `"École"`. Its case does not count. The syntax is that of RE2. An invalid expression makes the query throw ``StoreError/Code/invalidQuery``.
  public static func regularExpression(_ text: String) -> TextExpression {
    TextExpression(.regularExpression(RegexText.normalized(text)))
  }

  // MARK: Combinations

  /// Finds texts that both expressions find.
  public static func && (lhs: TextExpression, rhs: TextExpression) -> TextExpression {
    TextExpression(.joinAll([lhs.node, rhs.node]), depth: 1 + max(lhs.depthWithinAll, rhs.depthWithinAll))
  }

  /// Finds texts that one of the expressions finds, or both.
  public static func || (lhs: TextExpression, rhs: TextExpression) -> TextExpression {
    TextExpression(.joinAny([lhs.node, rhs.node]), depth: 1 + max(lhs.depthWithinAny, rhs.depthWithinAny))
  }

  /// Finds texts that the expression does not find.
  public static prefix func ! (expression: TextExpression) -> TextExpression {
    TextExpression(.not(expression.node), depth: 1 + expression.depth)
  }

  // Joining expressions of the same kind does not add a level.

  private var depthWithinAll: Int {
    if case .all = node { return depth - 1 }
    return depth
  }

  private var depthWithinAny: Int {
    if case .any = node { return depth - 1 }
    return depth
  }
}

extension TextExpression: CustomStringConvertible {
  /// The expression in the syntax of ``init(parsing:)``.
  public var description: String { node.description }
}
