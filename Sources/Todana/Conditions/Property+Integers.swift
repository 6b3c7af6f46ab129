// Comparisons with integers of other types than the property's: `$0.seconds > limit` with an `Int`. As in Swift, the
// numbers are compared, also those that the property's type cannot represent.
extension Property where Value: FixedWidthInteger & OrderedValue {
  @_disfavoredOverload
  public static func == (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> { lhs.compared(.equal, rhs) { $0 } }
  @_disfavoredOverload
  public static func != (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> {
    lhs.compared(.notEqual, rhs) { $0 }
  }
  @_disfavoredOverload
  public static func < (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> { lhs.compared(.less, rhs) { $0 } }
  @_disfavoredOverload
  public static func <= (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> {
    lhs.compared(.lessOrEqual, rhs) { $0 }
  }
  @_disfavoredOverload
  public static func > (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> {
    lhs.compared(.greater, rhs) { $0 }
  }
  @_disfavoredOverload
  public static func >= (lhs: Self, rhs: some FixedWidthInteger) -> Condition<Root> {
    lhs.compared(.greaterOrEqual, rhs) { $0 }
  }
}

// Optional properties: nil is neither less nor greater than a number.
extension Property {
  @_disfavoredOverload
  public static func == <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.equal, rhs) { (number: Number) in number }
  }
  @_disfavoredOverload
  public static func != <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.notEqual, rhs) { (number: Number) in number }
  }
  @_disfavoredOverload
  public static func < <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.less, rhs) { (number: Number) in number }
  }
  @_disfavoredOverload
  public static func <= <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.lessOrEqual, rhs) { (number: Number) in number }
  }
  @_disfavoredOverload
  public static func > <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.greater, rhs) { (number: Number) in number }
  }
  @_disfavoredOverload
  public static func >= <Number: FixedWidthInteger & OrderedValue>(
    lhs: Self, rhs: some FixedWidthInteger
  ) -> Condition<Root> where Value == Number? {
    lhs.compared(.greaterOrEqual, rhs) { (number: Number) in number }
  }
}

extension Property where Value: OrderedValue {
  /// Returns the comparison with a number, which may be out of the range of the property's type.
  fileprivate func compared<Number: FixedWidthInteger, Other: FixedWidthInteger>(
    _ comparison: Comparison, _ other: Other, _ value: (Number) -> Value
  ) -> Condition<Root> {
    if let number = Number(exactly: other) { return compared(comparison, value(number)) }
    let isAbove = other > Number.max
    switch comparison {
    case .equal: return .never
    case .notEqual: return .always
    // A property without a value is neither less nor greater.
    case .less, .lessOrEqual: return isAbove ? compared(.lessOrEqual, value(.max)) : .never
    case .greater, .greaterOrEqual: return isAbove ? .never : compared(.greaterOrEqual, value(.min))
    }
  }
}
