internal import Foundation

/// The columns of a CSV file, as places in documents.
struct CSVColumns {
  private let names: [String]
  /// The keys of each column, from the outermost; nil if all columns are keys of the document.
  private let paths: [[String]]?
  private let fieldTypes: CSVFormat.FieldTypes

  var count: Int { names.count }

  /// - Throws: ``ImportError/Code/invalidColumns``.
  init(_ names: [String], _ format: CSVFormat, at place: RowPlace?) throws(ImportError) {
    self.names = names
    fieldTypes = format.fieldTypes
    var seen: Set<[UInt8]> = []
    for name in names where !seen.insert(Array(name.utf8)).inserted {
      throw ImportError(.invalidColumns, "two columns have the name \"\(name)\"", place)
    }
    guard format.nestsDottedNames, names.contains(where: { $0.utf8.contains(UInt8(ascii: ".")) }) else {
      paths = nil
      return
    }
    let paths = names.map { $0.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
    let whole = Set(paths)
    for path in paths {
      for count in 1..<path.count where whole.contains(Array(path.prefix(count))) {
        throw ImportError(
          .invalidColumns,
          "the column \"\(path.prefix(count).joined(separator: "."))\" cannot have both a value and "
            + "the keys of the column \"\(path.joined(separator: "."))\"", place)
      }
    }
    self.paths = paths
  }

  /// Returns the document of a row, which has a field for each column.
  func value(of fields: [CSVParser.Field]) -> DocumentValue {
    var entries = DocumentDictionary()
    for (position, field) in fields.enumerated() {
      guard case .text(let text) = field else { continue }
      let value = fieldTypes == .texts ? DocumentValue(text) : Self.inferred(text)
      if let path = paths?[position] {
        Self.set(value, at: path[...], in: &entries)
      } else {
        entries[names[position]] = value
      }
    }
    return DocumentValue(entries)
  }

  private static func set(_ value: DocumentValue, at path: ArraySlice<String>, in entries: inout DocumentDictionary) {
    guard let key = path.first else { return }
    if path.count == 1 {
      entries[key] = value
      return
    }
    var inner = entries[key]?.fields ?? DocumentDictionary()
    set(value, at: path.dropFirst(), in: &inner)
    entries[key] = DocumentValue(inner)
  }

  /// Returns the value that is written as a text; the text itself if there is none.
  static func inferred(_ text: String) -> DocumentValue {
    if text == "true" { return true }
    if text == "false" { return false }
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
      return DocumentValue(text)
    }
    if let integer = Int64(text), "\(integer)".hasSameBytes(as: text) { return DocumentValue(integer) }
    if let number = Double(text), number.isFinite, "\(number)".hasSameBytes(as: text) { return DocumentValue(number) }
    if text.utf8.last == UInt8(ascii: "Z"), let date = DateForm.date(text), DateForm.text(of: date) == text {
      return DocumentValue(date)
    }
    return DocumentValue(text)
  }
}
