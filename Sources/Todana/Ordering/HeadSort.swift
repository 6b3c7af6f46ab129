/// The position of an element, with eight bytes of its key as a number by which to sort.
struct KeyHead {
  var head: UInt64
  var position: Int

  /// Returns the eight bytes of a key from an offset on, padded with zeros after the key's end.
  static func head(of key: UnsafeRawBufferPointer, from offset: Int) -> UInt64 {
    if offset + 8 <= key.count {
      return unsafe UInt64(bigEndian: key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var head: UInt64 = 0
    for position in offset..<max(offset, key.count) {
      head |= unsafe UInt64(key[position]) << (56 - 8 * (position - offset))
    }
    return head
  }

  /// Sorts stably by heads.
  ///
  /// It is a radix sort by the bytes in which heads differ, which are few if keys are numbers.
  ///
  /// - Returns: Whether the order has changed.
  static func sort(_ items: inout [KeyHead]) -> Bool {
    var counts = [Int](repeating: 0, count: 8 * 256)
    var isSorted = true
    var last: UInt64 = 0
    for item in items {
      if item.head < last { isSorted = false }
      last = item.head
      for byte in 0..<8 { counts[byte << 8 | digit(byte, of: item.head)] &+= 1 }
    }
    if isSorted { return false }
    var sorted = items
    for byte in 0..<8 {
      let range = byte << 8..<(byte + 1) << 8
      if counts[byte << 8 | digit(byte, of: last)] == items.count { continue }
      var start = 0
      for index in range { (counts[index], start) = (start, start + counts[index]) }
      for item in items {
        let index = byte << 8 | digit(byte, of: item.head)
        sorted[counts[index]] = item
        counts[index] &+= 1
      }
      swap(&items, &sorted)
    }
    return true
  }

  @inline(__always)
  private static func digit(_ byte: Int, of head: UInt64) -> Int {
    Int(truncatingIfNeeded: head >> UInt64(8 * byte)) & 0xFF
  }
}
