// Fixed-width integers: little-endian, two's complement, unaligned.
extension DataBuffer {
  /// Writes the integer in 1 byte.
  @inlinable @inline(__always)
  public mutating func writeInt8(_ value: Int8) { writeFixedWidth(value) }

  /// Writes the integer in 2 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeInt16(_ value: Int16) { writeFixedWidth(value) }

  /// Writes the integer in 4 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeInt32(_ value: Int32) { writeFixedWidth(value) }

  /// Writes the integer in 8 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeInt64(_ value: Int64) { writeFixedWidth(value) }

  /// Writes the integer in 1 byte.
  @inlinable @inline(__always)
  public mutating func writeUInt8(_ value: UInt8) { writeFixedWidth(value) }

  /// Writes the integer in 2 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeUInt16(_ value: UInt16) { writeFixedWidth(value) }

  /// Writes the integer in 4 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeUInt32(_ value: UInt32) { writeFixedWidth(value) }

  /// Writes the integer in 8 bytes, the lowest byte first.
  @inlinable @inline(__always)
  public mutating func writeUInt64(_ value: UInt64) { writeFixedWidth(value) }

  /// Writes the integer in 8 bytes on every platform, even if `Int` is narrower.
  @inlinable @inline(__always)
  public mutating func writeInt(_ value: Int) { writeFixedWidth(Int64(value)) }

  /// Writes the integer in 8 bytes on every platform, even if `UInt` is narrower.
  @inlinable @inline(__always)
  public mutating func writeUInt(_ value: UInt) { writeFixedWidth(UInt64(value)) }

  /// Reads an integer written by ``writeInt8(_:)``: 1 byte.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readInt8() throws(DataBufferError) -> Int8 { try readFixedWidth(Int8.self) }

  /// Reads an integer written by ``writeInt16(_:)``: 2 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readInt16() throws(DataBufferError) -> Int16 { try readFixedWidth(Int16.self) }

  /// Reads an integer written by ``writeInt32(_:)``: 4 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readInt32() throws(DataBufferError) -> Int32 { try readFixedWidth(Int32.self) }

  /// Reads an integer written by ``writeInt64(_:)``: 8 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readInt64() throws(DataBufferError) -> Int64 { try readFixedWidth(Int64.self) }

  /// Reads an integer written by ``writeUInt8(_:)``: 1 byte.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readUInt8() throws(DataBufferError) -> UInt8 { try readFixedWidth(UInt8.self) }

  /// Reads an integer written by ``writeUInt16(_:)``: 2 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readUInt16() throws(DataBufferError) -> UInt16 { try readFixedWidth(UInt16.self) }

  /// Reads an integer written by ``writeUInt32(_:)``: 4 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readUInt32() throws(DataBufferError) -> UInt32 { try readFixedWidth(UInt32.self) }

  /// Reads an integer written by ``writeUInt64(_:)``: 8 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  @inlinable @inline(__always)
  public mutating func readUInt64() throws(DataBufferError) -> UInt64 { try readFixedWidth(UInt64.self) }

  /// Reads an integer written by ``writeInt(_:)``: 8 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``; ``DataBufferError/Code/invalidValue`` if the platform's `Int` is
  ///   narrower than the number.
  @inlinable @inline(__always)
  public mutating func readInt() throws(DataBufferError) -> Int {
    let start = unsafe readCursor
    guard let value = Int(exactly: try readFixedWidth(Int64.self)) else {
      throw unsafe refuse(.invalidValue, "the number does not fit Int", from: start)
    }
    return value
  }

  /// Reads an integer written by ``writeUInt(_:)``: 8 bytes.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``; ``DataBufferError/Code/invalidValue`` if the platform's `UInt` is
  ///   narrower than the number.
  @inlinable @inline(__always)
  public mutating func readUInt() throws(DataBufferError) -> UInt {
    let start = unsafe readCursor
    guard let value = UInt(exactly: try readFixedWidth(UInt64.self)) else {
      throw unsafe refuse(.invalidValue, "the number does not fit UInt", from: start)
    }
    return value
  }

  @inlinable @inline(__always)
  mutating func writeFixedWidth<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    fieldNumber &+= 1
    guard hasRoom(MemoryLayout<Value>.size) else { return }
    // In bounds: `hasRoom` has checked the size.
    unsafe writeCursor.storeBytes(of: value.littleEndian, as: Value.self)
    unsafe writeCursor += MemoryLayout<Value>.size
  }

  @inlinable @inline(__always)
  mutating func readFixedWidth<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: Value.Type
  ) throws(DataBufferError) -> Value {
    guard hasBytes(MemoryLayout<Value>.size) else { throw truncated(MemoryLayout<Value>.size) }
    // In bounds: `hasBytes` has checked the size. Every bit pattern is a valid integer.
    let value = unsafe readCursor.loadUnaligned(as: Value.self)
    unsafe readCursor += MemoryLayout<Value>.size
    return Value(littleEndian: value)
  }
}
