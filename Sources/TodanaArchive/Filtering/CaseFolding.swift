/// Lower case for names in UTF-8, for comparing without regard to case.
///
/// Each scalar is replaced by its simple lower-case mapping (Unicode Standard, 3.13 and UnicodeData.txt): one scalar for
/// one, whatever its neighbours are, so “ẞ” becomes “ß” and not “ss”. Bytes that are not UTF-8 stay as they are.
enum CaseFolding {
  static func lowercase(_ bytes: Span<UInt8>) -> [UInt8] {
    var lowered: [UInt8] = []
    lowered.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count { index = appendLowercase(of: bytes, at: index, to: &lowered) }
    return lowered
  }

  /// Appends the lower case of the character at an index, and returns the index behind it.
  static func appendLowercase(of bytes: Span<UInt8>, at index: Int, to lowered: inout [UInt8]) -> Int {
    let first = bytes[index]
    if first < 0x80 {
      let isUppercase = first >= UInt8(ascii: "A") && first <= UInt8(ascii: "Z")
      lowered.append(isUppercase ? first + 32 : first)
      return index + 1
    }
    guard let (scalar, end) = scalar(in: bytes, at: index) else {
      lowered.append(first)
      return index + 1
    }
    // The full mapping is longer than the simple one for İ (U+0130) alone, and begins with it.
    let mapped = scalar.properties.lowercaseMapping.unicodeScalars.first ?? scalar
    lowered.append(contentsOf: String(Character(mapped)).utf8)
    return end
  }

  /// The scalar that begins at an index; nil if what stands there is not UTF-8.
  private static func scalar(in bytes: Span<UInt8>, at index: Int) -> (Unicode.Scalar, end: Int)? {
    // A scalar takes four bytes at most.
    var candidate: [UInt8] = []
    for next in index..<min(index + 4, bytes.count) { candidate.append(bytes[next]) }
    var iterator = candidate.makeIterator()
    var parser = UTF8.ForwardParser()
    guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
    return (UTF8.decode(encoded), index + encoded.count)
  }
}
