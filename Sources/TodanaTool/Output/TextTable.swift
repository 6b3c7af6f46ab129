import TerminalText

/// A table with titles above its columns.
///
/// If the terminal is too narrow, the middle of the widest shortenable texts is replaced. In a file or a pipe nothing
/// is shortened.
struct TextTable {
  private let columns: [Column]
  private var rows: [[String]] = []

  struct Column {
    let title: String
    /// Whether the cells are numbers, which are aligned at the right.
    let isNumber: Bool
    let canBeShortened: Bool

    static func text(_ title: String) -> Column { Column(title: title, isNumber: false, canBeShortened: false) }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true, canBeShortened: false) }
    /// Returns a column of names or paths, which may be long.
    static func longText(_ title: String) -> Column { Column(title: title, isNumber: false, canBeShortened: true) }
  }

  private static let gap = "  "
  /// The minimum width of shortened texts; if it does not suffice, lines become wider than the terminal.
  private static let leastWidth = 16

  init(_ columns: Column...) { self.columns = columns }

  mutating func append(_ cells: String...) { rows.append(cells.map(printable)) }

  func print() throws {
    for line in lines(width: Terminal.outputColumnCount) { try StandardOutput.line(line) }
  }

  /// Returns the lines for a terminal of the given width; nil means that there is no terminal.
  private func lines(width: Int?) -> [String] {
    let all = [columns.map(\.title)] + rows
    let widths = widths(of: all, room: width)
    return all.map { cells in
      let padded = columns.indices.map { index in
        let text = columns[index].canBeShortened ? cells[index].shortened(toColumns: widths[index]) : cells[index]
        return text.padded(toColumns: widths[index], isNumber: columns[index].isNumber)
      }
      return String(padded.joined(separator: Self.gap).trimmingSuffix(of: " "))
    }
  }

  /// Returns the width of each column: that of its longest text, if there is room for all.
  private func widths(of rows: [[String]], room: Int?) -> [Int] {
    var widths = columns.indices.map { index in rows.map { $0[index].columnCount }.max() ?? 0 }
    guard let room else { return widths }
    var excess = widths.reduce(0, +) + (columns.count - 1) * Self.gap.count - room
    while excess > 0 {
      let shortenable = columns.indices.filter { columns[$0].canBeShortened && widths[$0] > Self.leastWidth }
      guard let widest = shortenable.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}

extension String {
  fileprivate func trimmingSuffix(of character: Character) -> Substring {
    var rest = self[...]
    while rest.last == character { rest.removeLast() }
    return rest
  }
}
