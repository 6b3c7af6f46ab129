/// The rules by which words of texts and expressions are compared, in addition to folding.
struct TextAnalyzer: Sendable {
  /// The rules for a text without an index of a language: words are compared as they are written.
  static let plain = TextAnalyzer()

  var stemmer: Stemmer?
  /// The folded words that count for nothing in an expression.
  var stopWords: Set<[UInt8]> = []

  /// The words of a text of an expression, with their stems.
  ///
  /// - Returns: The words; nil if the text is too long, or if there is no memory.
  func words(of text: String) -> [TextWord]? {
    AnalyzedText.with(text, stemmer: stemmer) { text in
      let stems = text.stems
      return text.copiedWords.enumerated().map { index, bytes in
        TextWord(bytes: bytes, stem: stems.map { Array($0[index]) })
      }
    }
  }

  func countsForNothing(_ words: [TextWord]) -> Bool { words.allSatisfy { stopWords.contains($0.bytes) } }
}
