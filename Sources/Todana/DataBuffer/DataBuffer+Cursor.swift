// Where the buffer stands, and all of its bytes.
extension DataBuffer {
  /// Bytes in all: those to be read, or those written so far.
  public var count: Int { arena == nil ? unsafe readEnd - readStart : writtenByteCount }

  /// Bytes that are still to be read.
  public var remainingByteCount: Int { count - position }

  /// Whether everything has been read.
  public var isAtEnd: Bool { remainingByteCount == 0 }

  /// How many bytes have been read.
  public var position: Int { unsafe readCursor - readStart }

  /// Reads from the first byte again.
  public mutating func rewind() { unsafe readCursor = readStart }

  /// Passes over bytes without reading them.
  ///
  /// - Throws: ``DataBufferError/Code/truncated`` if fewer are left, ``DataBufferError/Code/invalidValue`` for a
  ///   negative number.
  public mutating func skip(_ byteCount: Int) throws(DataBufferError) {
    guard byteCount >= 0 else { throw readError(.invalidValue, "cannot skip a negative number of bytes") }
    guard hasBytes(byteCount) else { throw truncated(byteCount) }
    unsafe readCursor += byteCount
  }

  /// Forgets what was written, and the first error.
  public mutating func removeAll() {
    guard isOpen, let arena else { return recordError(.notWritable, notWritableMessage) }
    firstError = nil
    fieldNumber = 0
    pointCursors(into: arena, writtenByteCount: 0, position: 0)
  }

  /// Forgets what was written behind the first so many bytes; an error that is kept stays.
  ///
  /// To take back the end of what was written, or to go back to a known length. A number that is negative or larger than
  /// ``count`` is kept as ``DataBufferError/Code/invalidValue``.
  public mutating func truncate(to byteCount: Int) {
    guard isOpen, let arena else { return recordError(.notWritable, notWritableMessage) }
    guard (0...writtenByteCount).contains(byteCount) else {
      return recordError(.invalidValue, "cannot cut \(writtenByteCount) written bytes to \(byteCount)")
    }
    pointCursors(into: arena, writtenByteCount: byteCount, position: min(position, byteCount))
    if firstError != nil { unsafe writeEnd = writeCursor }
  }

  /// Bytes that can be written in all before the buffer has to grow; for a buffer that only reads, ``count``.
  public var capacity: Int { isOpen ? unsafe writtenByteCount + (writeEnd - writeCursor) : count }

  /// Makes room for so many bytes in all, up to ``contentByteLimit``, so that writing them does not grow the buffer.
  public mutating func reserveCapacity(_ byteCount: Int) {
    let missing = min(byteCount, Self.contentByteLimit) - writtenByteCount
    if unsafe writeEnd - writeCursor < missing { _ = makeRoom(missing) }
  }

  /// A copy of all bytes: those to be read, from the first on, or those written so far.
  ///
  /// - Complexity: O(*n*)
  public var bytes: [UInt8] { unsafe Array(allBytes) }

  /// Calls the closure with all bytes, uncopied.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe allBytes.bytes)
  }

  /// All bytes as hexadecimal digits, 16 bytes a line, each line with its offset: for people who debug.
  public var hexadecimalDescription: String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if index.isMultiple(of: 16) { text += (index == 0 ? "" : "\n") + hexadecimal(index, digitCount: 8) + " " }
      text += " " + hexadecimal(Int(byte), digitCount: 2)
    }
    return text
  }

  /// Good until the next write.
  var allBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: readStart, count: count) }
}

private func hexadecimal(_ value: Int, digitCount: Int) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
