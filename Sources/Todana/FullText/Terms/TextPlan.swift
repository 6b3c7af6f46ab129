/// A text expression, prepared for tests of texts.
struct TextPlan: Sendable {
  /// The combination of the terms, by their numbers.
  indirect enum Tree: Sendable {
    case term(Int)
    case all([Tree])
    case any([Tree])
    case not(Tree)

    func holds(_ found: [Bool]) -> Bool { holds { found[$0] } }

    /// Tests terms until the result is clear.
    func holds(_ isFound: (Int) -> Bool) -> Bool {
      switch self {
      case .term(let number): isFound(number)
      case .all(let trees): trees.allSatisfy { $0.holds(isFound) }
      case .any(let trees): trees.contains { $0.holds(isFound) }
      case .not(let tree): !tree.holds(isFound)
      }
    }

    /// The terms outside of `not`, by their numbers.
    var wanted: [Int] { terms { _ in true } }

    /// Returns the terms whose frequency counts for the relevance: those outside of `not`, and in no part of the
    /// expression that the texts do not have.
    func relevant(_ found: [Bool]) -> [Int] { terms { $0.holds(found) } }

    private func terms(where isCounted: (Tree) -> Bool) -> [Int] {
      if !isCounted(self) { return [] }
      switch self {
      case .term(let number): return [number]
      case .all(let trees), .any(let trees): return trees.flatMap { $0.terms(where: isCounted) }
      case .not: return []
      }
    }
  }

  let analyzer: TextAnalyzer
  private(set) var terms: [TextTerm] = []
  /// The reason why the expression cannot be carried out; nil if it can.
  private(set) var problem: String?
  /// The combination; nil if no part has words, which finds nothing.
  private(set) var tree: Tree?
  /// Whether the expression is a single term.
  private var hasOneTerm = false
  /// Whether there are so many words that it is faster to look them up than to search the text for each.
  var hasManyWords: Bool { terms.count > 64 }

  /// The most words of a phrase, because the time of a search grows with it.
  static let phraseLimit = 1000

  init(_ expression: TextExpression, _ analyzer: TextAnalyzer = .plain) {
    self.analyzer = analyzer
    if expression.isTooDeep {
      problem = "The text expression is nested more than \(TextExpression.depthLimit) levels deep."
      return
    }
    tree = tree(of: expression.node)
    if case .term = tree { hasOneTerm = true }
  }

  /// Tests whether the texts of one object have what the expression describes.
  ///
  /// Terms may be found in different texts, but each within one.
  ///
  /// - Returns: The result; nil if a text is too long, or if there is no memory.
  func holds(for texts: TextList) -> Bool? {
    guard let tree else { return false }
    if case .one(let text) = texts {
      return AnalyzedText.with(text, stemmer: analyzer.stemmer) { text in
        if hasOneTerm { return terms[0].matches(text) }
        let words = hasManyWords ? WordSet(of: text) : nil
        return tree.holds { terms[$0].matches(text, words) }
      }
    }
    var found = [Bool](repeating: false, count: terms.count)
    let isSearched = texts.allSatisfy { search($0, &found) }
    return isSearched ? tree.holds(found) : nil
  }

  /// Notes the terms that a text has.
  private func search(_ text: String, _ found: inout [Bool]) -> Bool {
    let isAnalyzed: Void? = AnalyzedText.with(text, stemmer: analyzer.stemmer) { text in
      let words = hasManyWords ? WordSet(of: text) : nil
      for number in terms.indices where !found[number] { found[number] = terms[number].matches(text, words) }
    }
    return isAnalyzed != nil
  }

  // MARK: Preparation

  /// Returns the combination of a node's terms; nil if it has no words.
  private mutating func tree(of node: TextNode) -> Tree? {
    switch node {
    case .all(let nodes): return joined(nodes, Tree.all)
    case .any(let nodes): return joined(nodes, Tree.any)
    case .not(let node): return tree(of: node).map(Tree.not)
    case .term, .fuzzy, .near, .regularExpression:
      guard let term = term(of: node) else { return nil }
      terms.append(term)
      return .term(terms.count - 1)
    }
  }

  private mutating func joined(_ nodes: [TextNode], _ join: ([Tree]) -> Tree) -> Tree? {
    let trees = nodes.compactMap { tree(of: $0) }
    return trees.count < 2 ? trees.first : join(trees)
  }

  private mutating func term(of node: TextNode) -> TextTerm? {
    switch node {
    case .term(let kind, let text): return term(kind, text)
    case .fuzzy(let text, let edits):
      guard (1...2).contains(edits) else {
        problem = "A fuzzy word may have 1 or 2 changes, not \(edits)."
        return nil
      }
      let words = words(of: text).map { word in
        TextWord(bytes: word.bytes, part: .changed(FuzzyWord(word.bytes, edits: edits)))
      }
      return words.isEmpty ? nil : .words(words)
    case .near(let texts, let distance):
      if distance < 0 {
        problem = "The distance of words near each other is \(distance), but must not be negative."
        return nil
      }
      let phrases = texts.map { words(of: $0) }.filter { !analyzer.countsForNothing($0) }
      return phrases.isEmpty ? nil : phrases.count == 1 ? .words(phrases[0]) : .near(phrases, distance: distance)
    case .regularExpression(let pattern):
      do throws(RegularExpression.Invalid) {
        return .regularExpression(try RegularExpression(pattern))
      } catch {
        problem = "The regular expression \(describe(pattern)) is invalid: \(error.reason)"
        return nil
      }
    case .all, .any, .not: return nil
    }
  }

  private mutating func term(_ kind: TextNode.Term, _ text: String) -> TextTerm? {
    switch kind {
    case .substring: return .contains(folded(text, trims: false))
    case .beginning: return .begins(folded(text, trims: false))
    case .end: return .ends(folded(text, trims: false))
    case .whole: return .equals(folded(text, trims: false))
    case .word, .phrase:
      let words = words(of: text)
      return analyzer.countsForNothing(words) ? nil : .words(words)
    case .prefix:
      var words = words(of: text)
      guard !words.isEmpty else { return nil }
      words[words.count - 1].part = .beginning
      return .words(words)
    case .suffix:
      var words = words(of: text)
      guard !words.isEmpty else { return nil }
      words[0].part = .end
      words[0].stem = nil
      return .words(words)
    }
  }

  private mutating func words(of text: String) -> [TextWord] {
    let words = required(analyzer.words(of: text)) ?? []
    guard words.count <= Self.phraseLimit else {
      problem = "A phrase has \(words.count) words, but at most \(Self.phraseLimit) are allowed."
      return []
    }
    return words
  }

  private mutating func folded(_ text: String, trims: Bool) -> [UInt8] {
    required(AnalyzedText.with(text, trims: trims) { text in unsafe Array(text.bytes) }) ?? []
  }

  private mutating func required<Result>(_ result: Result?) -> Result? {
    if result == nil { problem = "A text of the expression is too long." }
    return result
  }
}
