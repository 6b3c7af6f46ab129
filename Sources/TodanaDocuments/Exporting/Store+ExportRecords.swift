internal import Foundation
public import Todana

extension Store {
  /// Passes the records of a class in a format to a closure, in pieces.
  ///
  /// The program need not have the class.
  ///
  /// The class must have declared `contentFields`, which become the keys. Columns of CSV are the fields, unless the
  /// format names some. Dates and UUIDs are texts, bytes are Base64, and references are numbers of rows.
  ///
  /// - Parameters:
  ///   - className: The stored name of the class.
  ///   - format: The format.
  ///   - options: The condition and the sorts on fields, as in `Store.findRecords`; arguments are not supported.
  ///   - write: Receives the bytes.
  /// - Returns: The number of records.
  /// - Throws: ``ExportError``; `StoreError`, also for a class without fields; errors of the closures.
  @discardableResult
  public func exportRecords(
    ofClassNamed className: String, as format: RowFormat, options: ExportOptions = ExportOptions(),
    _ write: ([UInt8]) throws -> Void
  ) throws -> Int {
    let layout = try contentLayouts.first { $0.className.hasSameBytes(as: className) }
    let names = layout?.fields.map(\.name) ?? []
    var writer: any RowWriter =
      switch format {
      case .jsonLines(let form): JSONLinesWriter(form: form)
      case .jsonArray(let form): JSONArrayWriter(form)
      case .propertyList(let isBinary): PropertyListWriter(isBinary: isBinary)
      case .csv(let csv): try CSVWriter(csv.columnNames ?? names, csv)
      }
    try write(writer.beginning())
    var count = 0
    try findRecords(
      ofClassNamed: className, where: options.condition, sortedBy: options.orderBy, onDamage: options.onDamage
    ) { record, _, _ in
      // Records of other versions are reported as damage.
      guard let values = layout?.values(of: record) else { return }
      var entries = DocumentDictionary()
      for (name, value) in zip(names, values) { entries[name] = DocumentValue(value) }
      do {
        try write(writer.text(of: DocumentValue(entries)))
      } catch let error as DocumentError {
        throw ExportError(
          .notConvertible, "The record \(record.rowID) of \(className) cannot be exported: \(error)", underlying: error)
      }
      count += 1
      if count.isMultiple(of: 64), Task.isCancelled { throw ExportError(.cancelled, "the export was cancelled") }
      if count.isMultiple(of: 1000) { try options.progress?(count) }
    }
    try write(writer.end())
    try options.progress?(count)
    return count
  }

  /// Writes the records of a class to a file, which gets its name when it is complete.
  ///
  /// - Returns: The number of records.
  /// - Throws: The errors of ``exportRecords(ofClassNamed:as:options:_:)``. There is no new file then.
  @discardableResult
  public func exportRecords(
    ofClassNamed className: String, to path: String, as format: RowFormat, options: ExportOptions = ExportOptions()
  ) throws -> Int {
    let output = try FileOutput(path: path)
    let count = try exportRecords(ofClassNamed: className, as: format, options: options) { try output.write($0) }
    try output.finish()
    return count
  }
}

extension DocumentValue {
  /// Makes the value of a field of a record.
  fileprivate init(_ content: ContentValue) {
    switch content {
    case .null: self = .null
    case .bool(let value): self.init(value)
    case .integer(let value): self.init(value)
    case .unsigned(let value): self = Int64(exactly: value).map { DocumentValue($0) } ?? DocumentValue("\(value)")
    case .number(let value): self.init(value)
    case .text(let value): self.init(value)
    case .bytes(let value): self.init(Data(value).base64EncodedString())
    case .list(let values): self.init(values.map { DocumentValue($0) })
    case .dictionary(let entries):
      self.init(DocumentDictionary(inOrder: entries.map { ($0.key.description, DocumentValue($0.value)) }))
    }
  }
}
