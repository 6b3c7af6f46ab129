internal import CSealing

extension RecoveryKey {
  /// Creates a key from its printed ``text``.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/invalidKey`` if the text contains other characters, has another
  ///   length, or was mistyped.
  public init(text: String) throws(StoreError) {
    var digits: [UInt8] = []
    for character in text.uppercased().utf8 where !Self.separators.contains(character) {
      guard let digit = Self.digit(of: character) else {
        throw StoreError(.invalidKey, "The recovery key contains an invalid character.")
      }
      digits.append(digit)
    }
    guard digits.count == Self.digitCount else {
      throw StoreError(.invalidKey, "A recovery key has 30 letters and digits; this one has \(digits.count).")
    }
    let packed = Self.bytes(ofDigits: digits)
    bytes = Array(packed[..<16])
    guard digits == Self.digits(of: bytes) else {
      throw StoreError(.invalidKey, "The recovery key was mistyped: its checksum does not match.")
    }
  }

  /// The key as six groups of five letters and digits.
  public var text: String {
    let characters = Self.digits(of: bytes).map { Self.alphabet[Int($0)] }
    return stride(from: 0, to: characters.count, by: 5)
      .map { String(decoding: characters[$0..<$0 + 5], as: UTF8.self) }
      .joined(separator: "-")
  }

  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let separators = Array("- \t\n".utf8)
  private static let digitCount = 30

  private static func digit(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "O"): 0
    case UInt8(ascii: "I"), UInt8(ascii: "L"): 1
    default: alphabet.firstIndex(of: character).map(UInt8.init)
    }
  }

  /// Returns 128 bits of the key and 22 of its hash, five bits a digit.
  private static func digits(of bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let labeled = Array("Todana recovery key".utf8) + bytes
    // For so few bytes libcrypto computes a hash without allocating memory.
    guard unsafe tds_sha256(labeled, labeled.count, &hash) else { preconditionFailure("libcrypto has no SHA-256") }
    let bits = bytes + hash[..<3]
    return (0..<digitCount).map { index in
      (0..<5).reduce(0) { digit, offset in
        let bit = index * 5 + offset
        return digit << 1 | bits[bit / 8] >> (7 - bit % 8) & 1
      }
    }
  }

  private static func bytes(ofDigits digits: [UInt8]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 19)
    for bit in 0..<digits.count * 5 where digits[bit / 5] >> (4 - bit % 5) & 1 == 1 {
      bytes[bit / 8] |= 1 << (7 - bit % 8)
    }
    return bytes
  }
}
