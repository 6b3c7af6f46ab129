// Floating-point numbers by their IEEE 754 bit patterns, and Booleans.
extension DataBuffer {
  /// Writes the number's exact bit pattern in 4 bytes, even of a NaN.
  @inlinable @inline(__always)
  public mutating func writeFloat(_ value: Float) { writeFixedWidth(value.bitPattern) }

  /// Writes the number's exact bit pattern in 8 bytes, even of a NaN.
  @inlinable @inline(__always)
  public mutating func writeDouble(_ value: Double) { writeFixedWidth(value.bitPattern) }

  /// Writes 1 byte: 1 for true, 0 for false.
  @inlinable @inline(__always)
  public mutating func writeBool(_ value: Bool) { writeFixedWidth(value ? 1 as UInt8 : 0) }

  /// Reads a number written by ``writeFloat(_:)``: 4 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readFloat() throws(DataBufferError) -> Float {
    Float(bitPattern: try readFixedWidth(UInt32.self))
  }

  /// Reads a number written by ``writeDouble(_:)``: 8 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readDouble() throws(DataBufferError) -> Double {
    Double(bitPattern: try readFixedWidth(UInt64.self))
  }

  /// Reads a Boolean written by ``writeBool(_:)``: 1 byte.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, ``DataBufferError/Code/invalidValue`` unless the byte is 0 or 1.
  @inlinable @inline(__always)
  public mutating func readBool() throws(DataBufferError) -> Bool {
    try readFlag("a Bool must be 0 or 1")
  }

  @inlinable @inline(__always)
  mutating func readFlag(_ message: @autoclosure () -> String) throws(DataBufferError) -> Bool {
    let start = unsafe readCursor
    let byte = try readFixedWidth(UInt8.self)
    guard byte <= 1 else { throw unsafe refuse(.invalidValue, message(), from: start) }
    return byte == 1
  }
}
