internal import Todana

// Imports of files.
extension DocumentCollection {
  /// Imports the documents of a file.
  ///
  /// ```swift
  /// let summary = try users.importRows(
  ///   from: "users.csv", as: .csv(), options: ImportOptions(errorPolicy: .skip { print($0) }))
  /// ```
  ///
  /// Documents are saved in batches, each with the position in the file, in one commit. After a crash, an error or a
  /// cancelled task, the same call with ``ImportOptions/resume`` continues without losing or repeating a document. A
  /// finished import leaves no position behind. An import of another file forgets the position.
  ///
  /// - Parameters:
  ///   - path: The file. A pipe can be imported as well, but not resumed.
  ///   - format: The format of the file.
  ///   - options: The size of batches, the policy for errors, and others.
  /// - Returns: The numbers of imported and skipped rows.
  /// - Throws: ``ImportError`` with line and column. All documents before the error are saved. Errors of closures of the
  ///   options; `StoreError`.
  /// - Complexity: O(*n*) in the size of the file. Memory is limited by the size of a batch and of a row, except for
  ///   property lists.
  @discardableResult
  public func importRows(
    from path: String, as format: RowFormat, options: ImportOptions = ImportOptions()
  ) throws -> ImportSummary {
    try importRows(ByteInput(path: path), as: format, options)
  }

  /// Imports the documents of an input that a closure reads; it returns no bytes at the end.
  package func importRows(
    named name: String, as format: RowFormat, options: ImportOptions, read: @escaping () throws -> [UInt8]
  ) throws -> ImportSummary {
    try importRows(ByteInput(name: name, read: read), as: format, options)
  }

  private func importRows(
    _ input: ByteInput, as format: RowFormat, _ options: ImportOptions
  ) throws -> ImportSummary {
    var importer = try Importer(input, as: format, into: self, options)
    return try importer.run()
  }

  /// Imports a document from each line of a file of JSON lines.
  ///
  /// - Returns: The number of imported documents.
  /// - Throws: The errors of ``importRows(from:as:options:)``.
  @discardableResult
  public func importJSONLines(
    from path: String, _ form: JSONForm = .extended, options: ImportOptions = ImportOptions()
  ) throws -> Int {
    try importRows(from: path, as: .jsonLines(form), options: options).rowCount
  }

  /// Imports a document from each row of a CSV file.
  ///
  /// - Returns: The number of imported documents.
  /// - Throws: The errors of ``importRows(from:as:options:)``.
  @discardableResult
  public func importCSV(
    from path: String, _ format: CSVFormat = CSVFormat(), options: ImportOptions = ImportOptions()
  ) throws -> Int {
    try importRows(from: path, as: .csv(format), options: options).rowCount
  }

  /// Forgets the position of an unfinished import, in a commit of its own.
  ///
  /// The documents that it has saved stay.
  ///
  /// - Throws: ``ImportError/Code/unsavedChanges``; `StoreError`.
  public func forgetUnfinishedImport() throws {
    guard try exists else { return }
    if store.hasUnsavedChanges {
      throw ImportError(.unsavedChanges, "the store has unsaved changes: save or discard them before this")
    }
    try ImportPosition.remove(prepareForImport(), from: store)
    try store.saveChanges()
  }
}
