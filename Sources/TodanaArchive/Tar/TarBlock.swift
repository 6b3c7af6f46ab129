/// A 512-byte block of a tar, with the header fields that are used here; libarchive handles the others.
struct TarBlock {
  static let byteCount = 512

  var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var kind: UInt8 { bytes[156] }
  var isEnd: Bool { bytes.allSatisfy { $0 == 0 } }

  /// The number of data bytes after the header, without padding; nil if it is not an octal number.
  var dataByteCount: Int? {
    get {
      let digits = bytes[124..<136].drop { $0 == UInt8(ascii: " ") }
        .prefix { $0 != UInt8(ascii: " ") && $0 != 0 }
      return Int(String(decoding: digits, as: UTF8.self), radix: 8).flatMap { $0 < 0 ? nil : $0 }
    }
    set {
      bytes.replaceSubrange(124..<136, with: Self.octal(newValue ?? 0, digitCount: 11) + [0])
      setChecksum()
    }
  }

  /// Sets the checksum, the sum of all bytes with the checksum field itself as blanks.
  mutating func setChecksum() {
    bytes.replaceSubrange(148..<156, with: repeatElement(UInt8(ascii: " "), count: 8))
    let sum = bytes.reduce(0) { $0 + Int($1) }
    bytes.replaceSubrange(148..<156, with: Self.octal(sum, digitCount: 6) + [0, UInt8(ascii: " ")])
  }

  static func octal(_ number: Int, digitCount: Int) -> [UInt8] {
    let digits = String(number, radix: 8)
    return Array((String(repeating: "0", count: digitCount - digits.count) + digits).utf8)
  }

  /// Rounds a number of bytes up to a multiple of the block size.
  static func padded(_ byteCount: Int) -> Int { (byteCount + Self.byteCount - 1) / Self.byteCount * Self.byteCount }
}
