/// A word of a term, prepared for tests of the words of texts.
struct TextWord: Sendable {
  enum Part: Sendable {
    case whole, beginning, end
    case changed(FuzzyWord)
  }

  let bytes: [UInt8]
  /// The stem of the word; nil without a language.
  var stem: [UInt8]?
  /// The part of a text's word that the word is.
  var part = Part.whole

  /// Tests whether a word of a text is what the word describes, or has its stem.
  @inline(__always)
  func matches(_ word: UnsafeRawBufferPointer, stem: @autoclosure () -> ArraySlice<UInt8>?) -> Bool {
    if unsafe matchesAsWritten(word) { return true }
    guard let wanted = self.stem, let stem = stem() else { return false }
    return stem.elementsEqual(wanted)
  }

  private func matchesAsWritten(_ word: UnsafeRawBufferPointer) -> Bool {
    switch part {
    case .whole: unsafe word.count == bytes.count && bytes.withUnsafeBytes { unsafe Bytes.areEqual(word, from: 0, $0) }
    case .beginning: unsafe bytes.withUnsafeBytes { unsafe TextMatch.prefix.holds(word, $0) }
    case .end: unsafe bytes.withUnsafeBytes { unsafe TextMatch.suffix.holds(word, $0) }
    case .changed(let fuzzy): unsafe fuzzy.matches(word)
    }
  }

  /// Tests whether a text may have the word, by its bytes.
  ///
  /// Most texts do not even contain the letters, so that their words need not be found.
  func mayBe(in text: UnsafeRawBufferPointer) -> Bool {
    if stem != nil { return true }
    if case .changed = part { return true }
    return unsafe bytes.withUnsafeBytes { unsafe TextMatch.contains.holds(text, $0) }
  }
}
