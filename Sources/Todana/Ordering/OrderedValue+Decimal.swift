#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A key of a `Decimal` is a byte for its sign or NaN, the power of ten of the first digit, and the digits.
extension Decimal: OrderedValue {
  public static var indexedTypeName: String { "Decimal" }

  private enum Sign {
    static let negative: UInt8 = 1
    static let zero: UInt8 = 2
    static let positive: UInt8 = 3
    static let notANumber: UInt8 = 4
  }

  private static let greatestExponent = 127
  /// The maximum number of decimal digits of a significand, which has 128 bits.
  private static let mostDigits = 39

  public func writeKey(to key: inout KeyWriter) {
    if isNaN { return key.append(Sign.notANumber) }
    if isZero { return key.append(Sign.zero) }
    let isNegative = self < 0
    key.append(isNegative ? Sign.negative : Sign.positive)
    let (digits, power) = significantDigits
    let inversion: UInt8 = isNegative ? 0xFF : 0
    let biased = UInt16(bitPattern: Int16(power)) ^ 0x8000
    key.append(UInt8(biased >> 8) ^ inversion)
    key.append(UInt8(biased & 0xFF) ^ inversion)
    for digit in digits { key.append(digit ^ inversion) }
    key.append(inversion)
  }

  /// The digits from the first to the last one that is not 0, and the power of ten of the first.
  private var significantDigits: (digits: ArraySlice<UInt8>, power: Int) {
    let zero = UInt8(ascii: "0")
    let point = UInt8(ascii: ".")
    let text = description.utf8.filter { $0 != UInt8(ascii: "-") }
    let wholeCount = text.firstIndex(of: point) ?? text.count
    let digits = text.filter { $0 != point }
    let first = digits.firstIndex { $0 != zero } ?? 0
    let last = digits.lastIndex { $0 != zero } ?? 0
    return (digits[first...last], wholeCount - 1 - first)
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Decimal {
    let sign = try key.readByte()
    switch sign {
    case Sign.notANumber: return .nan
    case Sign.zero: return 0
    case Sign.negative, Sign.positive: break
    default: throw KeyError("a Decimal has no sign")
    }
    let inversion: UInt8 = sign == Sign.negative ? 0xFF : 0
    let high = UInt16(try key.readByte() ^ inversion)
    let power = Int16(bitPattern: (high << 8 | UInt16(try key.readByte() ^ inversion)) ^ 0x8000)
    var digits = ""
    while case let digit = try key.readByte() ^ inversion, digit != 0 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit), digits.utf8.count < 64 else {
        throw KeyError("a Decimal contains something other than digits")
      }
      digits.unicodeScalars.append(Unicode.Scalar(digit))
    }
    // The exponent of a `Decimal` is the power of ten of its last digit.
    var exponent = Int(power) - (digits.utf8.count - 1)
    let missingZeros = exponent - greatestExponent
    if missingZeros > 0 {
      guard missingZeros <= mostDigits else { throw KeyError("a Decimal is too large") }
      digits += String(repeating: "0", count: missingZeros)
      exponent = greatestExponent
    }
    guard !digits.isEmpty, let value = Decimal(string: (sign == Sign.negative ? "-" : "") + digits + "e\(exponent)")
    else {
      throw KeyError("a Decimal is invalid")
    }
    return value
  }

  public static func isEqual(_ lhs: Decimal, _ rhs: Decimal) -> Bool {
    lhs.isNaN || rhs.isNaN ? lhs.isNaN && rhs.isNaN : lhs == rhs
  }

  public static func precedes(_ lhs: Decimal, _ rhs: Decimal) -> Bool {
    lhs.isNaN || rhs.isNaN ? !lhs.isNaN : lhs < rhs
  }
}
