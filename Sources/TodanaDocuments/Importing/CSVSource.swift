/// The rows of a CSV file.
final class CSVSource: RowSource {
  private let format: CSVFormat
  private let rowByteLimit: Int
  private let parser: CSVParser
  private var columns: CSVColumns?
  private var buffer: InputBuffer
  private(set) var place: RowPlace
  private(set) var canContinue = true

  init(_ input: ByteInput, _ format: CSVFormat, from place: RowPlace?, rowByteLimit: Int) throws {
    guard let delimiter = format.delimiterByte else {
      throw ImportError(.invalidOption, "a delimiter of CSV is an ASCII character other than \" and a line break")
    }
    self.format = format
    self.rowByteLimit = rowByteLimit
    parser = try CSVParser(delimiter: delimiter)
    buffer = InputBuffer(input)
    self.place = RowPlace(lineNumber: 1)
    try buffer.skipByteOrderMark()
    self.place.byteOffset = buffer.byteOffset
    if let names = format.columnNames {
      columns = try CSVColumns(names, format, at: nil)
    } else if let start = try nextRow() {
      columns = try CSVColumns(try texts(start), format, at: start)
    }
    parser.fieldLimit = columns?.count ?? 0
    if let place {
      try buffer.seek(to: place.byteOffset)
      parser.restart()
      self.place = place
    }
  }

  func next() throws -> ImportedRow? {
    guard let start = try nextRow(), let columns else { return nil }
    guard parser.fieldCount == columns.count else {
      throw ImportError(
        .wrongFieldCount, "the row has \(parser.fieldCount) fields, but there are \(columns.count) columns", start)
    }
    if let invalid = parser.fields.firstIndex(of: .invalid) { throw invalidField(invalid, start) }
    return ImportedRow(value: columns.value(of: parser.fields), start: start, end: place)
  }

  /// Parses the next row; returns the place of its beginning, or nil at the end.
  private func nextRow() throws -> RowPlace? {
    var start = place
    while let line = try nextLine(start) {
      // The bytes are used within the closure only.
      let isValid = unsafe buffer.bytes.withUnsafeBytes { bytes in
        unsafe parser.parse(UnsafeRawBufferPointer(rebasing: bytes[buffer.start..<buffer.start + line.byteCount]))
      }
      buffer.consume(line.byteCount)
      let number = place.lineNumber
      place = RowPlace(byteOffset: buffer.byteOffset, lineNumber: number.map { line.hasEnd ? $0 + 1 : $0 })
      if !isValid {
        parser.restart()
        throw ImportError(
          .invalidText, "a quotation mark is neither at the beginning nor at the end of a field",
          RowPlace(byteOffset: start.byteOffset, lineNumber: number))
      }
      if parser.isRowComplete { return start }
      // A blank line has no row.
      if parser.isBetweenRows { start = place }
    }
    guard parser.finish() else {
      canContinue = false
      throw ImportError(.unterminatedQuote, "a quoted field of the row that begins here has no end", start)
    }
    return parser.isRowComplete ? start : nil
  }

  /// Returns the size of the next line with its end; nil at the end of the input.
  private func nextLine(_ start: RowPlace) throws -> (byteCount: Int, hasEnd: Bool)? {
    let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    var searched = 0
    while true {
      let rest = buffer.bytes[(buffer.start + searched)...]
      if let end = rest.firstIndex(where: { $0 == lineFeed || $0 == carriageReturn }) {
        let count = end - buffer.start + 1
        if buffer.bytes[end] == lineFeed { return try checked(count, start) }
        if end + 1 < buffer.bytes.count {
          return try checked(buffer.bytes[end + 1] == lineFeed ? count + 1 : count, start)
        }
        // The line feed may be the first byte of the next piece.
        searched = end - buffer.start
        if try !buffer.fill() { return try checked(count, start) }
        continue
      }
      searched = buffer.count
      if buffer.byteOffset + searched - start.byteOffset > rowByteLimit { throw tooLarge(start) }
      guard try buffer.fill() else { return searched == 0 ? nil : (searched, false) }
    }
  }

  private func checked(_ count: Int, _ start: RowPlace) throws -> (byteCount: Int, hasEnd: Bool) {
    if buffer.byteOffset + count - start.byteOffset > rowByteLimit { throw tooLarge(start) }
    return (count, true)
  }

  private func tooLarge(_ start: RowPlace) -> ImportError {
    canContinue = false
    return ImportError(
      .tooLarge, "the row has more than \(rowByteLimit) bytes; a quotation mark may lack its counterpart", start)
  }

  private func texts(_ start: RowPlace) throws(ImportError) -> [String] {
    var texts: [String] = []
    for (position, field) in parser.fields.enumerated() {
      switch field {
      case .missing: texts.append("")
      case .text(let text): texts.append(text)
      case .invalid: throw invalidField(position, start)
      }
    }
    guard parser.fieldCount <= CSVParser.mostColumns else {
      throw ImportError(.tooLarge, "the file has more than \(CSVParser.mostColumns) columns", start)
    }
    return texts
  }

  private func invalidField(_ position: Int, _ start: RowPlace) -> ImportError {
    ImportError(
      .wrongEncoding,
      "field \(position + 1) of the row is not UTF-8, or has a NUL; a file in Latin-1 can be converted by "
        + "iconv -f LATIN1 -t UTF-8", start)
  }
}
