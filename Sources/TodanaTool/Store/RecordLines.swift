import Todana

/// The output of a list of records: a line for each, as a table or as JSON.
struct RecordLines {
  let layout: ContentLayout?
  let isJSON: Bool
  /// The width of the terminal; nil if the output is not a terminal, so that nothing is truncated.
  private let width = Terminal.outputColumnCount

  private struct Entry: Encodable {
    let row: RowID
    let version: UInt8
    let byteCount: Int
    let fields: RecordFields?
  }

  init(layout: ContentLayout?, isJSON: Bool) { (self.layout, self.isJSON) = (layout, isJSON) }

  /// Prints the headings of a table.
  func printHeadings() throws {
    if !isJSON { try StandardOutput.line(Self.line("row", "version", "bytes")) }
  }

  func print(_ record: RawRecord) throws {
    let entry = Entry(
      row: record.rowID, version: record.version, byteCount: record.content.count,
      fields: RecordFields(of: record, layout))
    if isJSON { return try printJSON(entry) }
    let line = Self.line("\(entry.row)", "\(entry.version)", formattedCount(entry.byteCount))
    // In a narrow terminal, a line becomes wider than the terminal.
    let room = width.map { max($0 - line.count - 2, 20) }
    try StandardOutput.line(line + (entry.fields.map { "  " + $0.summary(width: room) } ?? ""))
  }

  /// Returns a line of the list.
  ///
  /// A table is not used, as it holds all rows in memory.
  private static func line(_ row: String, _ version: String, _ byteCount: String) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return right(row, 10) + right(version, 9) + right(byteCount, 15)
  }
}
