/// Strings of up to 15 ASCII bytes, made from the two words that they consist of.
///
/// `String` keeps such strings within itself: the bytes in order, and in the last byte 0xE0 and their number
/// (`StringObject.swift` of the standard library; part of Swift's ABI where that is stable). Its initializers need three
/// times as long, because they check again what was checked here.
enum SmallString {
  private typealias Words = (UInt64, UInt64)

  /// The string of the bytes; nil if there are more than 15, if any is not ASCII, or if this `String` works otherwise.
  @inline(__always)
  static func string(ofASCII bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count < 16, let words = unsafe words(bytes), isLayoutKnown else { return nil }
    // These are the very bits that `String` has for these bytes: `isLayoutKnown`.
    return unsafe unsafeBitCast(words, to: String.self)
  }

  /// What a string of these fewer than 16 bytes consists of; nil if any is not ASCII.
  @inline(__always)
  private static func words(_ bytes: UnsafeRawBufferPointer) -> Words? {
    let count = bytes.count
    let first: UInt64
    var last: UInt64 = 0
    // Two loads that overlap hold all of the bytes.
    if count >= 8 {
      first = unsafe bytes.loadUnaligned(as: UInt64.self)
      last = unsafe bytes.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
      guard (first | last) & 0x8080_8080_8080_8080 == 0 else { return nil }
      // Without the bytes that stand in the first word; two shifts, as 64 is too much for one.
      last = (last &>> 8) &>> UInt64(truncatingIfNeeded: 56 &- (count &- 8) &* 8)
    } else {
      first = unsafe fewBytes(bytes)
      guard first & 0x8080_8080_8080_8080 == 0 else { return nil }
    }
    return (first, last | (0xE0 | UInt64(truncatingIfNeeded: count)) &<< 56)
  }

  /// The word of fewer than 8 bytes, the first one lowest.
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

  /// Whether `String` keeps small strings as is assumed here.
  private static let isLayoutKnown: Bool = {
    guard MemoryLayout<String>.size == MemoryLayout<Words>.size else { return false }
    return (0..<16).allSatisfy { count in
      let characters = [UInt8]((0..<UInt8(count)).map { 0x7F - $0 })
      let actual = unsafe unsafeBitCast(String(decoding: characters, as: UTF8.self), to: Words.self)
      return unsafe characters.withUnsafeBytes { unsafe words($0).map { $0 == actual } } ?? false
    }
  }()
}
