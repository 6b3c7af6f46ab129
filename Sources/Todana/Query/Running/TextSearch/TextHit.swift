/// An object of a query with text conditions, with its relevance and the matches in its texts.
public struct TextHit<T: StoredObject> {
  public let object: T
  /// The relevance of the object among those of its class (``TextRank/relevance``): 0 or more, higher if it fits better.
  public let score: Double

  private let searches: [MatchesTest]

  init(object: T, score: Double, searches: [MatchesTest]) {
    self.object = object
    self.score = score
    self.searches = searches
  }

  /// Returns the parts of a text that the query's text conditions describe.
  ///
  /// Parts after `!` and `-` do not count. A prefix or suffix of a word, and a word with changes, gives the whole word.
  ///
  /// - Parameter keyPath: A property that a condition searches. The ranges belong to its value at the time of the call.
  /// - Returns: The ranges in ascending order, which end at characters and do not overlap; none if the property is nil,
  ///   or if no condition searches it.
  /// - Complexity: O(length of the text).
  public func ranges<Text: OptionalText>(in keyPath: KeyPath<T, Text>) -> [Range<String.Index>] {
    guard let text = object[keyPath: keyPath].optionalText else { return [] }
    return MatchedText(text, matches(in: text, of: keyPath)).ranges
  }

  /// Returns the part of a text with the most matches, which are marked.
  ///
  /// ```swift
  /// hit.snippet(of: \.lyrics, open: "<b>", close: "</b>")
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: A property that a condition searches; of a list of texts, the one with the most matches counts.
  ///   - open: The mark before each match.
  ///   - close: The mark after each match.
  ///   - length: The maximum number of characters of the text, without marks.
  /// - Returns: The part, with "…" where text is left out; its beginning, if there are no matches.
  /// - Complexity: O(length of the text).
  public func snippet<Text: IndexedText>(
    of keyPath: KeyPath<T, Text>, open: String, close: String, length: Int = 160
  ) -> String {
    var best: TextSnippet?
    for text in object[keyPath: keyPath].indexedTexts {
      let snippet = TextSnippet(of: MatchedText(text, matches(in: text, of: keyPath)), length: max(0, length))
      if best.map({ snippet.weight > $0.weight }) ?? true { best = snippet }
    }
    return best?.marked(open, close) ?? ""
  }

  private func matches(in text: String, of keyPath: PartialKeyPath<T>) -> [MatchedText.Match] {
    let path = PropertyPath(unshared: keyPath)
    var matches: [MatchedText.Match] = []
    for (number, search) in searches.enumerated() where search.searches(path) {
      // A text that is too long for a search has no matches.
      for match in search.plan.matches(in: text) ?? [] {
        matches.append(MatchedText.Match(term: [number, match.term], range: match.range))
      }
    }
    return matches
  }
}
