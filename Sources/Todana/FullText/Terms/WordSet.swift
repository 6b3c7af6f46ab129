/// The words of a text and their stems, for lookups.
struct WordSet {
  private var words: Set<[UInt8]> = []
  private var stems: Set<[UInt8]> = []

  init(of text: borrowing AnalyzedText) {
    words = Set(text.copiedWords)
    guard let all = text.stems else { return }
    for number in unsafe 0..<text.words.count { stems.insert(Array(all[number])) }
  }

  /// Tests whether the text may have a word of a term; false is certain.
  func mayHave(_ word: TextWord) -> Bool {
    guard case .whole = word.part else { return true }
    return words.contains(word.bytes) || word.stem.map(stems.contains) ?? false
  }
}
