/// The rows of a file that is one JSON array: its elements.
final class JSONArraySource: RowSource {
  private let form: JSONForm
  private let rowByteLimit: Int
  private var buffer: InputBuffer
  private(set) var place: RowPlace
  private(set) var canContinue = true
  private var state = State.beforeArray

  private enum State {
    case beforeArray
    case beforeFirstElement
    case afterElement
    case atEnd
  }

  init(_ input: ByteInput, _ form: JSONForm, from place: RowPlace?, rowByteLimit: Int) throws {
    self.form = form
    self.rowByteLimit = rowByteLimit
    buffer = InputBuffer(input)
    self.place = place ?? RowPlace(lineNumber: 1, column: 1)
    if let place {
      // A position is stored after an element only.
      state = .afterElement
      try buffer.seek(to: place.byteOffset)
    } else {
      try buffer.skipByteOrderMark()
      self.place.byteOffset = buffer.byteOffset
    }
  }

  func next() throws -> ImportedRow? {
    if state == .beforeArray {
      try expect("[", "the file is not a JSON array: it must begin with [")
      state = .beforeFirstElement
    }
    if state == .atEnd { return nil }
    let first = try nextByte("the array has no end")
    if first == UInt8(ascii: "]") {
      consume(1)
      return try end()
    }
    if state == .afterElement {
      try expect(",", "a comma or ] is missing after an element")
      _ = try nextByte("the array has no end")
    }
    let start = place
    let count = try elementByteCount(start)
    // The bytes are used within the closure only.
    let value = unsafe buffer.bytes.withUnsafeBytes { bytes in
      let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[buffer.start..<buffer.start + count])
      return Result { () throws(ImportError) in try unsafe JSONRow.parse(text, form, start) }
    }
    consume(count)
    state = .afterElement
    return ImportedRow(value: try value.get(), start: start, end: place)
  }

  /// Checks that only white space follows the array.
  private func end() throws -> ImportedRow? {
    state = .atEnd
    if try skipSpace() != nil { throw failure("the file has more text after the end of the array") }
    return nil
  }

  private func expect(_ character: Unicode.Scalar, _ message: String) throws {
    guard try nextByte(message) == UInt8(ascii: character) else { throw failure(message) }
    consume(1)
  }

  /// Returns the next byte that is no white space, without consuming it.
  private func nextByte(_ message: String) throws -> UInt8 {
    guard let byte = try skipSpace() else { throw failure(message) }
    return byte
  }

  private func skipSpace() throws -> UInt8? {
    while true {
      while buffer.count > 0 {
        let byte = buffer.bytes[buffer.start]
        guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { return byte }
        consume(1)
      }
      guard try buffer.fill() else { return nil }
    }
  }

  private func failure(_ message: String, _ code: ImportError.Code = .invalidText) -> ImportError {
    canContinue = false
    return ImportError(code, message, place)
  }

  /// Returns the number of bytes of the element at the beginning of the buffer: up to the comma or bracket that ends it.
  private func elementByteCount(_ start: RowPlace) throws -> Int {
    var scan = ElementScan()
    var count = 0
    while true {
      let isComplete = unsafe buffer.bytes.withUnsafeBytes { bytes in
        while count < buffer.count {
          // The index is below the number of bytes.
          if unsafe scan.ends(before: bytes[buffer.start + count]) { return true }
          count += 1
        }
        return false
      }
      if count > rowByteLimit { throw failure("the element has more than \(rowByteLimit) bytes", .tooLarge) }
      if isComplete { return count }
      guard try buffer.fill() else {
        place = start
        throw failure("the array has no end: the file may be truncated within this element")
      }
    }
  }

  private func consume(_ count: Int) {
    let range = buffer.start..<buffer.start + count
    unsafe buffer.bytes.withUnsafeBytes { bytes in
      // The range is within the bytes that were read.
      for index in range {
        let byte = unsafe bytes[index]
        if byte == UInt8(ascii: "\n") {
          place.lineNumber = place.lineNumber.map { $0 + 1 }
          place.column = 1
        } else if byte & 0xC0 != 0x80 {
          place.column = place.column.map { $0 + 1 }
        }
      }
    }
    buffer.consume(count)
    place.byteOffset = buffer.byteOffset
  }
}

/// The search for the end of an element in a JSON array.
private struct ElementScan {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// Takes the next byte; returns true if the element has ended before it.
  mutating func ends(before byte: UInt8) -> Bool {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return false
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      if depth == 0 { return true }
      depth -= 1
    case UInt8(ascii: ","): return depth == 0
    default: break
    }
    return false
  }
}
