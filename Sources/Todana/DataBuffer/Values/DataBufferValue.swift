/// A value that can be written to a ``DataBuffer`` and read from it, alone or as an element of a collection.
///
/// Integers, floating-point numbers, `Bool`, `String`, `Data`, `Date`, `UUID`, `URL`, `Decimal`, and optionals, arrays,
/// sets and dictionaries of such values conform. So can a type of yours:
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
  /// The fewest bytes that any value is written with: 1 by default, and never less.
  ///
  /// A count of elements is refused when the bytes that are left could not hold so many.
  static var minimumByteCount: Int { get }

  /// Writes the value.
  func writeValue(to buffer: inout DataBuffer)

  /// Reads what ``writeValue(to:)`` wrote.
  static func readValue(from buffer: inout DataBuffer) throws(DataBufferError) -> Self
}

extension DataBufferValue {
  @inlinable public static var minimumByteCount: Int { 1 }
}

extension DataBuffer {
  /// Writes any value that can be written, in the form of its own writer.
  @inlinable
  public mutating func writeValue<Value: DataBufferValue>(_ value: Value) {
    let composite = beginComposite()
    value.writeValue(to: &self)
    endComposite(composite)
  }

  /// Reads any value that can be read.
  ///
  /// - Throws: What the value's own reader throws.
  @inlinable
  public mutating func readValue<Value: DataBufferValue>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value {
    try Value.readValue(from: &self)
  }
}
