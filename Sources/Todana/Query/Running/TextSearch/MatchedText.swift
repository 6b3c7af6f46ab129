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
    places = matches.map { match in
      let start = Self.index(match.range.lowerBound, in: text, isEnd: false)
      return (match.term, start..<max(start, Self.index(match.range.upperBound, in: text, isEnd: true)))
    }
    .sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
  }

  /// Returns the end of a character at or after an offset in UTF-8, or its start at or before it.
  private static func index(_ offset: Int, in text: String, isEnd: Bool) -> String.Index {
    var position = text.utf8.index(text.startIndex, offsetBy: offset)
    while position.samePosition(in: text) == nil {
      position = isEnd ? text.utf8.index(after: position) : text.utf8.index(before: position)
    }
    return position
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
