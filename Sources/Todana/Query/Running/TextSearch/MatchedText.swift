/// A text with the places of its matches, which end at characters.
struct MatchedText {
  struct Match {
    /// The condition and the term that matches.
    let term: [Int]
    /// The match in UTF-8.
    let range: Range<Int>
  }

  let text: String
  /// The matches in ascending order, with their terms.
  let places: [(term: [Int], range: Range<String.Index>)]

  init(_ text: String, _ matches: [Match]) {
    self.text = text
    let offsets = matches.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
    let characters = Self.characters(at: Set(offsets).sorted(), in: text)
    places = matches.map { match in
      let start = characters[match.range.lowerBound]?.start ?? text.startIndex
      return (match.term, start..<max(start, characters[match.range.upperBound]?.end ?? start))
    }
    .sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
  }

  /// Returns for each offset in UTF-8 the start of a character at or before it, and the next one at or after it.
  ///
  /// The text is read once, as a character may have thousands of scalars.
  private static func characters(
    at offsets: [Int], in text: String
  ) -> [Int: (start: String.Index, end: String.Index)] {
    var found: [Int: (start: String.Index, end: String.Index)] = [:]
    var (position, offset, next) = (text.startIndex, 0, 0)
    while next < offsets.count, position < text.endIndex {
      let end = text.index(after: position)
      let endOffset = offset + text.utf8.distance(from: position, to: end)
      while next < offsets.count, offsets[next] < endOffset {
        found[offsets[next]] = (position, offsets[next] == offset ? position : end)
        next += 1
      }
      (position, offset) = (end, endOffset)
    }
    for last in offsets[next...] { found[last] = (text.endIndex, text.endIndex) }
    return found
  }

  /// The matches in ascending order; those that overlap are one.
  var ranges: [Range<String.Index>] {
    var ranges: [Range<String.Index>] = []
    for (_, range) in places {
      if let last = ranges.last, range.lowerBound < last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }
}
