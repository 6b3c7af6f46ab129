// Variable-length integers: 7 bits a byte, the lowest bits first. All bytes but the last have their top bit set.
extension DataBuffer {
  /// Writes an integer as a varint of 1 to 10 bytes: 1 byte for numbers below 128.
  public mutating func writeVarUInt(_ value: UInt64) {
    fieldNumber &+= 1
    appendVarint(value)
  }

  /// Writes an integer as a varint of 1 to 10 bytes: 1 byte for numbers from -64 to 63.
  ///
  /// Zigzag encoding maps the numbers 0, -1, 1, -2, 2 … to 0, 1, 2, 3, 4 …, which are written as by
  /// ``writeVarUInt(_:)``.
  public mutating func writeVarInt(_ value: Int64) {
    writeVarUInt(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Reads an integer written by ``writeVarUInt(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, ``DataBufferError/Code/varintOverflow``, or
  ///   ``DataBufferError/Code/invalidValue`` for a number written in more bytes than it needs.
  public mutating func readVarUInt() throws(DataBufferError) -> UInt64 { try takeVarint() }

  /// Reads an integer written by ``writeVarInt(_:)``.
  ///
  /// - Throws: The errors of ``readVarUInt()``.
  public mutating func readVarInt() throws(DataBufferError) -> Int64 {
    let value = try takeVarint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @usableFromInline @inline(__always)
  mutating func appendVarint(_ value: UInt64) {
    if value < 0x80 {
      appendByte(UInt8(truncatingIfNeeded: value))
    } else {
      appendLongVarint(value)
    }
  }

  @usableFromInline @inline(never)
  mutating func appendLongVarint(_ value: UInt64) {
    guard hasRoom(varintByteCount(value)) else { return }
    // In bounds: the loop writes exactly the bytes that `hasRoom` has checked.
    var rest = value
    while rest >= 0x80 {
      unsafe writeCursor.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
      unsafe writeCursor += 1
      rest >>= 7
    }
    unsafe writeCursor.storeBytes(of: UInt8(truncatingIfNeeded: rest), as: UInt8.self)
    unsafe writeCursor += 1
  }

  @inline(__always)
  mutating func takeVarint() throws(DataBufferError) -> UInt64 {
    if unsafe readCursor < readEnd {
      let byte = unsafe readCursor.load(as: UInt8.self)
      if byte < 0x80 {
        unsafe readCursor += 1
        return UInt64(byte)
      }
    }
    return try takeLongVarint()
  }

  @inline(never)
  mutating func takeLongVarint() throws(DataBufferError) -> UInt64 {
    let start = unsafe readCursor
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      guard hasBytes(1) else { throw unsafe refuse(.truncated, "the bytes end within a varint", from: start) }
      let byte = unsafe UInt64(readCursor.load(as: UInt8.self))
      unsafe readCursor += 1
      if shift == 63, byte > 1 {
        throw unsafe refuse(.varintOverflow, "a varint does not fit 64 bits", from: start)
      }
      value |= (byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else {
          throw unsafe refuse(.invalidValue, "a varint has more bytes than it needs", from: start)
        }
        return value
      }
      shift += 7
    }
  }
}

/// Returns the number of bytes that a number takes as a varint: 1 to 10.
@inline(__always)
func varintByteCount(_ value: UInt64) -> Int {
  (64 - (value | 1).leadingZeroBitCount + 6) / 7
}
