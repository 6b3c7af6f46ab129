#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Values in the binary form, at the end of an arena.
extension ByteArena {
  @inline(__always)
  func append(byte: UInt8) {
    let position = count
    reserve(position + 1)
    unsafe (base + position).storeBytes(of: byte, as: UInt8.self)
    count = position + 1
  }

  /// Reserves the bytes after the last one, and counts them as used.
  @inline(__always)
  private func extend(by byteCount: Int) -> UnsafeMutableRawPointer {
    let position = count
    reserve(position + byteCount)
    count = position + byteCount
    return unsafe base + position
  }

  @inline(__always)
  func append(varint number: UInt64) {
    if number < 0x80 { return append(byte: UInt8(truncatingIfNeeded: number)) }
    var rest = number
    while rest >= 0x80 {
      append(byte: UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(byte: UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  func append(integer value: Int64) {
    if UInt64(bitPattern: value) < 64 {
      return append(byte: ValueTag.smallInteger + UInt8(truncatingIfNeeded: value))
    }
    append(byte: ValueTag.integer)
    // Zigzag: small negative numbers are short, too.
    append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  func append(tag: UInt8, bits: UInt64) {
    let place = unsafe extend(by: 9)
    unsafe place.storeBytes(of: tag, as: UInt8.self)
    unsafe (place + 1).storeBytes(of: bits.littleEndian, as: UInt64.self)
  }

  @inline(__always)
  func append(string: String) {
    let byteCount = string.utf8.count
    if byteCount < 0x80 {
      append(byte: ValueTag.shortString + UInt8(truncatingIfNeeded: byteCount))
    } else {
      append(byte: ValueTag.string)
      append(varint: UInt64(byteCount))
    }
    append(utf8: string, byteCount)
  }

  /// Appends the key of a dictionary's entry.
  @inline(__always)
  func append(key: String) {
    let byteCount = key.utf8.count
    append(varint: UInt64(byteCount))
    append(utf8: key, byteCount)
  }

  @inline(__always)
  private func append(utf8 string: String, _ byteCount: Int) {
    let place = unsafe UnsafeMutableRawBufferPointer(start: extend(by: byteCount), count: byteCount)
    // Strings in a foreign encoding have no contiguous bytes.
    let isCopied: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe place.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }
    if isCopied == nil { unsafe place.copyBytes(from: string.utf8) }
  }

  func append(date: Date) {
    append(tag: ValueTag.date, bits: date.timeIntervalSinceReferenceDate.bitPattern)
  }

  func append(uuid: UUID) {
    append(byte: ValueTag.uuid)
    unsafe withUnsafeBytes(of: uuid.uuid) { _ = unsafe append($0) }
  }

  func append(data: Data) {
    append(byte: ValueTag.bytes)
    append(varint: UInt64(data.count))
    unsafe data.withUnsafeBytes { _ = unsafe append($0) }
  }

  // MARK: Changes

  /// Replaces bytes of the arena.
  func replace(_ range: Range<Int>, with bytes: [UInt8]) {
    let rest = count - range.upperBound
    let difference = bytes.count - range.count
    reserve(count + max(difference, 0))
    unsafe (base + range.upperBound + difference).copyMemory(from: base + range.upperBound, byteCount: rest)
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe (base + range.lowerBound).copyMemory(from: start, byteCount: bytes.count)
    }
    count += difference
  }

  /// Writes the number of the bytes after a position to the byte before them, which gets longer if it is large.
  @inline(__always)
  func patchSize(at position: Int) {
    let size = count - position - 1
    if size < 0x80 {
      unsafe (base + position).storeBytes(of: UInt8(truncatingIfNeeded: size), as: UInt8.self)
      return
    }
    patchLargeSize(size, at: position)
  }

  private func patchLargeSize(_ size: Int, at position: Int) {
    let sizeByteCount = varintByteCount(UInt64(size))
    reserve(count + sizeByteCount - 1)
    unsafe (base + position + sizeByteCount).copyMemory(from: base + position + 1, byteCount: size)
    count = position
    append(varint: UInt64(size))
    count += size
  }
}
