// The read position, the size, and access to all bytes.
extension DataBuffer {
  /// The total number of bytes: those to be read, or those written so far.
  public var count: Int { arena == nil ? unsafe readEnd - readStart : writtenByteCount }

  /// The number of bytes that have not been read yet.
  public var remainingByteCount: Int { count - position }

  /// Whether all bytes have been read.
  public var isAtEnd: Bool { remainingByteCount == 0 }

  /// The number of bytes read so far.
  public var position: Int { unsafe readCursor - readStart }

  /// Moves the read position back to the first byte.
  public mutating func rewind() { unsafe readCursor = readStart }

  /// Skips bytes without reading them.
  ///
  /// - Throws: ``DataBufferError/Code/truncated`` if fewer are left, ``DataBufferError/Code/invalidValue`` if
  ///   `byteCount` is negative.
  public mutating func skip(_ byteCount: Int) throws(DataBufferError) {
    guard byteCount >= 0 else { throw readError(.invalidValue, "cannot skip a negative number of bytes") }
    guard hasBytes(byteCount) else { throw truncated(byteCount) }
    unsafe readCursor += byteCount
  }

  /// Removes all written bytes, and clears ``firstError``.
  ///
  /// Records ``DataBufferError/Code/notWritable`` if the buffer can only be read.
  public mutating func removeAll() {
    guard isOpen, let arena else { return recordError(.notWritable, notWritableMessage) }
    firstError = nil
    fieldNumber = 0
    pointCursors(into: arena, writtenByteCount: 0, position: 0)
  }

  /// Removes all written bytes after the first `byteCount`.
  ///
  /// Use it to undo the last writes, or to return to a known length. ``firstError`` is kept. If `byteCount` is negative
  /// or larger than ``count``, the call records ``DataBufferError/Code/invalidValue`` and removes nothing.
  public mutating func truncate(to byteCount: Int) {
    guard isOpen, let arena else { return recordError(.notWritable, notWritableMessage) }
    guard (0...writtenByteCount).contains(byteCount) else {
      return recordError(.invalidValue, "cannot truncate \(writtenByteCount) written bytes to \(byteCount)")
    }
    pointCursors(into: arena, writtenByteCount: byteCount, position: min(position, byteCount))
    if firstError != nil { unsafe writeEnd = writeCursor }
  }

  /// The number of bytes that the buffer can hold before it has to grow.
  ///
  /// For a buffer that can only be read, this is ``count``.
  public var capacity: Int { isOpen ? unsafe writtenByteCount + (writeEnd - writeCursor) : count }

  /// Reserves memory for `byteCount` bytes in total, up to ``contentByteLimit``, so that writing them does not grow the
  /// buffer.
  ///
  /// Records ``DataBufferError/Code/notWritable`` if the buffer can only be read.
  public mutating func reserveCapacity(_ byteCount: Int) {
    let missing = min(byteCount, Self.contentByteLimit) - writtenByteCount
    if unsafe writeEnd - writeCursor < missing { _ = makeRoom(missing) }
  }

  /// A copy of all bytes: those to be read, from the first one on, or those written so far.
  ///
  /// - Complexity: O(*n*)
  public var bytes: [UInt8] { unsafe Array(allBytes) }

  /// Calls the closure with all bytes, without copying them.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(unsafe allBytes.bytes)
  }

  /// All bytes as hexadecimal digits, for debugging.
  ///
  /// Each line has an offset and 16 bytes.
  public var hexadecimalDescription: String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if index.isMultiple(of: 16) { text += (index == 0 ? "" : "\n") + hexadecimal(index, digitCount: 8) + " " }
      text += " " + hexadecimal(Int(byte), digitCount: 2)
    }
    return text
  }

  /// All bytes, without a copy; valid until the next write.
  var allBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: readStart, count: count) }
}

private func hexadecimal(_ value: Int, digitCount: Int) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
}
