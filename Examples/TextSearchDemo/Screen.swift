import TerminalText
import Todana

/// The contents of the screen: the search, its results, and the counts of the hits.
struct Screen {
  var search = Search()
  var lineCount = 0
  var best: Answer<[MarkedText]>?
  var count: Answer<Int>?
  var facets: Answer<[Facet]>?
  var suggestions: Answer<[TextSuggestion]>?
  var problem: String?
  var hasColors = true
  /// The maximum number of results.
  var resultCount = 10

  /// Returns the text that draws the screen in place of the previous one.
  func drawn(columns: Int, rows: Int) -> String {
    let label = "Search: "
    let room = max(1, columns - label.columnCount - 1)
    let typed = search.text.columnCount <= room ? search.text : "…" + search.text.suffix(columns: room - 1)
    var lines = [styled(label, .dim) + typed, status(columns), ""]
    let below = details(columns)
    // In a low terminal, the results take the room of the lines below them.
    let free = rows - lines.count
    let resultRows = max(0, min(resultCount, rows > 12 ? free - below.count - 1 : free))
    let results = best?.value.prefix(resultRows).map { marked($0, columns) } ?? []
    lines += results + Array(repeating: "", count: resultRows - results.count + 1) + below
    var frame = "\u{1B}[?25l"
    for row in 0..<rows {
      frame += "\u{1B}[\(row + 1);1H\u{1B}[K" + (row < lines.count ? lines[row] : "")
    }
    return frame + "\u{1B}[1;\(min(columns, label.columnCount + typed.columnCount + 1))H\u{1B}[?25h"
  }

  /// The number of hits, and the time of the query for the results.
  private func status(_ columns: Int) -> String {
    if let problem { return problem.prefix(columns: columns) }
    guard let best, !search.text.isEmpty else { return "\(formatted(lineCount)) lines".prefix(columns: columns) }
    var text = "… of \(formatted(lineCount)) lines"
    if let count, count.search == search { text = formatted(count.value) + text.dropFirst() }
    if let choice = search.choice { text += ", \(choice.facet.rawValue.lowercased()) \(choice)" }
    text += best.search == search ? ", results in \(formatted(best.duration))" : ", …"
    return text.prefix(columns: columns)
  }

  /// The facets, the suggestions and the keys.
  private func details(_ columns: Int) -> [String] {
    var lines: [String] = []
    // Answers to an earlier search are dim.
    let style = facets?.search == search ? Style.plain : .dim
    for name in FacetName.allCases {
      var row = Row(columns: columns)
      row.add(name.rawValue.padded(toColumns: 13), .dim)
      for (choice, count) in facets?.value.first(where: { $0.name == name })?.values ?? [] {
        row.add("\(choice) \(formatted(count))", choice == search.choice ? .chosen : style)
        row.add("   ", .plain)
      }
      lines.append(drawn(row))
    }
    var row = Row(columns: columns)
    row.add("Suggestions".padded(toColumns: 13), .dim)
    for suggestion in suggestions?.value ?? [] {
      row.add(
        "\(suggestion.text) \(formatted(suggestion.count))   ",
        suggestions?.search.text == search.text ? .plain : .dim)
    }
    lines.append(drawn(row))
    var times = Row(columns: columns)
    let durations = [
      ("count", count?.duration), ("facets", facets?.duration), ("suggestions", suggestions?.duration),
    ]
    for case (let name, let duration?) in durations { times.add("\(name) in \(formatted(duration))   ", .dim) }
    lines.append(drawn(times))
    var keys = Row(columns: columns)
    keys.add("↑ ↓ choose a facet   Tab takes a suggestion   Esc leaves", .dim)
    return lines + [drawn(keys)]
  }

  /// Returns a line in at most the given number of columns, with its matches in another style.
  private func marked(_ line: MarkedText, _ columns: Int) -> String {
    var row = Row(columns: columns)
    for part in line.parts { row.add(part.text, part.isMatch ? .match : .plain) }
    return drawn(row)
  }

  private func drawn(_ row: Row) -> String { row.parts.map { styled($0.text, $0.style) }.joined() }

  private func styled(_ text: String, _ style: Style) -> String {
    let code =
      switch style {
      case .plain: ""
      case .dim: "2"
      case .match: hasColors ? "1;33" : "1"
      case .chosen: "7"
      }
    return code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}

private enum Style { case plain, dim, match, chosen }

/// A row of the screen, which ends with "…" if not all of it fits.
private struct Row {
  let columns: Int
  private var used = 0
  private(set) var parts: [(text: String, style: Style)] = []

  init(columns: Int) { self.columns = columns }

  mutating func add(_ text: String, _ style: Style) {
    guard used < columns else { return }
    let width = text.columnCount
    if used + width <= columns {
      parts.append((text, style))
      used += width
    } else if text.contains(where: { !$0.isWhitespace }) {
      parts.append((text.prefix(columns: columns - used - 1) + "…", style))
      used = columns
    }
  }
}
