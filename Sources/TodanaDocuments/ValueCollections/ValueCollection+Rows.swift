public import Todana

// Imports and exports of files.
extension ValueCollection {
  /// Imports the values of a file; each is saved as by ``save(_:_:)`` with merging.
  ///
  /// ```swift
  /// try people.importRows(from: "people.jsonl", as: .jsonLines())
  /// ```
  ///
  /// Values are saved in batches, and an interrupted import can be resumed, as those of documents are
  /// (``DocumentCollection/importRows(from:as:options:)``).
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - format: The format of the file. Its keys, or the names of its columns, are the coding keys of the type.
  ///   - options: The size of batches, the policy for errors, and others.
  /// - Returns: The numbers of imported and skipped rows.
  /// - Throws: ``ImportError`` with line and column, also for a row that is not a value of the type; `StoreError`. All
  ///   values before the error are saved.
  /// - Complexity: O(*n*) in the size of the file.
  @discardableResult
  public func importRows(
    from path: String, as format: RowFormat, options: ImportOptions = ImportOptions()
  ) throws -> ImportSummary {
    var importer = try Importer(ByteInput(path: path), as: format, into: ValueImport(collection: self), options)
    return try importer.run()
  }

  /// Forgets the position of an unfinished import, in a commit of its own.
  ///
  /// The values that it has saved stay.
  ///
  /// - Throws: ``ImportError/Code/unsavedChanges``; `StoreError`.
  public func forgetUnfinishedImport() throws {
    guard try exists else { return }
    if store.hasUnsavedChanges {
      throw ImportError(.unsavedChanges, "the store has unsaved changes: save or discard them before this")
    }
    try ImportPosition.remove(ValueImport(collection: self).prepareForImport(), from: store)
    try store.saveChanges()
  }

  /// Writes the values that meet a condition to a file, which gets its name when it is complete.
  ///
  /// - Parameters:
  ///   - path: The file; an existing one is replaced.
  ///   - format: The format of the file.
  ///   - options: The policy for damage and the closure for progress. Their condition and order are for documents.
  ///   - condition: The condition; nil for all values.
  /// - Returns: The number of values.
  /// - Throws: ``ExportError``: ``ExportError/Code/invalidOption`` if the options have a condition or an order;
  ///   `StoreError`. There is no new file then.
  /// - Complexity: O(*n*) in the size of the values.
  @discardableResult
  public func exportRows(
    to path: String, as format: RowFormat, options: ExportOptions = ExportOptions(),
    _ condition: ((ValueProperties<Value>) -> Condition<StoredValue<Value>>)? = nil
  ) throws -> Int {
    guard options.condition == nil, options.orderBy == nil else {
      throw ExportError(.invalidOption, "values are exported by a condition on their properties, not by a text")
    }
    let query = condition.map { self.query($0) } ?? all
    let export = RowExport(format: format, options: options, store: store) { policy, body in
      guard try self.exists else { return }
      try self.store.forEach(query, onDamage: policy) { object, _ in
        try body(Self.documentValue(object.content)) { object.id.map { "the value \($0)" } ?? "a value" }
      }
    }
    return try export.write(to: path)
  }
}

/// A collection of values that takes the rows of an import.
private struct ValueImport<Value: Codable & Sendable>: ImportTarget {
  let collection: ValueCollection<Value>

  var store: Store { collection.store }

  func prepareForImport() throws -> String {
    if try !collection.exists { try collection.describe() }
    return "values \(collection.name)"
  }

  func insertRow(_ value: DocumentValue) throws { try collection.save(value.decode(Value.self)) }
}
