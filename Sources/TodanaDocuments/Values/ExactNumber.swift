/// Comparisons of integers with floating-point numbers by their exact values.
enum ExactNumber {
  /// Compares an integer with a floating-point number, which may be NaN: it comes after all numbers.
  ///
  /// - Returns: A negative number if the integer is less, 0 if both are equal, a positive number if it is greater.
  static func order(_ integer: Int64, _ number: Double) -> Int {
    // 2^63 is the lowest Double that no Int64 reaches.
    if number.isNaN || number >= 0x1p63 { return -1 }
    if number < -0x1p63 { return 1 }
    let whole = Int64(number)  // rounds towards zero
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = number - number.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  static func order(_ lhs: Int64, _ rhs: Int64) -> Int { lhs < rhs ? -1 : lhs > rhs ? 1 : 0 }

  static func order(_ lhs: Double, _ rhs: Double) -> Int {
    if lhs.isNaN || rhs.isNaN { return (lhs.isNaN ? 1 : 0) - (rhs.isNaN ? 1 : 0) }
    return lhs < rhs ? -1 : lhs > rhs ? 1 : 0
  }

  /// Divides an integer into the greatest `Double` that is not above it, and the rest, which is less than 1,024.
  ///
  /// Ordered by the `Double` and then by the rest, integers are in order, also among other numbers, whose rest is 0.
  static func parts(of integer: Int64) -> (number: Double, rest: UInt16) {
    var number = Double(integer)
    if order(integer, number) < 0 { number = number.nextDown }
    // The number is not above the integer, and at most 1,023 below it.
    return (number, UInt16(truncatingIfNeeded: integer &- Int64(number)))
  }
}
