/// A source of rows: a file of one format that is read from its beginning, or from the end of a row.
protocol RowSource: AnyObject {
  /// The place after the last row that ``next()`` has returned or skipped.
  var place: RowPlace { get }
  /// Whether ``next()`` can be called again after it has thrown an error, and continues with the following row.
  var canContinue: Bool { get }

  /// Returns the next row; nil at the end.
  ///
  /// - Throws: ``ImportError``; errors of the input.
  func next() throws -> ImportedRow?
}

/// A row of a file.
struct ImportedRow {
  let value: DocumentValue
  /// The place of the beginning of the row.
  let start: RowPlace
  /// The place after the row.
  let end: RowPlace
}

extension RowFormat {
  /// Returns the source of the rows of an input.
  ///
  /// - Parameters:
  ///   - input: The input, at its beginning.
  ///   - place: The place at the end of a row from which to continue; nil for the beginning.
  ///   - options: The options of the import.
  /// - Returns: The source.
  /// - Throws: ``ImportError``; errors of the input.
  func source(_ input: ByteInput, from place: RowPlace?, _ options: ImportOptions) throws -> any RowSource {
    switch self {
    case .jsonLines(let form):
      return try JSONLinesSource(input, form, from: place, rowByteLimit: options.rowByteLimit)
    case .jsonArray(let form):
      return try JSONArraySource(input, form, from: place, rowByteLimit: options.rowByteLimit)
    case .csv(let format): return try CSVSource(input, format, from: place, rowByteLimit: options.rowByteLimit)
    case .propertyList: return try PropertyListSource(input, from: place)
    }
  }
}
