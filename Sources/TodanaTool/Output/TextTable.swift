/// Rows under titles, no wider than 80 columns: what does not fit of the first column's texts is left out.
struct TextTable {
  private let columns: [Column]
  private var rows: [[String]] = []

  struct Column {
    let title: String
    /// Numbers stand on the right.
    let isNumber: Bool

    static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
    static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
  }

  private static let width = 80
  private static let gap = "  "

  init(_ columns: Column...) { self.columns = columns }

  mutating func append(_ cells: String...) { rows.append(cells.map(printable)) }

  var lines: [String] {
    let all = [columns.map(\.title)] + rows
    var widths = columns.indices.map { index in all.map { $0[index].count }.max() ?? 0 }
    let excess = widths.reduce(0, +) + (columns.count - 1) * Self.gap.count - Self.width
    if excess > 0, let first = widths.first { widths[0] = max(first - excess, 8) }
    return all.map { cells in
      let padded = columns.indices.map { index in
        aligned(cells[index], width: widths[index], isNumber: columns[index].isNumber)
      }
      return String(padded.joined(separator: Self.gap).trimmingSuffix(of: " "))
    }
  }

  func print() throws { for line in lines { try StandardOutput.line(line) } }

  private func aligned(_ text: String, width: Int, isNumber: Bool) -> String {
    let text = text.count > width ? text.prefix(width - 1) + "…" : text
    let space = String(repeating: " ", count: width - text.count)
    return isNumber ? space + text : text + space
  }
}

extension String {
  fileprivate func trimmingSuffix(of character: Character) -> Substring {
    var rest = self[...]
    while rest.last == character { rest.removeLast() }
    return rest
  }
}
