/// A parser of bracket expressions: `[abc]`, `[a-z]`, `[!a]`, `[^a]`, `[[:digit:]]` and their combinations.
///
/// Source: POSIX.1-2017, XCU 2.13.1, and Git if POSIX leaves a case open (gitignore(5), wildmatch.c). A backslash
/// escapes within brackets, `^` negates like `!`, a `]` in the first position is literal, and `/` is never matched.
enum BracketExpression {
  /// Parses one expression.
  ///
  /// - Parameters:
  ///   - pattern: The whole pattern.
  ///   - start: The index of the `[`.
  ///   - foldsCase: Whether ASCII letters match in both cases.
  /// - Returns: The set of bytes that match, and the index after the closing `]`.
  /// - Throws: ``PatternFlaw`` if the expression is not closed or names an unknown class; no name matches the pattern
  ///   then.
  static func read(
    _ pattern: [UInt8], at start: Int, foldsCase: Bool
  ) throws(PatternFlaw) -> (set: ByteSet, end: Int) {
    var reader = Reader(pattern: pattern, index: start + 1)
    let isNegated = reader.skipNegation()
    repeat { try reader.readItem() } while !reader.isAtEnd
    if foldsCase { reader.set.addOtherCases() }
    if isNegated { reader.set.invert() }
    reader.set.remove(UInt8(ascii: "/"))
    return (reader.set, reader.index + 1)
  }

  private struct Reader {
    let pattern: [UInt8]
    var index: Int
    var set = ByteSet()
    /// The preceding single byte, which becomes the start of a range if a `-` follows.
    var rangeStart: UInt8?

    init(pattern: [UInt8], index: Int) {
      self.pattern = pattern
      self.index = index
    }

    var isAtEnd: Bool { index < pattern.count && pattern[index] == UInt8(ascii: "]") }

    mutating func skipNegation() -> Bool {
      guard index < pattern.count else { return false }
      guard pattern[index] == UInt8(ascii: "!") || pattern[index] == UInt8(ascii: "^") else { return false }
      index += 1
      return true
    }

    mutating func readItem() throws(PatternFlaw) {
      let byte = try take()
      if byte == UInt8(ascii: "-"), let low = rangeStart, index < pattern.count, !isAtEnd {
        var high = try take()
        if high == UInt8(ascii: "\\") { high = try take() }
        // The low end is in the set already, so `[z-a]` matches z, as in Git.
        if low <= high { set.insert(low...high) }
        rangeStart = nil
      } else if byte == UInt8(ascii: "["), index < pattern.count, pattern[index] == UInt8(ascii: ":") {
        try readClass()
      } else {
        let single = byte == UInt8(ascii: "\\") ? try take() : byte
        set.insert(single)
        rangeStart = single
      }
    }

    /// Parses `:name:]`; if the `:` before the `]` is missing, the preceding `[` is literal.
    private mutating func readClass() throws(PatternFlaw) {
      let nameStart = index + 1
      guard let close = pattern[nameStart...].firstIndex(of: UInt8(ascii: "]")) else { throw .openBracket }
      guard close > nameStart, pattern[close - 1] == UInt8(ascii: ":") else {
        set.insert(UInt8(ascii: "["))
        rangeStart = UInt8(ascii: "[")
        return
      }
      guard let bytes = CharacterClass.bytes(named: pattern[nameStart..<(close - 1)]) else { throw .unknownClass }
      set.formUnion(bytes)
      rangeStart = nil
      index = close + 1
    }

    private mutating func take() throws(PatternFlaw) -> UInt8 {
      guard index < pattern.count else { throw .openBracket }
      defer { index += 1 }
      return pattern[index]
    }
  }
}

/// The named classes of POSIX bracket expressions, `[:alpha:]` and so on, in the "C" locale: ASCII only.
///
/// Source: POSIX.1-2017, XBD 7.3.1 "LC_CTYPE".
enum CharacterClass {
  /// Returns the bytes of a class; nil if POSIX defines no class of that name.
  static func bytes(named name: ArraySlice<UInt8>) -> ByteSet? {
    guard let (_, ranges) = classes.first(where: { $0.name.utf8.elementsEqual(name) }) else { return nil }
    var set = ByteSet()
    for range in ranges { set.insert(range) }
    return set
  }

  private static let digits: ClosedRange<UInt8> = 0x30...0x39
  private static let uppercase: ClosedRange<UInt8> = 0x41...0x5A
  private static let lowercase: ClosedRange<UInt8> = 0x61...0x7A

  private static let classes: [(name: String, ranges: [ClosedRange<UInt8>])] = [
    ("alnum", [digits, uppercase, lowercase]),
    ("alpha", [uppercase, lowercase]),
    ("blank", [0x09...0x09, 0x20...0x20]),
    ("cntrl", [0x00...0x1F, 0x7F...0x7F]),
    ("digit", [digits]),
    ("graph", [0x21...0x7E]),
    ("lower", [lowercase]),
    ("print", [0x20...0x7E]),
    ("punct", [0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E]),
    ("space", [0x09...0x0D, 0x20...0x20]),
    ("upper", [uppercase]),
    ("xdigit", [digits, 0x41...0x46, 0x61...0x66]),
  ]
}

/// A set of byte values, stored as 256 bits.
struct ByteSet: Sendable, Hashable {
  private var bits: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  init() {}

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    let word =
      switch byte >> 6 {
      case 0: bits.0
      case 1: bits.1
      case 2: bits.2
      default: bits.3
      }
    return word >> UInt64(byte & 63) & 1 == 1
  }

  mutating func insert(_ byte: UInt8) {
    let bit = UInt64(1) << UInt64(byte & 63)
    switch byte >> 6 {
    case 0: bits.0 |= bit
    case 1: bits.1 |= bit
    case 2: bits.2 |= bit
    default: bits.3 |= bit
    }
  }

  mutating func insert(_ range: ClosedRange<UInt8>) {
    for byte in range { insert(byte) }
  }

  mutating func remove(_ byte: UInt8) {
    let mask = ~(UInt64(1) << UInt64(byte & 63))
    switch byte >> 6 {
    case 0: bits.0 &= mask
    case 1: bits.1 &= mask
    case 2: bits.2 &= mask
    default: bits.3 &= mask
    }
  }

  mutating func formUnion(_ other: ByteSet) {
    bits = (bits.0 | other.bits.0, bits.1 | other.bits.1, bits.2 | other.bits.2, bits.3 | other.bits.3)
  }

  /// Replaces the set by its complement.
  mutating func invert() {
    bits = (~bits.0, ~bits.1, ~bits.2, ~bits.3)
  }

  /// Adds the other case of each ASCII letter in the set.
  mutating func addOtherCases() {
    for upper in UInt8(ascii: "A")...UInt8(ascii: "Z") {
      let lower = upper + 32
      if contains(upper) { insert(lower) } else if contains(lower) { insert(upper) }
    }
  }

  static func == (one: ByteSet, other: ByteSet) -> Bool { one.bits == other.bits }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bits.0)
    hasher.combine(bits.1)
    hasher.combine(bits.2)
    hasher.combine(bits.3)
  }
}
