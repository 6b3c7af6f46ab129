#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A type of fields to which values of other types are converted, if this loses nothing.
protocol FieldValue {
  static func converted(_ value: Any) -> Self?

  /// The name of the type for people.
  static var shownName: String { get }
}

extension FieldValue {
  static var shownName: String { plainName(of: Self.self) }
}

extension FixedWidthInteger {
  static func converted(_ value: Any) -> Self? {
    if let literal = value as? NumberLiteral { return literal.isWhole ? Self(literal.digits) : nil }
    guard let integer = value as? any BinaryInteger else { return nil }
    return Self(exactly: integer)
  }
}

extension Int: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}
extension UInt: FieldValue {}
extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  static func converted(_ value: Any) -> Self? {
    if let literal = value as? NumberLiteral {
      if literal.isWhole, let integer = Int64(literal.digits) { return Self(exactly: integer) }
      guard let number = Self(literal.digits), number.isFinite else { return nil }
      return number
    }
    if let integer = value as? any BinaryInteger { return Self(exactly: integer) }
    guard let number = value as? any BinaryFloatingPoint else { return nil }
    return number.isNaN ? .nan : Self(exactly: number)
  }
}

extension Double: FieldValue {}
extension Float: FieldValue {}

extension Decimal: FieldValue {
  static func converted(_ value: Any) -> Decimal? {
    if let decimal = value as? Decimal { return decimal }
    let digits: String
    if let literal = value as? NumberLiteral {
      digits = literal.digits
    } else if let integer = value as? any BinaryInteger {
      digits = "\(integer)"
    } else {
      return nil
    }
    // A Decimal has at least 38 digits; further digits might be dropped.
    guard digits.prefix(while: { $0 != "e" && $0 != "E" }).count(where: \.isNumber) <= 38 else { return nil }
    guard let decimal = Decimal(string: digits), !decimal.isNaN else { return nil }
    return decimal
  }
}

extension String: FieldValue {
  static func converted(_ value: Any) -> String? { value as? String ?? (value as? Substring).map { String($0) } }
}

extension URL: FieldValue {
  static func converted(_ value: Any) -> URL? { value as? URL ?? String.converted(value).flatMap { URL(string: $0) } }
}

extension UUID: FieldValue {
  static func converted(_ value: Any) -> UUID? {
    value as? UUID ?? String.converted(value).flatMap { UUID(uuidString: $0) }
  }
}

extension Data: FieldValue {
  static func converted(_ value: Any) -> Data? { value as? Data ?? (value as? [UInt8]).map { Data($0) } }
}

extension AnyObjectID: FieldValue {
  static func converted(_ value: Any) -> AnyObjectID? {
    if let id = value as? AnyObjectID { return id }
    if let id = value as? any TypedIdentity { return id.untyped }
    return String.converted(value).flatMap { AnyObjectID($0) }
  }
}

extension ObjectID: FieldValue {
  static func converted(_ value: Any) -> ObjectID? { AnyObjectID.converted(value).map { ObjectID(unchecked: $0) } }
}

private protocol TypedIdentity { var untyped: AnyObjectID { get } }
extension ObjectID: TypedIdentity {}
