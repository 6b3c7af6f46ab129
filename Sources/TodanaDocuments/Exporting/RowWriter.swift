internal import Foundation

/// A writer of rows in one format.
protocol RowWriter {
  /// Returns the text before the first row.
  func beginning() throws -> [UInt8]
  /// Returns the text of a row.
  mutating func text(of value: DocumentValue) throws -> [UInt8]
  /// Returns the text after the last row.
  mutating func end() throws -> [UInt8]
}

struct JSONLinesWriter: RowWriter {
  let form: JSONForm

  func beginning() -> [UInt8] { [] }

  func text(of value: DocumentValue) throws -> [UInt8] { Array(try value.json(form).utf8) + [UInt8(ascii: "\n")] }

  func end() -> [UInt8] { [] }
}

struct JSONArrayWriter: RowWriter {
  let form: JSONForm
  private var isEmpty = true

  init(_ form: JSONForm) { self.form = form }

  func beginning() -> [UInt8] { [UInt8(ascii: "[")] }

  mutating func text(of value: DocumentValue) throws -> [UInt8] {
    defer { isEmpty = false }
    return Array((isEmpty ? "\n" : ",\n").utf8) + Array(try value.json(form).utf8)
  }

  func end() -> [UInt8] { Array((isEmpty ? "]\n" : "\n]\n").utf8) }
}

/// A writer of a property list, which keeps all rows.
struct PropertyListWriter: RowWriter {
  let isBinary: Bool
  private var rows: [DocumentValue] = []
  private var byteCount = 0

  init(isBinary: Bool) { self.isBinary = isBinary }

  func beginning() -> [UInt8] { [] }

  mutating func text(of value: DocumentValue) throws -> [UInt8] {
    byteCount += try EncodedValue(value).bytes.count
    if byteCount > PropertyListSource.byteLimit {
      throw ExportError(
        .tooLarge, "the documents have more than \(PropertyListSource.byteLimit) bytes, the limit of property lists")
    }
    rows.append(value)
    return []
  }

  func end() throws -> [UInt8] { [UInt8](try DocumentValue(rows).propertyList(isBinary ? .binary : .xml)) }
}
