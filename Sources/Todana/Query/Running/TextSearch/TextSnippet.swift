/// The part of a text that has the most matches.
struct TextSnippet {
  private let matched: MatchedText
  private var range: Range<String.Index>
  /// The number of different terms, then the number of matches.
  private(set) var weight = (terms: 0, matches: 0)

  /// The limits of the work: of the matches at which a part may begin, and of the characters of all these parts.
  private static let mostBeginnings = 1000
  private static let mostCharacters = 1_000_000

  init(of matched: MatchedText, length: Int) {
    self.matched = matched
    let text = matched.text
    range = text.startIndex..<(text.index(text.startIndex, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex)
    let places = matched.places
    var best: Range<String.Index>?
    let beginningCount = min(Self.mostBeginnings, 1 + Self.mostCharacters / max(1, length))
    for first in places.indices.prefix(beginningCount) {
      let start = places[first].range.lowerBound
      let limit = text.index(start, offsetBy: length, limitedBy: text.endIndex) ?? text.endIndex
      let fitting = places[first...].prefix { $0.range.lowerBound < limit }.filter { $0.range.upperBound <= limit }
      let found = (terms: Set(fitting.map(\.term)).count, matches: fitting.count)
      if best == nil || found > weight {
        weight = found
        best = start..<max(start, fitting.map(\.range.upperBound).max() ?? limit)
      }
    }
    if let best { range = Self.widened(best, in: text, to: length) }
  }

  /// Returns a range with as much text before as after it, which begins and ends between words where it can.
  private static func widened(_ range: Range<String.Index>, in text: String, to length: Int) -> Range<String.Index> {
    let spare = max(0, length - text.distance(from: range.lowerBound, to: range.upperBound))
    let half = text.index(range.lowerBound, offsetBy: -(spare / 2), limitedBy: text.startIndex) ?? text.startIndex
    let used = text.distance(from: half, to: range.lowerBound)
    let end = text.index(range.upperBound, offsetBy: spare - used, limitedBy: text.endIndex) ?? text.endIndex
    // At the end of the text, more of it may come before.
    let left = spare - used - text.distance(from: range.upperBound, to: end)
    let start = text.index(half, offsetBy: -left, limitedBy: text.startIndex) ?? text.startIndex
    var widened = start..<end
    if start > text.startIndex, !text[text.index(before: start)].isWhitespace,
      let space = text[start..<range.lowerBound].firstIndex(where: \.isWhitespace)
    {
      widened = text.index(after: space)..<end
    }
    if end < text.endIndex, !text[end].isWhitespace,
      let space = text[range.upperBound..<end].lastIndex(where: \.isWhitespace)
    {
      widened = widened.lowerBound..<space
    }
    return widened
  }

  /// The part with marks around its matches, and with "…" where text is left out.
  func marked(_ open: String, _ close: String) -> String {
    let text = matched.text
    if range.isEmpty { return text.isEmpty ? "" : "…" }
    var result = range.lowerBound > text.startIndex ? "…" : ""
    var position = range.lowerBound
    for match in matched.ranges {
      let part = match.clamped(to: range)
      if part.isEmpty { continue }
      result += text[position..<part.lowerBound] + open + text[part] + close
      position = part.upperBound
    }
    result += text[position..<range.upperBound]
    return range.upperBound < text.endIndex ? result + "…" : result
  }
}
