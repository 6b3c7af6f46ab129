/// Construction of strings of up to 15 ASCII bytes directly from their two machine words.
///
/// `String` stores such strings inline: the bytes in order, and in the last byte 0xE0 plus their count
/// (`StringObject.swift` of the standard library). This layout is part of Swift's ABI on platforms with a stable ABI.
/// The initializers of `String` take three times as long, because they repeat checks that are made here.
enum SmallString {
  private typealias Words = (UInt64, UInt64)

  /// Returns the string of the bytes.
  ///
  /// - Returns: Nil if there are more than 15 bytes, if one is not ASCII, or if `String` has another layout.
  @inline(__always)
  static func string(ofASCII bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count < 16, let words = unsafe words(bytes), isLayoutKnown else { return nil }
    // `isLayoutKnown` has verified that `String` has exactly these bits for these bytes.
    return unsafe unsafeBitCast(words, to: String.self)
  }

  /// Returns the two words of a string of fewer than 16 bytes; nil if a byte is not ASCII.
  @inline(__always)
  private static func words(_ bytes: UnsafeRawBufferPointer) -> Words? {
    let count = bytes.count
    let first: UInt64
    var last: UInt64 = 0
    // Two overlapping loads cover all bytes.
    if count >= 8 {
      first = unsafe bytes.loadUnaligned(as: UInt64.self)
      last = unsafe bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      guard (first | last) & 0x8080_8080_8080_8080 == 0 else { return nil }
      // Removes the bytes that are already in the first word. Two shifts, as one must be by fewer than 64 bits.
      last = (last &>> 8) &>> UInt64(truncatingIfNeeded: 56 &- (count &- 8) &* 8)
    } else {
      first = unsafe fewBytes(bytes)
      guard first & 0x8080_8080_8080_8080 == 0 else { return nil }
    }
    return (first, last | (0xE0 | UInt64(truncatingIfNeeded: count)) &<< 56)
  }

  /// Returns fewer than 8 bytes as one word, the first byte lowest.
  @inline(__always)
  private static func fewBytes(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    if count >= 4 {
      let first = UInt64(unsafe bytes.loadUnaligned(as: UInt32.self))
      let last = UInt64(unsafe bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
      return first | last &<< UInt64(truncatingIfNeeded: (count &- 4) &* 8)
    }
    var word: UInt64 = 0
    for index in 0..<count { word |= UInt64(unsafe bytes[index]) &<< UInt64(truncatingIfNeeded: index &* 8) }
    return word
  }

  /// Whether `String` stores small strings in the layout assumed here.
  private static let isLayoutKnown: Bool = {
    guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return false }
    return (0..<16).allSatisfy { count in
      let characters = [UInt8]((0..<UInt8(count)).map { 0x7F - $0 })
      let actual = unsafe unsafeBitCast(String(decoding: characters, as: UTF8.self), to: Words.self)
      return unsafe characters.withUnsafeBytes { unsafe words($0).map { $0 == actual } } ?? false
    }
  }()
}
