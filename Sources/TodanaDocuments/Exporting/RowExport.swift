internal import Todana

/// An export of the rows of a collection in a format.
struct RowExport {
  let format: RowFormat
  let options: ExportOptions
  let store: Store
  /// Calls back with each row, and with a closure that names it in errors.
  let forEachRow: (DamagePolicy, (DocumentValue, () -> String) throws -> Void) throws -> Void

  /// Writes the rows to a file, which gets its name when it is complete.
  ///
  /// - Returns: The number of rows.
  /// - Throws: ``ExportError``; the errors of the closures.
  func write(to path: String) throws -> Int {
    let output = try FileOutput(path: path)
    let count = try write { bytes in try output.write(bytes) }
    try output.finish()
    return count
  }

  /// Passes the rows to a closure, in pieces.
  ///
  /// - Returns: The number of rows.
  /// - Throws: ``ExportError``; the errors of the closures.
  func write(_ write: ([UInt8]) throws -> Void) throws -> Int {
    try store.withSnapshot {
      var writer: any RowWriter = try makeWriter()
      try write(writer.beginning())
      var count = 0
      try forEachRow(options.onDamage) { value, name in
        try write(Self.text(of: value, name, &writer))
        count += 1
        if count.isMultiple(of: 64), Task.isCancelled {
          throw ExportError(.cancelled, "the export was cancelled")
        }
        if count.isMultiple(of: 1000) { try options.progress?(count) }
      }
      try write(writer.end())
      try options.progress?(count)
      return count
    }
  }

  private static func text(
    of value: DocumentValue, _ name: () -> String, _ writer: inout any RowWriter
  ) throws -> [UInt8] {
    do {
      return try writer.text(of: value)
    } catch let error as DocumentError {
      throw ExportError(.notConvertible, "\(name()) cannot be exported: \(error)", underlying: error)
    }
  }

  private func makeWriter() throws -> any RowWriter {
    switch format {
    case .jsonLines(let form): return JSONLinesWriter(form: form)
    case .jsonArray(let form): return JSONArrayWriter(form)
    case .propertyList(let isBinary): return PropertyListWriter(isBinary: isBinary)
    case .csv(let format):
      if let names = format.columnNames { return try CSVWriter(names, format) }
      var search = CSVColumnSearch(nestsDottedNames: format.nestsDottedNames)
      // The second reading treats damage as the policy says.
      try forEachRow(DamagePolicy.report { _ in }) { value, _ in try search.add(value) }
      return try CSVWriter(search.names, format)
    }
  }
}
