#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A type whose values tools can show, because the format in which a ``DataBuffer`` writes them has a ``ContentType``.
///
/// A type of your own conforms if its `writeValue` writes a single value of such a type:
///
/// ```swift
/// extension Money: ContentFieldValue {
///   static var contentType: ContentType { .decimal }
/// }
/// ```
public protocol ContentFieldValue: DataBufferValue {
  /// The type that tools read values with.
  static var contentType: ContentType { get }
}

extension Bool: ContentFieldValue { public static var contentType: ContentType { .bool } }
extension Int8: ContentFieldValue { public static var contentType: ContentType { .int8 } }
extension Int16: ContentFieldValue { public static var contentType: ContentType { .int16 } }
extension Int32: ContentFieldValue { public static var contentType: ContentType { .int32 } }
extension Int64: ContentFieldValue { public static var contentType: ContentType { .int64 } }
extension UInt8: ContentFieldValue { public static var contentType: ContentType { .uint8 } }
extension UInt16: ContentFieldValue { public static var contentType: ContentType { .uint16 } }
extension UInt32: ContentFieldValue { public static var contentType: ContentType { .uint32 } }
extension UInt64: ContentFieldValue { public static var contentType: ContentType { .uint64 } }
extension Int: ContentFieldValue { public static var contentType: ContentType { .int } }
extension UInt: ContentFieldValue { public static var contentType: ContentType { .uint } }
extension Float: ContentFieldValue { public static var contentType: ContentType { .float } }
extension Double: ContentFieldValue { public static var contentType: ContentType { .double } }
extension String: ContentFieldValue { public static var contentType: ContentType { .string } }
extension Data: ContentFieldValue { public static var contentType: ContentType { .bytes } }
extension Date: ContentFieldValue { public static var contentType: ContentType { .date } }
extension UUID: ContentFieldValue { public static var contentType: ContentType { .uuid } }
extension URL: ContentFieldValue { public static var contentType: ContentType { .url } }
extension Decimal: ContentFieldValue { public static var contentType: ContentType { .decimal } }
extension AnyObjectID: ContentFieldValue { public static var contentType: ContentType { .objectID } }
extension ObjectID: ContentFieldValue { public static var contentType: ContentType { .objectID } }

extension Optional: ContentFieldValue where Wrapped: ContentFieldValue {
  public static var contentType: ContentType { .optional(Wrapped.contentType) }
}

extension Array: ContentFieldValue where Element: ContentFieldValue {
  public static var contentType: ContentType { .array(Element.contentType) }
}

extension Set: ContentFieldValue where Element: ContentFieldValue {
  public static var contentType: ContentType { .array(Element.contentType) }
}

extension Dictionary: ContentFieldValue where Key: ContentFieldValue, Value: ContentFieldValue {
  public static var contentType: ContentType { .dictionary(Key.contentType, Value.contentType) }
}
