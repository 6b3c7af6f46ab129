/// A number, or nothing, whose sum can be asked for.
public protocol SummedValue: OrderedValue {
  associatedtype Sum: Sendable

  static var zeroSum: Sum { get }

  /// Adds the value; false where the sum has no room for it.
  func add(to sum: inout Sum) -> Bool

  static func double(_ sum: Sum) -> Double
}

extension SummedValue where Self: FixedWidthInteger, Sum == Int {
  public static var zeroSum: Int { 0 }

  public func add(to sum: inout Int) -> Bool {
    guard let value = Int(exactly: self) else { return false }
    let (total, overflows) = sum.addingReportingOverflow(value)
    if !overflows { sum = total }
    return !overflows
  }

  public static func double(_ sum: Int) -> Double { Double(sum) }
}

extension SummedValue where Self: BinaryFloatingPoint, Sum == Double {
  public static var zeroSum: Double { 0 }

  public func add(to sum: inout Double) -> Bool {
    sum += Double(self)
    return true
  }

  public static func double(_ sum: Double) -> Double { sum }
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
  public static var zeroSum: Wrapped.Sum { Wrapped.zeroSum }
  public func add(to sum: inout Wrapped.Sum) -> Bool { self?.add(to: &sum) ?? true }
  public static func double(_ sum: Wrapped.Sum) -> Double { Wrapped.double(sum) }
}

/// What there is to know of several numbers; nil is left out.
public struct Summary<Number: SummedValue>: Sendable {
  /// How many are not nil.
  public private(set) var count = 0
  public private(set) var sum = Number.zeroSum
  /// The least; nil if there are none.
  public private(set) var minimum: Number?
  /// The greatest; nil if there are none.
  public private(set) var maximum: Number?

  init() {}

  /// The sum by the number; nil if there are none.
  public var average: Double? { count == 0 ? nil : Number.double(sum) / Double(count) }

  mutating func add(_ number: Number) throws(StoreError) {
    if number.isAbsent { return }
    guard number.add(to: &sum) else {
      throw StoreError(.invalidQuery, "The sum is more than an Int holds.")
    }
    count += 1
    if minimum.map({ Number.precedes(number, $0) }) ?? true { minimum = number }
    if maximum.map({ Number.precedes($0, number) }) ?? true { maximum = number }
  }
}
