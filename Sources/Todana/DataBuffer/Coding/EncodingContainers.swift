/// A container for the entries of a dictionary.
struct KeyedValueEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoding: ValueEncoding
  let depth: Int

  var codingPath: [any CodingKey] { encoding.codingPath }

  @inline(__always)
  private func begin(_ key: Key) throws -> ByteArena {
    try encoding.begin(key.stringValue, depth)
    return encoding.arena
  }

  mutating func encodeNil(forKey key: Key) throws { try begin(key).append(byte: ValueTag.null) }
  mutating func encode(_ value: Bool, forKey key: Key) throws {
    try begin(key).append(byte: value ? ValueTag.true : ValueTag.false)
  }
  mutating func encode(_ value: String, forKey key: Key) throws { try begin(key).append(string: value) }
  mutating func encode(_ value: Double, forKey key: Key) throws {
    try begin(key).append(tag: ValueTag.double, bits: value.bitPattern)
  }
  mutating func encode(_ value: Float, forKey key: Key) throws { try encode(Double(value), forKey: key) }
  mutating func encode(_ value: Int, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { try begin(key).append(integer: value) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { try begin(key).append(anyInteger: value) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { try begin(key).append(integer: Int64(value)) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { try begin(key).append(anyInteger: value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: Int128, forKey key: Key) throws { try begin(key).append(anyInteger: value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: UInt128, forKey key: Key) throws { try begin(key).append(anyInteger: value) }

  mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    _ = try begin(key)
    try encoding.write(value, for: key)
  }

  private func nested(_ key: any CodingKey) -> ValueEncoding {
    // The key of a container that may not write is refused by the container's next write.
    do { try encoding.begin(key.stringValue, depth) } catch { return ValueEncoding() }
    return encoding.nested(key)
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> { nested(key).container(keyedBy: keyType) }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nested(key).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { nested(ValueKey("super")) }
  mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// A container for the elements of an array.
struct UnkeyedValueEncoding: UnkeyedEncodingContainer {
  let encoding: ValueEncoding
  let depth: Int

  var codingPath: [any CodingKey] { encoding.codingPath }
  var count: Int { encoding.elementCount }

  private func begin() throws -> ByteArena {
    try encoding.beginElement(depth)
    return encoding.arena
  }

  mutating func encodeNil() throws { try begin().append(byte: ValueTag.null) }
  mutating func encode(_ value: String) throws { try begin().append(string: value) }
  mutating func encode(_ value: Double) throws { try begin().append(tag: ValueTag.double, bits: value.bitPattern) }
  mutating func encode(_ value: Int) throws { try begin().append(integer: Int64(value)) }
  mutating func encode(_ value: UInt8) throws { try begin().append(integer: Int64(value)) }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    _ = try begin()
    try encoding.write(value, for: ValueKey(intValue: count - 1))
  }

  private func nested() -> ValueEncoding {
    do { try encoding.beginElement(depth) } catch { return ValueEncoding() }
    return encoding.nested(ValueKey(intValue: count - 1))
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy keyType: NestedKey.Type
  ) -> KeyedEncodingContainer<NestedKey> { nested().container(keyedBy: keyType) }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { nested() }
}

/// A container for a value without parts, or one that another value wraps.
struct SingleValueEncoding: SingleValueEncodingContainer {
  let encoding: ValueEncoding
  let depth: Int

  var codingPath: [any CodingKey] { encoding.codingPath }

  private func begin() throws -> ByteArena {
    try encoding.beginSingle(depth)
    return encoding.arena
  }

  mutating func encodeNil() throws { try begin().append(byte: ValueTag.null) }
  mutating func encode(_ value: Bool) throws { try begin().append(byte: value ? ValueTag.true : ValueTag.false) }
  mutating func encode(_ value: String) throws { try begin().append(string: value) }
  mutating func encode(_ value: Double) throws { try begin().append(tag: ValueTag.double, bits: value.bitPattern) }
  mutating func encode(_ value: Float) throws { try encode(Double(value)) }
  mutating func encode(_ value: Int) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: Int8) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: Int16) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: Int32) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: Int64) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: UInt) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: UInt8) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: UInt16) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: UInt32) throws { try begin().append(anyInteger: value) }
  mutating func encode(_ value: UInt64) throws { try begin().append(anyInteger: value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: Int128) throws { try begin().append(anyInteger: value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  mutating func encode(_ value: UInt128) throws { try begin().append(anyInteger: value) }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    _ = try begin()
    try encoding.write(value)
  }
}

extension ByteArena {
  /// Appends an integer of any size; one beyond the range of `Int64` as a string of its decimal digits.
  @inline(__always)
  func append(anyInteger value: some BinaryInteger) {
    if let value = Int64(exactly: value) { append(integer: value) } else { append(string: "\(value)") }
  }
}

/// A key of a coding path: a name, or the position of an element.
struct ValueKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(stringValue: String) { self.init(stringValue) }

  init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}
