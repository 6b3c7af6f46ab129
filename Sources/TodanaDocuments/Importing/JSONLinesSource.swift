/// The rows of a file of JSON lines.
final class JSONLinesSource: RowSource {
  private let form: JSONForm
  private let rowByteLimit: Int
  private var buffer: InputBuffer
  private(set) var place: RowPlace
  let canContinue = true

  init(_ input: ByteInput, _ form: JSONForm, from place: RowPlace?, rowByteLimit: Int) throws {
    self.form = form
    self.rowByteLimit = rowByteLimit
    buffer = InputBuffer(input)
    self.place = place ?? RowPlace(lineNumber: 1)
    if let place { try buffer.seek(to: place.byteOffset) } else { try buffer.skipByteOrderMark() }
  }

  func next() throws -> ImportedRow? {
    while true {
      let start = RowPlace(byteOffset: buffer.byteOffset, lineNumber: place.lineNumber, column: 1)
      guard let count = try lineByteCount(start) else { return nil }
      let value = Result { try parse(count, start) }
      buffer.consume(count)
      endLine()
      if let value = try value.get() { return ImportedRow(value: value, start: start, end: place) }
    }
  }

  /// Returns the number of bytes of the next line, with its end; nil at the end of the input.
  private func lineByteCount(_ start: RowPlace) throws -> Int? {
    var searched = 0
    while true {
      if let distance = buffer.distance(to: UInt8(ascii: "\n"), from: searched) {
        if distance > rowByteLimit { break }
        return distance + 1
      }
      searched = buffer.count
      if searched > rowByteLimit { break }
      guard try buffer.fill() else { return searched == 0 ? nil : searched }
    }
    try skipLine()
    throw ImportError(.tooLarge, "the line has more than \(rowByteLimit) bytes", start)
  }

  private func skipLine() throws {
    while true {
      if let distance = buffer.distance(to: UInt8(ascii: "\n")) {
        buffer.consume(distance + 1)
        break
      }
      buffer.consume(buffer.count)
      guard try buffer.fill() else { break }
    }
    endLine()
  }

  private func endLine() {
    place = RowPlace(byteOffset: buffer.byteOffset, lineNumber: place.lineNumber.map { $0 + 1 })
  }

  /// Parses a line; returns nil if it is blank.
  private func parse(_ count: Int, _ start: RowPlace) throws(ImportError) -> DocumentValue? {
    // The bytes are used within the closure only.
    let result = unsafe buffer.bytes.withUnsafeBytes { bytes in
      let line = unsafe UnsafeRawBufferPointer(rebasing: bytes[buffer.start..<buffer.start + count])
      return Result { () throws(ImportError) in
        if unsafe line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }) {
          return DocumentValue?.none
        }
        let text = unsafe line.last == 0x0A ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
        return try unsafe JSONRow.parse(text, form, start)
      }
    }
    return try result.get()
  }
}

/// The parsing of a row of JSON.
enum JSONRow {
  /// Parses the text of a row.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - form: The form of values that JSON lacks.
  ///   - start: The place of the text in its file.
  /// - Returns: The value.
  /// - Throws: ``ImportError/Code/invalidText``, ``ImportError/Code/invalidRow``, with the place in the file.
  static func parse(
    _ text: UnsafeRawBufferPointer, _ form: JSONForm, _ start: RowPlace
  ) throws(ImportError) -> DocumentValue {
    do throws(DocumentError) {
      return try unsafe JSONBuilder.value(of: text, form)
    } catch {
      let code: ImportError.Code = error.code == .invalidText ? .invalidText : .invalidRow
      throw unsafe ImportError(
        code, error.message, place(text, min(error.byteOffset ?? 0, text.count), start), underlying: error)
    }
  }

  private static func place(_ text: UnsafeRawBufferPointer, _ offset: Int, _ start: RowPlace) -> RowPlace {
    let before = unsafe UnsafeRawBufferPointer(rebasing: text[..<offset])
    var place = RowPlace(byteOffset: start.byteOffset + offset, lineNumber: start.lineNumber)
    let lineFeed = UInt8(ascii: "\n")
    if let last = unsafe before.lastIndex(of: lineFeed) {
      let lineCount = unsafe before.count { $0 == lineFeed }
      place.lineNumber = start.lineNumber.map { $0 + lineCount }
      place.column = unsafe UnsafeRawBufferPointer(rebasing: before[(last + 1)...]).scalarCount + 1
    } else {
      let count = unsafe before.scalarCount
      place.column = start.column.map { $0 + count }
    }
    return place
  }
}
