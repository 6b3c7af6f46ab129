import CUnicode
import Foundation

extension TextPlan {
  /// The numbers of objects and words that the relevance of a text condition depends on.
  struct Statistics: Sendable {
    var objectCount = 0
    var wordCount = 0
    /// The number of objects that have each phrase.
    var phraseCounts: [Int]

    var averageWordCount: Double { Double(wordCount) / max(1, Double(objectCount)) }

    /// Returns the factor of a phrase in the relevance.
    func rarity(ofPhrase number: Int) -> Double {
      let hitCount = Double(phraseCounts[number])
      let rarity = log((Double(objectCount) - hitCount + 0.5) / (hitCount + 0.5))
      return rarity > 0 ? rarity : 1e-6
    }

    mutating func add(_ other: Statistics) {
      objectCount += other.objectCount
      wordCount += other.wordCount
      for number in phraseCounts.indices { phraseCounts[number] += other.phraseCounts[number] }
    }
  }

  var phraseCount: Int { terms.reduce(0) { $0 + $1.phraseCount } }

  /// Counts an object.
  ///
  /// - Parameters:
  ///   - texts: The texts of each property.
  ///   - statistics: The numbers so far.
  /// - Returns: false if a text is too long, or if there is no memory.
  func count(_ texts: [TextList], in statistics: inout Statistics) -> Bool {
    var hasPhrase = [Bool](repeating: false, count: statistics.phraseCounts.count)
    for texts in texts {
      let isCounted = texts.allSatisfy { text in
        let wordCount = AnalyzedText.with(text, stemmer: analyzer.stemmer) { text in
          var first = 0
          let words = hasManyWords ? WordSet(of: text) : nil
          for term in terms {
            term.forEachPhrase(in: text, words) { hasPhrase[first + $0] = true }
            first += term.phraseCount
          }
          return unsafe text.words.count
        }
        statistics.wordCount += wordCount ?? 0
        return wordCount != nil
      }
      if !isCounted { return false }
    }
    statistics.objectCount += 1
    for number in hasPhrase.indices where hasPhrase[number] { statistics.phraseCounts[number] += 1 }
    return true
  }

  /// Returns the relevance of an object whose texts have what the expression describes.
  ///
  /// It is Okapi BM25 as SQLite's FTS5 computes it, with the opposite sign (https://www.sqlite.org/fts5.html#the_bm25_function).
  ///
  /// - Parameters:
  ///   - texts: The texts of each property, with its weight.
  ///   - statistics: The numbers of all objects.
  /// - Returns: The relevance, 0 or more; nil if a text is too long, or if there is no memory.
  func relevance(_ texts: [(texts: TextList, weight: Double)], _ statistics: Statistics) -> Double? {
    guard let tree else { return 0 }
    var found = [Bool](repeating: false, count: terms.count)
    var frequencies = terms.map { [Double](repeating: 0, count: $0.phraseCount) }
    var wordCount = 0
    for (texts, weight) in texts {
      let isSearched = texts.allSatisfy { text in
        let count = AnalyzedText.with(text, stemmer: analyzer.stemmer) { text in
          let words = hasManyWords ? WordSet(of: text) : nil
          for (number, term) in terms.enumerated() where term.matches(text, words) {
            found[number] = true
            term.forEachMatch(in: text) { phrase, _ in frequencies[number][phrase] += weight }
          }
          return unsafe text.words.count
        }
        wordCount += count ?? 0
        return count != nil
      }
      if !isSearched { return nil }
    }
    let relevant = Set(tree.relevant(found))
    let averageWordCount = statistics.averageWordCount
    let length = averageWordCount > 0 ? Double(wordCount) / averageWordCount : 1
    var score = 0.0
    var first = 0
    for (number, frequencies) in frequencies.enumerated() {
      if relevant.contains(number) {
        for (phrase, frequency) in frequencies.enumerated() {
          let rarity = statistics.rarity(ofPhrase: first + phrase)
          score += rarity * (frequency * (1.2 + 1)) / (frequency + 1.2 * (1 - 0.75 + 0.75 * length))
        }
      }
      first += frequencies.count
    }
    return score
  }

  /// Returns the parts of a text that the expression describes, as ranges of its UTF-8, with the numbers of the terms.
  ///
  /// - Returns: The ranges in ascending order; nil if the text is too long, or if there is no memory.
  func matches(in text: String) -> [(term: Int, range: Range<Int>)]? {
    guard let tree else { return [] }
    return AnalyzedText.with(text, mapsSource: true, stemmer: analyzer.stemmer) { text in
      var matches: [(term: Int, range: Range<Int>)] = []
      for number in tree.wanted {
        terms[number].forEachMatch(in: text) { _, range in
          matches.append(
            (number, text.source(of: tdu_range(start: UInt32(range.lowerBound), end: UInt32(range.upperBound)))))
        }
      }
      return matches.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    }
  }
}
