import CUnicode

/// The words that a person may have meant by the beginning of a word: longer words, and similar ones.
///
/// A word of 3 to 5 letters may have one change, and a longer one two.
struct WordCompletion {
  let beginning: [UInt8]
  /// The word with one change, with two changes, or with neither if it is short.
  private let corrections: [FuzzyWord]

  /// A word that was found, and how far it is from the beginning.
  struct Found {
    /// The number of changes; 0 for a word that begins with the given one.
    let editCount: Int
    var count: Int
  }

  /// The words that were counted.
  private(set) var found: [[UInt8]: Found] = [:]

  /// The most changes of a word.
  var mostEdits: Int { corrections.count }

  /// - Returns: nil if the text has no words, or does not end with one.
  init?(of text: String) {
    let last: [UInt8]?? = AnalyzedText.with(text, trims: false) { text in
      guard let word = unsafe text.words.last, unsafe Int(word.end) == text.bytes.count else { return nil }
      return unsafe Array(text.bytes(of: word))
    }
    guard let word = last ?? nil else { return nil }
    beginning = word
    let letterCount = String(decoding: word, as: UTF8.self).unicodeScalars.count
    corrections = (0..<(letterCount < 3 ? 0 : letterCount < 6 ? 1 : 2)).map { FuzzyWord(word, edits: $0 + 1) }
  }

  /// Counts the words of an object's texts, each once.
  ///
  /// - Parameters:
  ///   - texts: The texts.
  ///   - bound: Words with so many bytes or fewer do not count.
  /// - Returns: false if a text is too long, or if there is no memory.
  mutating func count(_ texts: [TextList], longerThan bound: Int = 0) -> Bool {
    var counted: Set<[UInt8]> = []
    for texts in texts {
      let isCounted = texts.allSatisfy { text in
        let isAnalyzed: Void? = AnalyzedText.with(text) { text in
          let words = unsafe text.words
          for number in 0..<words.count {
            let bytes = unsafe text.bytes(of: words[number])
            guard bytes.count > bound, let editCount = unsafe editCount(of: bytes) else { continue }
            let copy = unsafe Array(bytes)
            if !counted.insert(copy).inserted { continue }
            found[copy, default: Found(editCount: editCount, count: 0)].count += 1
          }
        }
        return isAnalyzed != nil
      }
      if !isCounted { return false }
    }
    return true
  }

  /// Returns how far a word is from the beginning; nil if it is too far.
  func editCount(of word: UnsafeRawBufferPointer) -> Int? {
    if unsafe beginning.withUnsafeBytes({ unsafe TextMatch.prefix.holds(word, $0) }) { return 0 }
    return corrections.firstIndex { unsafe $0.matches(word) }.map { $0 + 1 }
  }

  /// A word with the number of the objects that have it.
  struct Word: Equatable {
    let bytes: [UInt8]
    var count: Int

    /// Whether the word is suggested before another one with as many changes.
    func comes(before other: Word) -> Bool {
      count != other.count ? count > other.count : bytes.lexicographicallyPrecedes(other.bytes)
    }
  }

  /// Returns the counted words: longer ones before similar ones, then those with fewer changes, then frequent ones.
  func best(_ limit: Int) -> [Word] {
    let words = (0...mostEdits).flatMap { editCount in
      found.lazy.filter { $0.value.editCount == editCount }.map { Word(bytes: $0.key, count: $0.value.count) }
        .sorted { $0.comes(before: $1) }
    }
    return Array(words.prefix(limit))
  }
}
