// Optionals: a presence byte, 1 or 0, and after a 1 the value. Nil, zero and empty are thus distinct.
extension DataBuffer {
  /// Writes a presence byte and, unless it is nil, the value.
  @inlinable
  public mutating func writeOptional<Value: DataBufferValue>(_ value: Value?) {
    writeOptional(value) { buffer, value in value.writeValue(to: &buffer) }
  }

  /// Writes a presence byte and, unless the value is nil, calls the closure to write the value.
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

  /// Reads an optional value of a type with a reader of its own.
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

  /// Reads an optional value, and calls the closure to read the value if it is not nil.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1; else the errors of the
  ///   closure.
  @inlinable
  public mutating func readOptional<Value>(_ readValue: (inout DataBuffer) throws -> Value) throws -> Value? {
    guard try readFlag(presenceMessage) else { return nil }
    return try readValue(&self)
  }

  /// Reads an optional value, and calls the closure to read the value if it is not nil.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1; else the errors of the
  ///   closure.
  @inlinable
  public mutating func readOptional<Value>(
    _ readValue: (inout DataBuffer) throws(DataBufferError) -> Value
  ) throws(DataBufferError) -> Value? {
    guard try readFlag(presenceMessage) else { return nil }
    return try readValue(&self)
  }
}
