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
    try export(format, options).write(to: path)
  }

  /// Passes documents in a format to a closure, in pieces.
  ///
  /// - Returns: The number of documents.
  /// - Throws: The errors of ``exportRows(to:as:options:)``; errors of the closure.
  @discardableResult
  public func exportRows(
    as format: RowFormat, options: ExportOptions = ExportOptions(), _ write: ([UInt8]) throws -> Void
  ) throws -> Int {
    try export(format, options).write(write)
  }

  private func export(_ format: RowFormat, _ options: ExportOptions) throws -> RowExport {
    let query = try query(options.condition, arguments: options.arguments, orderBy: options.orderBy)
    return RowExport(format: format, options: options, store: store) { policy, body in
      guard try self.exists else { return }
      try self.store.forEach(query, onDamage: policy) { document, _ in try body(document.value) { "\(document)" } }
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
