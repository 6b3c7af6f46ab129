import Todana

/// A text typed so far, with the chosen value of a facet.
struct Search: Sendable, Equatable {
  var text = ""
  var choice: FacetChoice?

  /// The query for all hits: all words, the last one as the beginning of a word.
  var all: Query<Line> { query(TextExpression(typed: text), choice) }

  /// The query for the most relevant lines: a space completes the last word, so lines with exactly this word come first.
  var ranked: Query<Line> {
    query(TextExpression(typed: text) || TextExpression(typed: text + " "), choice).sorted(by: .relevance)
  }

  /// Returns the query whose hits a facet counts: without a choice of this facet, so that its other values are shown.
  func query(counting facet: FacetName) -> Query<Line> {
    query(TextExpression(typed: text), choice?.facet == facet ? nil : choice)
  }

  private func query(_ words: TextExpression, _ choice: FacetChoice?) -> Query<Line> {
    let lines = Line.where { $0.text.matches(words) }
    return switch choice {
    case .script(let script): lines.where { $0.script == script }
    case .length(let length): lines.where { $0.length == length }
    case nil: lines
    }
  }
}

/// A property whose values are counted among the hits.
enum FacetName: String, CaseIterable { case script = "Script", length = "Length" }

/// A value of a facet that the hits must have.
enum FacetChoice: Sendable, Equatable, CustomStringConvertible {
  case script(Script)
  case length(LengthClass)

  var facet: FacetName {
    switch self {
    case .script: .script
    case .length: .length
    }
  }

  var description: String {
    switch self {
    case .script(let script): "\(script)"
    case .length(let length): "\(length)"
    }
  }
}
