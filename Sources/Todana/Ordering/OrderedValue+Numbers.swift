#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The key of an integer is its bytes, the most significant first. In the key of a signed integer, the sign bit is
// inverted.

extension UInt8: OrderedValue {
  @inlinable public static var indexedTypeName: String { "UInt8" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(self) }
  @inlinable public static func readKey(from key: inout KeyReader) throws(KeyError) -> UInt8 { try key.readByte() }
}

extension UInt16: OrderedValue {
  @inlinable public static var indexedTypeName: String { "UInt16" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> UInt16 { try key.readBigEndian() }
}

extension UInt32: OrderedValue {
  @inlinable public static var indexedTypeName: String { "UInt32" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> UInt32 { try key.readBigEndian() }
}

extension UInt64: OrderedValue {
  @inlinable public static var indexedTypeName: String { "UInt64" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> UInt64 { try key.readBigEndian() }
}

extension UInt: OrderedValue {
  @inlinable public static var indexedTypeName: String { "UInt64" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: UInt64(self)) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> UInt {
    UInt(try UInt64.readKey(from: &key))
  }
}

extension Int8: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Int8" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(UInt8(bitPattern: self ^ .min)) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Int8 {
    Int8(bitPattern: try key.readByte()) ^ .min
  }
}

extension Int16: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Int16" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self ^ .min) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Int16 {
    try key.readBigEndian(Int16.self) ^ .min
  }
}

extension Int32: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Int32" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self ^ .min) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Int32 {
    try key.readBigEndian(Int32.self) ^ .min
  }
}

extension Int64: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Int64" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(bigEndian: self ^ .min) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Int64 {
    try key.readBigEndian(Int64.self) ^ .min
  }
}

extension Int: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Int64" }
  @inlinable public func writeKey(to key: inout KeyWriter) { Int64(self).writeKey(to: &key) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Int { Int(try Int64.readKey(from: &key)) }
}

extension Bool: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Bool" }
  @inlinable public func writeKey(to key: inout KeyWriter) { key.append(self ? 1 : 0) }
  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Bool {
    switch try key.readByte() {
    case 0: return false
    case 1: return true
    default: throw KeyError("a Bool is neither true nor false")
    }
  }
  @inlinable public static func isEqual(_ lhs: Bool, _ rhs: Bool) -> Bool { lhs == rhs }
  @inlinable public static func precedes(_ lhs: Bool, _ rhs: Bool) -> Bool { !lhs && rhs }
}

// The key of a floating-point number is its bits. For a negative number all bits are inverted, for others only the sign
// bit. Then the bytes have the order of the numbers, as the layout of IEEE 754 provides for.

extension Float: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Float" }

  @inlinable
  public func writeKey(to key: inout KeyWriter) {
    let bits = isNaN ? 0x7FC0_0000 : self == 0 ? 0 : bitPattern
    key.append(bigEndian: bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits)
  }

  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Float {
    let bits = try key.readBigEndian(UInt32.self)
    return Float(bitPattern: bits & 0x8000_0000 == 0 ? ~bits : bits & 0x7FFF_FFFF)
  }

  @inlinable
  public static func isEqual(_ lhs: Float, _ rhs: Float) -> Bool { lhs == rhs || (lhs.isNaN && rhs.isNaN) }

  @inlinable
  public static func precedes(_ lhs: Float, _ rhs: Float) -> Bool { lhs < rhs || (rhs.isNaN && !lhs.isNaN) }
}

extension Double: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Double" }

  @inlinable
  public func writeKey(to key: inout KeyWriter) {
    let bits = isNaN ? 0x7FF8_0000_0000_0000 : self == 0 ? 0 : bitPattern
    key.append(bigEndian: bits & 1 << 63 == 0 ? bits | 1 << 63 : ~bits)
  }

  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Double {
    let bits = try key.readBigEndian(UInt64.self)
    return Double(bitPattern: bits & 1 << 63 == 0 ? ~bits : bits & ~(1 << 63))
  }

  @inlinable
  public static func isEqual(_ lhs: Double, _ rhs: Double) -> Bool { lhs == rhs || (lhs.isNaN && rhs.isNaN) }

  @inlinable
  public static func precedes(_ lhs: Double, _ rhs: Double) -> Bool { lhs < rhs || (rhs.isNaN && !lhs.isNaN) }
}

extension Date: OrderedValue {
  @inlinable public static var indexedTypeName: String { "Date" }

  @inlinable
  public func writeKey(to key: inout KeyWriter) { timeIntervalSinceReferenceDate.writeKey(to: &key) }

  @inlinable
  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Date {
    Date(timeIntervalSinceReferenceDate: try Double.readKey(from: &key))
  }

  @inlinable
  public static func isEqual(_ lhs: Date, _ rhs: Date) -> Bool {
    Double.isEqual(lhs.timeIntervalSinceReferenceDate, rhs.timeIntervalSinceReferenceDate)
  }

  @inlinable
  public static func precedes(_ lhs: Date, _ rhs: Date) -> Bool {
    Double.precedes(lhs.timeIntervalSinceReferenceDate, rhs.timeIntervalSinceReferenceDate)
  }
}
