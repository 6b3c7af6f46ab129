import CUnicode

/// A term of a text expression, prepared for tests of texts.
enum TextTerm: Sendable {
  /// Words, one after the other.
  case words([TextWord])
  case contains([UInt8])
  case begins([UInt8])
  case ends([UInt8])
  case equals([UInt8])
  /// Phrases, with at most so many words between the end of the first and the beginning of the last.
  case near([[TextWord]], distance: Int)
  case regularExpression(RegularExpression)

  /// The number of phrases whose frequency counts for the relevance.
  var phraseCount: Int {
    if case .near(let phrases, _) = self { return phrases.count }
    return 1
  }

  /// The phrases whose frequency counts for the relevance, each as a term.
  var phrases: [TextTerm] {
    if case .near(let phrases, _) = self { return phrases.map { .words($0) } }
    return [self]
  }

  /// Tests whether a text has the term; `words` are its words, if they are known.
  func matches(_ text: borrowing AnalyzedText, _ words: WordSet? = nil) -> Bool {
    switch self {
    case .words(let wanted):
      if let words, !wanted.allSatisfy(words.mayHave) { return false }
      // By index, because copies of the words would cost time.
      for index in wanted.indices where unsafe !wanted[index].mayBe(in: text.bytes) { return false }
      return text.firstPlace(of: wanted, from: 0) != nil
    case .contains(let part): return unsafe Self.contains(text.bytes, part)
    case .begins(let part):
      return unsafe part.withUnsafeBytes { unsafe TextMatch.prefix.holds(text.bytes, $0) }
    case .ends(let part):
      return unsafe part.withUnsafeBytes { unsafe TextMatch.suffix.holds(text.bytes, $0) }
    case .equals(let whole):
      return unsafe text.bytes.count == whole.count && Self.contains(text.bytes, whole)
    case .near(let phrases, let distance):
      guard phrases.allSatisfy({ $0.allSatisfy { unsafe $0.mayBe(in: text.bytes) } }) else { return false }
      return NearPlaces(of: phrases.map { text.places(of: $0) }, phrases.map(\.count), distance: distance).exist
    case .regularExpression(let expression): return unsafe expression.firstMatch(in: text.bytes) != nil
    }
  }

  private static func contains(_ text: UnsafeRawBufferPointer, _ part: [UInt8]) -> Bool {
    unsafe part.withUnsafeBytes { unsafe TextMatch.contains.holds(text, $0) }
  }

  /// Calls back with the number of each phrase that a text has, whether it has the others or not.
  func forEachPhrase(in text: borrowing AnalyzedText, _ words: WordSet? = nil, _ body: (Int) -> Void) {
    guard case .near(let phrases, _) = self else {
      if matches(text, words) { body(0) }
      return
    }
    for (number, phrase) in phrases.enumerated() where text.firstPlace(of: phrase, from: 0) != nil { body(number) }
  }

  /// Calls back with each match in a text: the number of the phrase, and a range of bytes of the folded text.
  ///
  /// Matches of words may overlap, those of parts do not.
  func forEachMatch(in text: borrowing AnalyzedText, _ body: (Int, Range<Int>) -> Void) {
    let count = unsafe text.bytes.count
    switch self {
    case .words(let wanted):
      for place in text.places(of: wanted) { body(0, text.range(ofWords: place..<place + wanted.count)) }
    case .near(let phrases, let distance):
      let lengths = phrases.map(\.count)
      let places = NearPlaces(of: phrases.map { text.places(of: $0) }, lengths, distance: distance).all
      for (number, places) in places.enumerated() {
        for place in places { body(number, text.range(ofWords: place..<place + lengths[number])) }
      }
    case .contains(let part):
      guard !part.isEmpty else { return }
      var start = 0
      unsafe part.withUnsafeBytes { part in
        while let found = unsafe Bytes.firstIndex(of: part, in: text.bytes, from: start) {
          body(0, found..<found + part.count)
          start = found + part.count
        }
      }
    case .begins(let part): if !part.isEmpty, matches(text) { body(0, 0..<part.count) }
    case .ends(let part): if !part.isEmpty, matches(text) { body(0, count - part.count..<count) }
    case .equals: if count > 0, matches(text) { body(0, 0..<count) }
    case .regularExpression(let expression):
      var start = 0
      while start <= count, let found = unsafe expression.firstMatch(in: text.bytes, from: start) {
        if !found.isEmpty { body(0, found) }
        start = found.isEmpty ? text.nextScalar(after: found.upperBound) : found.upperBound
      }
    }
  }
}

extension AnalyzedText {
  /// Returns the number of the word at which the first place of some words begins.
  func firstPlace(of wanted: [TextWord], from start: Int) -> Int? {
    let words = unsafe words
    guard wanted.count <= words.count else { return nil }
    for place in start..<max(start, words.count - wanted.count + 1) {
      var isFound = true
      for index in wanted.indices where isFound {
        let number = place + index
        isFound = unsafe wanted[index].matches(bytes(of: words[number]), stem: stems?[number])
      }
      if isFound { return place }
    }
    return nil
  }

  /// Returns the numbers of the words at which some words begin, in ascending order.
  func places(of wanted: [TextWord]) -> [Int] {
    var places: [Int] = []
    var start = 0
    while let place = firstPlace(of: wanted, from: start) {
      places.append(place)
      start = place + 1
    }
    return places
  }

  /// Returns the bytes of the folded text from the first to the last of some words.
  func range(ofWords numbers: Range<Int>) -> Range<Int> {
    let words = unsafe words
    return unsafe Int(words[numbers.lowerBound].start)..<Int(words[numbers.upperBound - 1].end)
  }

  fileprivate func nextScalar(after position: Int) -> Int {
    var next = position + 1
    while unsafe next < bytes.count && bytes[next] & 0xC0 == 0x80 { next += 1 }
    return next
  }
}
