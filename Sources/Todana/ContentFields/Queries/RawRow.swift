#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A record of a class that the program does not have, for the conditions and sorts of query texts.
final class RawRow: StoredObject {
  /// The values of the content fields, in their order.
  var values: [ContentValue] = []

  /// The value of a field, whose type is that of the property in the class.
  subscript<Value: RawFieldValue>(field: RawField<Value>) -> Value { Value.value(of: values[field.index]) }
}

/// A content field with the type of its property.
struct RawField<Value>: Hashable, Sendable {
  let index: Int
}

/// A type of properties, to which the values of content fields can be converted.
protocol RawFieldValue: OrderedValue {
  /// Returns the value; a default if the content value is of another type.
  static func value(of content: ContentValue) -> Self
}

extension FixedWidthInteger {
  static func value(of content: ContentValue) -> Self {
    switch content {
    case .integer(let value): Self(truncatingIfNeeded: value)
    case .unsigned(let value): Self(truncatingIfNeeded: value)
    default: 0
    }
  }
}

extension Int: RawFieldValue {}
extension Int8: RawFieldValue {}
extension Int16: RawFieldValue {}
extension Int32: RawFieldValue {}
extension Int64: RawFieldValue {}
extension UInt: RawFieldValue {}
extension UInt8: RawFieldValue {}
extension UInt16: RawFieldValue {}
extension UInt32: RawFieldValue {}
extension UInt64: RawFieldValue {}

extension Double: RawFieldValue {
  static func value(of content: ContentValue) -> Double {
    if case .number(let number) = content { number } else { 0 }
  }
}

extension Float: RawFieldValue {
  static func value(of content: ContentValue) -> Float { Float(Double.value(of: content)) }
}

extension Bool: RawFieldValue {
  static func value(of content: ContentValue) -> Bool { content == .bool(true) }
}

extension String: RawFieldValue {
  static func value(of content: ContentValue) -> String {
    if case .text(let text) = content { text } else { content.description }
  }
}

extension Data: RawFieldValue {
  static func value(of content: ContentValue) -> Data {
    if case .bytes(let bytes) = content { Data(bytes) } else { Data() }
  }
}

/// A date that can be written as a text in the format of ISO 8601, because a command line has no arguments.
///
/// In an index it is the same as a `Date`.
struct ISODate: RawRepresentable, RawFieldValue, FieldValue {
  static let shownName = "date, such as 2026-11-27 or 2026-11-27T08:30:00Z"

  let rawValue: Date

  static func value(of content: ContentValue) -> ISODate {
    switch content {
    case .number(let seconds): ISODate(rawValue: Date(timeIntervalSinceReferenceDate: seconds))
    case .text(let text): ISODate(rawValue: DateText.date(text) ?? .distantPast)
    default: ISODate(rawValue: .distantPast)
    }
  }

  static func converted(_ value: Any) -> ISODate? {
    String.converted(value).flatMap { DateText.date($0) }.map { ISODate(rawValue: $0) }
  }
}

extension UUID: RawFieldValue {
  static func value(of content: ContentValue) -> UUID {
    UUID(uuidString: String.value(of: content)) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension Decimal: RawFieldValue {
  static func value(of content: ContentValue) -> Decimal { Decimal(string: String.value(of: content)) ?? .nan }
}

extension AnyObjectID: RawFieldValue {
  static func value(of content: ContentValue) -> AnyObjectID {
    AnyObjectID(String.value(of: content)) ?? AnyObjectID(classID: KeyspaceID(rawValue: 0), rowID: 0)
  }
}

extension Optional: RawFieldValue where Wrapped: RawFieldValue {
  static func value(of content: ContentValue) -> Wrapped? {
    content == .null ? nil : .some(Wrapped.value(of: content))
  }
}
