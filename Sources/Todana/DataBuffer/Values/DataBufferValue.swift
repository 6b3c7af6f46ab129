/// A value that can be written to a ``DataBuffer`` and read from it, alone or as an element of a collection.
///
/// Integers, floating-point numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL` and `Decimal` conform. So do
/// optionals, arrays, sets and dictionaries of conforming values. Your own types can conform, too:
///
/// ```swift
/// extension Point: DataBufferValue {
///   func writeValue(to buffer: inout DataBuffer) {
///     buffer.writeDouble(x)
///     buffer.writeDouble(y)
///   }
///   static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Point {
///     Point(x: try buffer.readDouble(), y: try buffer.readDouble())
///   }
/// }
/// ```
public protocol DataBufferValue {
  /// The smallest number of bytes that a value is written with; at least 1, which is the default.
  ///
  /// An element count is refused if the remaining bytes could not hold so many elements of this size.
  static var minimumByteCount: Int { get }

  /// Writes the value, with at least ``minimumByteCount`` bytes.
  func writeValue(to buffer: inout DataBuffer)

  /// Reads a value written by ``writeValue(to:)``.
  static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Self
}

extension DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 1 }
}

extension DataBuffer {
  /// Writes a value of any conforming type, in the format of the type.
  @inlinable
  public mutating func writeValue<Value: DataBufferValue>(_ value: Value) {
    let composite = beginComposite()
    value.writeValue(to: &self)
    endComposite(composite)
  }

  /// Reads a value of any conforming type.
  ///
  /// - Throws: The errors of the value type's reader.
  @inlinable
  public mutating func readValue<Value: DataBufferValue>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value {
    try Value.readValue(from: &self)
  }
}
