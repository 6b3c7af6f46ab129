internal import CCSV
internal import Foundation

/// A writer of documents as rows of CSV.
struct CSVWriter: RowWriter {
  private let names: [String]
  private let paths: [[String]]
  private let delimiter: UInt8
  private let lineEnding: [UInt8]

  init(_ names: [String], _ format: CSVFormat) throws(ExportError) {
    guard let delimiter = format.delimiterByte else {
      throw ExportError(.invalidOption, "a delimiter of CSV is an ASCII character other than \" and a line break")
    }
    self.names = names
    self.delimiter = delimiter
    lineEnding = Array(format.lineEnding.rawValue.utf8)
    paths = names.map { name in
      format.nestsDottedNames
        ? name.split(separator: ".", omittingEmptySubsequences: false).map(String.init) : [name]
    }
  }

  func beginning() -> [UInt8] { names.isEmpty ? [] : row(names.map { Array($0.utf8) }) }

  func text(of value: DocumentValue) throws -> [UInt8] {
    row(try paths.map { path in try Self.text(of: Self.value(at: path, in: value)) })
  }

  func end() -> [UInt8] { [] }

  private func row(_ fields: [[UInt8]?]) -> [UInt8] {
    var row: [UInt8] = []
    for (position, field) in fields.enumerated() {
      if position > 0 { row.append(delimiter) }
      guard let field else {
        // A line without any byte would be no row.
        if fields.count == 1 { row += Array("\"\"".utf8) }
        continue
      }
      row += needsQuotes(field) ? Self.quoted(field) : field
    }
    return row + lineEnding
  }

  private func needsQuotes(_ field: [UInt8]) -> Bool {
    guard let first = field.first, let last = field.last else { return true }
    if first == UInt8(ascii: " ") || last == UInt8(ascii: " ") { return true }
    return field.contains { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
  }

  private static func quoted(_ field: [UInt8]) -> [UInt8] {
    // libcsv writes at most two bytes for each byte, and two quotation marks.
    let capacity = 2 * field.count + 2
    return unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = unsafe csv_write(buffer.baseAddress, capacity, field, field.count)
    }
  }

  private static func value(at path: [String], in document: DocumentValue) -> DocumentValue? {
    var value: DocumentValue? = document
    for key in path { value = value?.fields?[key] }
    return value
  }

  /// Returns the field of a value; nil for null and for a missing value.
  private static func text(of value: DocumentValue?) throws(DocumentError) -> [UInt8]? {
    guard let value else { return nil }
    let text: String
    switch value.storage {
    case .null: return nil
    case .bool(let value): text = "\(value)"
    case .integer(let value): text = "\(value)"
    case .double(let value): text = "\(value)"
    case .string(let value): text = value
    case .date(let date): text = DateForm.text(of: date) ?? "\(date.timeIntervalSinceReferenceDate)"
    case .uuid(let value): text = value.uuidString
    case .bytes(let value): text = value.base64EncodedString()
    case .array, .dictionary: text = try value.json()
    }
    return Array(text.utf8)
  }
}

/// The columns of documents, in the order in which they occur first.
struct CSVColumnSearch {
  let nestsDottedNames: Bool
  private(set) var names: [String] = []
  private var known: Set<[UInt8]> = []

  init(nestsDottedNames: Bool) { self.nestsDottedNames = nestsDottedNames }

  /// Adds the columns of a document.
  ///
  /// - Throws: ``ExportError/Code/tooLarge`` if there are too many.
  mutating func add(_ document: DocumentValue, prefix: String = "") throws(ExportError) {
    for (key, value) in document.fields ?? [:] {
      if nestsDottedNames, let inner = value.fields, !inner.isEmpty, !inner.contains(where: { $0.key.contains(".") }) {
        try add(value, prefix: "\(prefix)\(key).")
      } else if known.insert(Array((prefix + key).utf8)).inserted {
        names.append(prefix + key)
        if names.count > CSVParser.mostColumns {
          throw ExportError(
            .tooLarge, "the documents have more than \(CSVParser.mostColumns) different keys: name some")
        }
      }
    }
  }
}
