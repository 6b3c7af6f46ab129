import CUnicode

/// A term of a text expression, prepared for tests of texts.
enum TextTerm: Sendable {
  /// Words, one after the other; the first may be the end of a word, the last the beginning of one.
  case words([[UInt8]], firstIsSuffix: Bool = false, lastIsPrefix: Bool = false)
  case contains([UInt8])
  case begins([UInt8])
  case ends([UInt8])
  case equals([UInt8])
  /// Words, one after the other, each with some changes.
  case fuzzy([FuzzyWord])
  /// Phrases, with at most so many words between the end of the first and the beginning of the last.
  case near([[[UInt8]]], distance: Int)
  case regularExpression(RegularExpression)

  /// Tests whether a text has the term.
  func matches(_ text: borrowing AnalyzedText) -> Bool {
    switch self {
    case .words(let wanted, let firstIsSuffix, let lastIsPrefix):
      // Most texts do not even contain the letters, so their words need not be found.
      guard wanted.allSatisfy({ unsafe Self.contains(text.bytes, $0) }) else { return false }
      return Self.firstPlace(of: wanted, firstIsSuffix, lastIsPrefix, in: text, from: 0) != nil
    case .contains(let part): return unsafe Self.contains(text.bytes, part)
    case .begins(let part):
      return unsafe part.withUnsafeBytes { unsafe TextMatch.prefix.holds(text.bytes, $0) }
    case .ends(let part):
      return unsafe part.withUnsafeBytes { unsafe TextMatch.suffix.holds(text.bytes, $0) }
    case .equals(let whole):
      return unsafe text.bytes.count == whole.count && Self.contains(text.bytes, whole)
    case .fuzzy(let wanted): return Self.has(wanted, in: text)
    case .near(let phrases, let distance):
      guard phrases.allSatisfy({ $0.allSatisfy { unsafe Self.contains(text.bytes, $0) } }) else { return false }
      return Self.areNear(phrases, distance: distance, in: text)
    case .regularExpression(let expression): return unsafe expression.firstMatch(in: text.bytes) != nil
    }
  }

  private static func contains(_ text: UnsafeRawBufferPointer, _ part: [UInt8]) -> Bool {
    unsafe part.withUnsafeBytes { unsafe TextMatch.contains.holds(text, $0) }
  }

  /// Returns the number of the word at which the first place of some words begins.
  private static func firstPlace(
    of wanted: [[UInt8]], _ firstIsSuffix: Bool, _ lastIsPrefix: Bool, in text: borrowing AnalyzedText, from start: Int
  ) -> Int? {
    let words = unsafe text.words
    guard wanted.count <= words.count else { return nil }
    for place in start..<max(start, words.count - wanted.count + 1) {
      var isFound = true
      for index in wanted.indices where isFound {
        let word = unsafe text.bytes(of: words[place + index])
        isFound = unsafe wanted[index].withUnsafeBytes { part in
          if index == 0, firstIsSuffix { return unsafe TextMatch.suffix.holds(word, part) }
          if index == wanted.count - 1, lastIsPrefix { return unsafe TextMatch.prefix.holds(word, part) }
          return unsafe word.count == part.count && Bytes.areEqual(word, from: 0, part)
        }
      }
      if isFound { return place }
    }
    return nil
  }

  private static func has(_ wanted: [FuzzyWord], in text: borrowing AnalyzedText) -> Bool {
    let words = unsafe text.words
    guard wanted.count <= words.count else { return false }
    for place in 0..<words.count - wanted.count + 1 {
      let isFound = wanted.indices.allSatisfy { index in
        unsafe wanted[index].matches(text.bytes(of: words[place + index]))
      }
      if isFound { return true }
    }
    return false
  }

  /// Tests whether phrases are near each other as `NEAR` of SQLite's FTS5 defines it.
  ///
  /// The places of each phrase are followed in ascending order. Those that are too far before the last one are left.
  private static func areNear(_ phrases: [[[UInt8]]], distance: Int, in text: borrowing AnalyzedText) -> Bool {
    var places: [Int] = []
    for phrase in phrases {
      guard let place = firstPlace(of: phrase, false, false, in: text, from: 0) else { return false }
      places.append(place)
    }
    while true {
      let last = places.max() ?? 0
      guard let index = places.indices.first(where: { last - places[$0] - phrases[$0].count > distance }) else {
        return true
      }
      let least = max(places[index] + 1, last - phrases[index].count - distance)
      guard let next = firstPlace(of: phrases[index], false, false, in: text, from: least) else { return false }
      places[index] = next
    }
  }
}
