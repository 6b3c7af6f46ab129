/// A number of bytes as people write it: `4096`, `500k`, `10M`, `1.5G`, `2TiB`.
///
/// Units are binary: k is 1,024 bytes, M is 1,024 k, then G, T and P; upper and lower case are the same, and `B` or
/// `iB` may follow.
public struct ByteSize: Sendable, Hashable, CustomStringConvertible {
  public var byteCount: Int

  public init(byteCount: Int) { self.byteCount = byteCount }

  /// Reads a size.
  ///
  /// What a fraction leaves of a byte is dropped.
  ///
  /// - Throws: ``ArgumentError/Code/invalidSize`` for anything else, for a fraction without a unit, and for more than
  ///   8 EiB.
  public init(_ text: String) throws(ArgumentError) {
    let digits = text.prefix { "0123456789.".contains($0) }
    let unit = text[digits.endIndex...]
    guard let exponent = Self.exponent(of: unit.lowercased()) else {
      throw Self.error(text, "units are k, M, G, T and P, as in 10M or 1.5G")
    }
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
      throw Self.error(text, "write a number and a unit, as in 10M or 1.5G")
    }
    if parts.count == 2, exponent == 0 { throw Self.error(text, "a fraction needs a unit, as in 1.5G") }
    guard let count = Self.byteCount(whole: parts[0], fraction: parts.count == 2 ? parts[1] : "", exponent) else {
      throw Self.error(text, "it is more than 8 EiB")
    }
    byteCount = count
  }

  /// The power of 1,024 that a unit stands for.
  private static func exponent(of unit: String) -> Int? {
    var letters = unit[...]
    if letters.hasSuffix("ib"), letters.count == 3 {
      letters = letters.dropLast(2)
    } else if letters.hasSuffix("b") {
      letters = letters.dropLast()
    }
    if letters.isEmpty { return 0 }
    return ["k", "m", "g", "t", "p"].firstIndex(of: letters).map { $0 + 1 }
  }

  /// Exact but for the last byte: no floating point.
  private static func byteCount(whole: Substring, fraction: Substring, _ exponent: Int) -> Int? {
    let unit = 1 << (10 * exponent)
    guard let number = Int(whole) else { return nil }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    if isTooLarge { return nil }
    // From the last digit to the first, ten times what is to come never exceeds ten units.
    var rest = 0
    for digit in fraction.prefix(18).reversed() { rest = (rest + (digit.wholeNumberValue ?? 0) * unit) / 10 }
    let (sum, isSumTooLarge) = bytes.addingReportingOverflow(rest)
    return isSumTooLarge ? nil : sum
  }

  private static func error(_ text: String, _ advice: String) -> ArgumentError {
    ArgumentError(.invalidSize, "“\(printable(text))” is not a size: \(advice).")
  }

  /// Such as `1.5G`, where it is exact to a tenth; otherwise in bytes.
  public var description: String {
    for (exponent, unit) in [(5, "P"), (4, "T"), (3, "G"), (2, "M"), (1, "k")] {
      let size = 1 << (10 * exponent)
      guard byteCount >= size else { continue }
      if byteCount.isMultiple(of: size) { return "\(byteCount / size)\(unit)" }
      let remainder = byteCount % size
      if remainder <= Int.max / 10, (remainder * 10).isMultiple(of: size) {
        return "\(byteCount / size).\(remainder * 10 / size)\(unit)"
      }
    }
    return "\(byteCount)"
  }
}
