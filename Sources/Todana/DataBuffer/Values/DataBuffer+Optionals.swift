// Optionals: a presence byte, 1 or 0, and after a 1 the value. Nil, zero and empty are thus distinct.
extension DataBuffer {
  /// Writes a presence byte and, unless nil, the value.
  @inlinable
  public mutating func writeOptional<Value: DataBufferValue>(_ value: Value?) {
    writeOptional(value) { buffer, value in value.writeValue(to: &buffer) }
  }

  /// Writes a presence byte and, unless nil, the value with the closure.
  ///
  /// ```swift
  /// buffer.writeOptional(position) { buffer, position in
  ///   buffer.writeDouble(position.latitude)
  ///   buffer.writeDouble(position.longitude)
  /// }
  /// ```
  @inlinable
  public mutating func writeOptional<Value>(_ value: Value?, _ writeValue: (inout DataBuffer, Value) -> Void) {
    let composite = beginComposite()
    appendByte(value == nil ? 0 : 1)
    if let value { writeValue(&self, value) }
    endComposite(composite)
  }

  /// Reads a value that may be nil.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1; else the errors of the value
  ///   type's reader.
  @inlinable
  public mutating func readOptional<Value: DataBufferValue>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value? {
    guard try readFlag(presenceMessage) else { return nil }
    return try Value.readValue(from: &self)
  }

  /// Reads a value that may be nil with a closure, which is called only if there is a value.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1; else the errors of the
  ///   closure.
  @inlinable
  public mutating func readOptional<Value>(_ readValue: (inout DataBuffer) throws -> Value) throws -> Value? {
    guard try readFlag(presenceMessage) else { return nil }
    return try readValue(&self)
  }

  /// Reads a value that may be nil with a closure that throws only ``DataBufferError``.
  @inlinable
  public mutating func readOptional<Value>(
    _ readValue: (inout DataBuffer) throws(DataBufferError) -> Value
  ) throws(DataBufferError) -> Value? {
    guard try readFlag(presenceMessage) else { return nil }
    return try readValue(&self)
  }
}
