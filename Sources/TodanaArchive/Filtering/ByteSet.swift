/// A set of byte values: one bit for each.
struct ByteSet: Sendable, Hashable {
  private var bits: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// Empty.
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

  /// Every byte that was in the set goes, every other comes.
  mutating func invert() {
    bits = (~bits.0, ~bits.1, ~bits.2, ~bits.3)
  }

  /// Where one case of an ASCII letter is in the set, the other joins it.
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
