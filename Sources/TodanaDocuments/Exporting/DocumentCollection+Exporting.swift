internal import Todana

// Exports to files.
extension DocumentCollection {
  /// Writes documents to a file, which gets its name when it is complete; an existing file is replaced then.
  ///
  /// ```swift
  /// try users.exportRows(to: "adults.csv", as: .csv(), options: ExportOptions(where: "[age] >= ?", arguments: [18]))
  /// ```
  ///
  /// The documents are those of one commit, with the pending changes of the store. Keys of documents are not written. If
  /// CSV has no ``CSVFormat/columnNames``, the documents are read twice, the first time for their keys.
  ///
  /// - Returns: The number of documents.
  /// - Throws: ``ExportError``; `QueryTextError`; errors of the closure; `StoreError`. There is no new file then.
  /// - Complexity: O(*n*) in the size of the documents. Memory does not grow, except for property lists.
  @discardableResult
  public func exportRows(
    to path: String, as format: RowFormat, options: ExportOptions = ExportOptions()
  ) throws -> Int {
    let output = try FileOutput(path: path)
    let count = try exportRows(as: format, options: options) { bytes in try output.write(bytes) }
    try output.finish()
    return count
  }

  /// Passes documents in a format to a closure, in pieces.
  ///
  /// - Returns: The number of documents.
  /// - Throws: The errors of ``exportRows(to:as:options:)``; errors of the closure.
  @discardableResult
  public func exportRows(
    as format: RowFormat, options: ExportOptions = ExportOptions(), _ write: ([UInt8]) throws -> Void
  ) throws -> Int {
    let query = try query(options.condition, arguments: options.arguments, orderBy: options.orderBy)
    return try store.withSnapshot {
      var writer: any RowWriter = try writer(format, query, options)
      try write(writer.beginning())
      var count = 0
      if try exists {
        try store.forEach(query, onDamage: options.onDamage) { document, _ in
          try write(Self.text(of: document, &writer))
          count += 1
          if count.isMultiple(of: 64), Task.isCancelled {
            throw ExportError(.cancelled, "the export was cancelled")
          }
          if count.isMultiple(of: 1000) { try options.progress?(count) }
        }
      }
      try write(writer.end())
      try options.progress?(count)
      return count
    }
  }

  private static func text(of document: Document, _ writer: inout any RowWriter) throws -> [UInt8] {
    do {
      return try writer.text(of: document.value)
    } catch let error as DocumentError {
      throw ExportError(.notConvertible, "\(document) cannot be exported: \(error)", underlying: error)
    }
  }

  private func writer(
    _ format: RowFormat, _ query: Query<Document>, _ options: ExportOptions
  ) throws -> any RowWriter {
    switch format {
    case .jsonLines(let form): return JSONLinesWriter(form: form)
    case .jsonArray(let form): return JSONArrayWriter(form)
    case .propertyList(let isBinary): return PropertyListWriter(isBinary: isBinary)
    case .csv(let format):
      if let names = format.columnNames { return try CSVWriter(names, format) }
      var search = CSVColumnSearch(nestsDottedNames: format.nestsDottedNames)
      if try exists {
        // The second reading treats damage as the policy says.
        let policy = DamagePolicy.report { _ in }
        try store.forEach(query, onDamage: policy) { document, _ in try search.add(document.value) }
      }
      return try CSVWriter(search.names, format)
    }
  }

  /// Writes all documents to a file of JSON lines.
  ///
  /// - Returns: The number of documents.
  /// - Throws: The errors of ``exportRows(to:as:options:)``.
  @discardableResult
  public func exportJSONLines(
    to path: String, _ form: JSONForm = .extended, options: ExportOptions = ExportOptions()
  ) throws -> Int {
    try exportRows(to: path, as: .jsonLines(form), options: options)
  }

  /// Writes all documents to a CSV file.
  ///
  /// - Returns: The number of documents.
  /// - Throws: The errors of ``exportRows(to:as:options:)``.
  @discardableResult
  public func exportCSV(
    to path: String, _ format: CSVFormat = CSVFormat(), options: ExportOptions = ExportOptions()
  ) throws -> Int {
    try exportRows(to: path, as: .csv(format), options: options)
  }
}
