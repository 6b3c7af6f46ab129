import TerminalText
import Todana

/// The content of a record as fields, according to the layout that its class has stored.
struct RecordFields: Encodable {
  private let fields: [(name: String, value: ContentValue)]

  private static let width = 80

  /// Decodes the fields; nil without a layout, or if the record has another version or form.
  init?(of record: RawRecord, _ layout: ContentLayout?) {
    guard let layout, let values = layout.values(of: record) else { return nil }
    fields = Array(zip(layout.fields.map(\.name), values))
  }

  func encode(to encoder: any Encoder) throws {
    try Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first }.encode(to: encoder)
  }

  /// Returns all fields in one line for a list, truncated to the given width; nil means that there is no limit.
  func summary(width: Int?) -> String {
    let text = printable(fields.map { "\($0.name): \($0.value)" }.joined(separator: ", "))
    guard let width, text.columnCount > width else { return text }
    return text.prefix(columns: width - 1) + "…"
  }

  /// The fields, each on one line, or on several if its value is long.
  var lines: [String] {
    let indentation = min(fields.map { printable($0.name).count }.max() ?? 0, 20) + 2
    return fields.flatMap { field in
      let name = printable(field.name)
      let title = name + String(repeating: " ", count: max(2, indentation - name.count))
      var rest = printable("\(field.value)")[...]
      var lines: [String] = []
      repeat {
        let start = lines.isEmpty ? title : String(repeating: " ", count: indentation)
        let piece = rest.prefix(max(Self.width - start.count, 20))
        lines.append(start + piece)
        rest = rest.dropFirst(piece.count)
      } while !rest.isEmpty
      return lines
    }
  }
}

extension Store {
  /// Returns the layout of a class's content; nil if the class has not stored one.
  func contentLayout(ofClassNamed name: String) throws -> ContentLayout? {
    try contentLayouts.first { $0.className.utf8.elementsEqual(name.utf8) }
  }
}
