internal import CUnicode

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Comparison and search of bytes in memory.
enum Bytes {
  /// Compares bytes; the first different byte decides, then the length.
  ///
  /// The result is negative if `lhs` comes first, 0 if both are equal, and positive if `rhs` comes first.
  static func order(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int {
    let count = min(lhs.count, rhs.count)
    if count > 0, let left = lhs.baseAddress, let right = rhs.baseAddress {
      let order = unsafe memcmp(left, right, count)
      if order != 0 { return Int(order) }
    }
    return lhs.count - rhs.count
  }

  /// Returns whether a byte is among some bytes.
  static func contain(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return false }
    return unsafe memchr(base, Int32(byte), bytes.count) != nil
  }

  /// Returns whether `text` contains `part` at the position `start`.
  static func areEqual(_ text: UnsafeRawBufferPointer, from start: Int, _ part: UnsafeRawBufferPointer) -> Bool {
    unsafe order(UnsafeRawBufferPointer(rebasing: text[start..<start + part.count]), part) == 0
  }

  /// Returns whether `text` contains `part`, which must not be empty.
  static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    unsafe firstIndex(of: part, in: text, from: 0) != nil
  }

  private static let longPart = 64

  /// Returns the first place of a part at or after a position; nil if there is none, or if the part is empty.
  @inline(__always)
  static func firstIndex(
    of part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from position: Int
  ) -> Int? {
    guard let base = text.baseAddress, let partBase = part.baseAddress, let first = unsafe part.first else {
      return nil
    }
    var start = position
    // Long parts may repeat themselves, for which only an algorithm of linear time is fast.
    if part.count >= longPart, start + part.count <= text.count {
      let found = unsafe tdu_find(
        (base + start).assumingMemoryBound(to: UInt8.self), text.count - start,
        partBase.assumingMemoryBound(to: UInt8.self), part.count)
      // SIZE_MAX is imported as -1.
      return found < 0 ? nil : start + found
    }
    while start + part.count <= text.count {
      guard let found = unsafe memchr(base + start, Int32(first), text.count - part.count - start + 1) else {
        return nil
      }
      start = unsafe UnsafeRawPointer(found) - base
      if unsafe areEqual(text, from: start, part) { return start }
      start += 1
    }
    return nil
  }
}
