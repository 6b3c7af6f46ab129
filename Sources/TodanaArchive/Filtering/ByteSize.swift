/// A number of bytes in the notation `4096`, `500k`, `10M`, `1.5G` or `2TiB`.
///
/// Units are binary: k is 1,024 bytes, M is 1,024 k, then G, T and P. Case is ignored, and `B` or `iB` may follow the
/// unit.
public struct ByteSize: Sendable, Hashable, CustomStringConvertible {
  /// The size in bytes.
  public var byteCount: Int

  public init(byteCount: Int) { self.byteCount = byteCount }

  /// Parses a size; a fraction of a byte is rounded down.
  ///
  /// - Throws: ``ArgumentError/Code/invalidSize`` for any other notation, for a fraction without a unit, and for more
  ///   than 8 EiB.
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

  /// Returns the exponent of 1,024 for a unit; nil if the unit is unknown.
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

  /// Computes a size in integer arithmetic, exact except for the last byte; nil if it is too large.
  private static func byteCount(whole: Substring, fraction: Substring, _ exponent: Int) -> Int? {
    let unit = 1 << (10 * exponent)
    guard let number = Int(whole) else { return nil }
    let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit)
    if isTooLarge { return nil }
    // Digits are added from last to first, so the intermediate value never exceeds ten units.
    var rest = 0
    for digit in fraction.prefix(18).reversed() { rest = (rest + (digit.wholeNumberValue ?? 0) * unit) / 10 }
    let (sum, isSumTooLarge) = bytes.addingReportingOverflow(rest)
    return isSumTooLarge ? nil : sum
  }

  private static func error(_ text: String, _ advice: String) -> ArgumentError {
    ArgumentError(.invalidSize, "“\(printable(text))” is not a size: \(advice).")
  }

  /// The size with a unit if one decimal is exact, such as `1.5G`; otherwise the number of bytes.
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
