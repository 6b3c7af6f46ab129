/// A number, or an optional number, that can be summed.
public protocol SummedValue: OrderedValue {
  associatedtype Sum: Sendable

  static var zeroSum: Sum { get }

  /// Adds the value to a sum.
  ///
  /// - Returns: false if the sum cannot hold the result.
  func add(to sum: inout Sum) -> Bool

  static func double(_ sum: Sum) -> Double
}

extension SummedValue where Self: FixedWidthInteger, Sum == Int {
  @inlinable public static var zeroSum: Int { 0 }

  @inlinable
  public func add(to sum: inout Int) -> Bool {
    guard let value = Int(exactly: self) else { return false }
    let (total, overflows) = sum.addingReportingOverflow(value)
    if !overflows { sum = total }
    return !overflows
  }

  @inlinable public static func double(_ sum: Int) -> Double { Double(sum) }
}

extension SummedValue where Self: BinaryFloatingPoint, Sum == Double {
  @inlinable public static var zeroSum: Double { 0 }

  @inlinable
  public func add(to sum: inout Double) -> Bool {
    sum += Double(self)
    return true
  }

  @inlinable public static func double(_ sum: Double) -> Double { sum }
}

extension Int: SummedValue { public typealias Sum = Int }
extension Int8: SummedValue { public typealias Sum = Int }
extension Int16: SummedValue { public typealias Sum = Int }
extension Int32: SummedValue { public typealias Sum = Int }
extension Int64: SummedValue { public typealias Sum = Int }
extension UInt: SummedValue { public typealias Sum = Int }
extension UInt8: SummedValue { public typealias Sum = Int }
extension UInt16: SummedValue { public typealias Sum = Int }
extension UInt32: SummedValue { public typealias Sum = Int }
extension UInt64: SummedValue { public typealias Sum = Int }
extension Float: SummedValue { public typealias Sum = Double }
extension Double: SummedValue { public typealias Sum = Double }

extension Optional: SummedValue where Wrapped: SummedValue {
  @inlinable public static var zeroSum: Wrapped.Sum { Wrapped.zeroSum }
  @inlinable public func add(to sum: inout Wrapped.Sum) -> Bool { self?.add(to: &sum) ?? true }
  @inlinable public static func double(_ sum: Wrapped.Sum) -> Double { Wrapped.double(sum) }
}

/// The number, sum, average, least and greatest of some values; nil values are left out.
public struct Summary<Number: SummedValue>: Sendable {
  /// The number of values.
  @inlinable public var count: Int { storedCount }
  @inlinable public var sum: Number.Sum { storedSum }
  /// The smallest value; nil if there are none.
  @inlinable public var minimum: Number? { storedMinimum }
  /// The greatest value; nil if there are none.
  @inlinable public var maximum: Number? { storedMaximum }
  /// The sum divided by the number of values; nil if there are none.
  @inlinable public var average: Double? { count == 0 ? nil : Number.double(sum) / Double(count) }

  @usableFromInline var storedCount = 0
  @usableFromInline var storedSum = Number.zeroSum
  @usableFromInline var storedMinimum: Number?
  @usableFromInline var storedMaximum: Number?

  @inlinable init() {}

  // This is called for each of many values, and is inlinable so that it is specialized for their type.
  @inlinable
  mutating func add(_ number: Number) throws(StoreError) {
    if number.isAbsent { return }
    guard number.add(to: &storedSum) else {
      throw StoreError(.invalidQuery, "The sum does not fit into an Int.")
    }
    storedCount += 1
    guard let minimum = storedMinimum, let maximum = storedMaximum else {
      storedMinimum = number
      storedMaximum = number
      return
    }
    if Number.precedes(number, minimum) { storedMinimum = number }
    if Number.precedes(maximum, number) { storedMaximum = number }
  }
}
