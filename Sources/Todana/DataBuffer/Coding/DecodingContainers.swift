/// A container of the entries of a dictionary.
struct KeyedValueDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoding: ValueDecoding
  let entries: Range<Int>
  /// The type that is being decoded, whose defaults stand for missing entries.
  let type: Any.Type

  var codingPath: [any CodingKey] { decoding.codingPath }

  // MARK: Entries

  var allKeys: [Key] {
    var keys: [Key] = []
    guard var reader = try? entriesReader() else { return [] }
    while !reader.isAtEnd, let range = try? reader.readCounted(), (try? reader.skipValue()) != nil {
      if let name = try? reader.string(range), let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { ((try? position(of: key.stringValue)) ?? nil) != nil }

  private func entriesReader() throws -> ValueReader { ValueReader(try decoding.reader(at: 0), entries) }

  /// Returns the position of a key's value; nil if there is none.
  ///
  /// Most types ask for their keys in the order in which they are stored, so the entry after the last one comes first.
  @inline(__always)
  private func position(of key: String) throws -> Int? {
    var reader = try entriesReader()
    let expected = decoding.expected
    if entries.contains(expected) {
      reader.move(to: expected)
      do throws(ValueReader.Failure) {
        let range = try reader.readCounted()
        if reader.isEqual(range, key) {
          let position = reader.position
          try reader.skipValue()
          decoding.expected = reader.position
          return position
        }
      } catch {
        throw decoding.failure(error) { nil }
      }
    }
    return try search(for: key)
  }

  @inline(never)
  private func search(for key: String) throws -> Int? {
    var reader = try entriesReader()
    do throws(ValueReader.Failure) {
      while !reader.isAtEnd {
        let range = try reader.readCounted()
        let position = reader.position
        try reader.skipValue()
        if reader.isEqual(range, key) {
          decoding.expected = reader.position
          return position
        }
      }
    } catch {
      throw decoding.failure(error) { nil }
    }
    return nil
  }

  /// Decodes the value of a key by a closure that gets its place; a missing one is decoded from the type's defaults.
  @inline(__always)
  private func decode<Value>(
    _ key: Key, _ body: (ValueDecoding, Int) throws -> Value
  ) throws -> Value {
    if let position = try position(of: key.stringValue) { return try body(decoding, position) }
    return try decodeDefault(key, body)
  }

  @inline(never)
  private func decodeDefault<Value>(
    _ key: Key, _ body: (ValueDecoding, Int) throws -> Value
  ) throws -> Value {
    if let defaults = try decoding.source.defaults(of: type) {
      let decoding = ValueDecoding(defaults)
      let entries = try decoding.entries()
      let container = KeyedValueDecoding(decoding: decoding, entries: entries, type: Void.self)
      if let position = try container.position(of: key.stringValue) { return try body(decoding, position) }
    }
    throw DecodingError.keyNotFound(key, decoding.context("there is no key \"\(key.stringValue)\""))
  }

  /// Decodes the value of a key, if there is one and it is not null.
  @inline(__always)
  private func decodeIfPresent<Value>(
    _ key: Key, _ body: (ValueDecoding, Int) throws -> Value
  ) throws -> Value? {
    guard let position = try position(of: key.stringValue), try !decoding.isNull(at: position) else { return nil }
    return try body(decoding, position)
  }

  // MARK: Values

  func decodeNil(forKey key: Key) throws -> Bool { try decode(key) { try $0.isNull(at: $1) } }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decode(key) { try $0.bool(at: $1) { key } } }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try decode(key) { try $0.string(at: $1) { key } }
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try decode(key) { try $0.double(at: $1) { key } }
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decode(key) { try $0.float(at: $1) { key } } }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try decode(key) { try $0.integer(type, at: $1) { key } }
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try decode(key) { try $0.decodeNested(type, at: $1, key) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try decodeIfPresent(key) { try $0.bool(at: $1) { key } }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try decodeIfPresent(key) { try $0.string(at: $1) { key } }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try decodeIfPresent(key) { try $0.double(at: $1) { key } }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
    try decodeIfPresent(key) { try $0.integer(type, at: $1) { key } }
  }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
    try decodeIfPresent(key) { try $0.integer(type, at: $1) { key } }
  }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
    try decodeIfPresent(key) { try $0.integer(type, at: $1) { key } }
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try decodeIfPresent(key) { try $0.decodeNested(type, at: $1, key) }
  }

  // MARK: Nested containers

  private func nested(_ key: any CodingKey) throws -> ValueDecoding {
    guard let position = try position(of: key.stringValue) else {
      throw DecodingError.keyNotFound(key, decoding.context("there is no key \"\(key.stringValue)\""))
    }
    return decoding.nested(at: position, key)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> { try nested(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nested(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nested(ValueKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try nested(key) }
}

/// A container of the elements of an array.
struct UnkeyedValueDecoding: UnkeyedDecodingContainer {
  private let decoding: ValueDecoding
  private let elements: Range<Int>
  private var position: Int
  private let elementCount: Int
  private(set) var currentIndex = 0

  init(decoding: ValueDecoding, elements: Range<Int>, count: Int) {
    self.decoding = decoding
    self.elements = elements
    position = elements.lowerBound
    elementCount = count
  }

  var codingPath: [any CodingKey] { decoding.codingPath }
  var count: Int? { elementCount }
  var isAtEnd: Bool { currentIndex == elementCount }

  /// Calls the closure with the place of the next element, and moves on if it throws no error.
  private mutating func next<Value>(
    _ type: Any.Type, _ body: (ValueDecoding, Int, () -> (any CodingKey)?) throws -> Value
  ) throws -> Value {
    let index = currentIndex
    let key: () -> (any CodingKey)? = { ValueKey(intValue: index) }
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(type, decoding.context("the array has \(elementCount) elements", key))
    }
    var reader = ValueReader(try decoding.reader(at: 0), elements)
    reader.move(to: position)
    let value = try body(decoding, position, key)
    try reader.checked({ reader throws(ValueReader.Failure) in try reader.skipValue() }, decoding, key)
    position = reader.position
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, try decoding.isNull(at: position) else { return false }
    position += 1
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string(at: $1, $2) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try next(type) { try $0.double(at: $1, $2) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try next(type) { try $0.integer(type, at: $1, $2) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type) { try $0.integer(type, at: $1, $2) } }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try next(type) { try $0.decodeNested(type, at: $1, $2()) }
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> { try superDecoder().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try superDecoder().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    try next([UInt8].self) { $0.nested(at: $1, $2()) }
  }
}

/// A container of a value without parts, or of one that another value wraps.
struct SingleValueDecoding: SingleValueDecodingContainer {
  let decoding: ValueDecoding
  let position: Int

  var codingPath: [any CodingKey] { decoding.codingPath }

  private func noKey() -> (any CodingKey)? { nil }

  func decodeNil() -> Bool { (try? decoding.isNull(at: position)) ?? false }
  func decode(_ type: Bool.Type) throws -> Bool { try decoding.bool(at: position, noKey) }
  func decode(_ type: String.Type) throws -> String { try decoding.string(at: position, noKey) }
  func decode(_ type: Double.Type) throws -> Double { try decoding.double(at: position, noKey) }
  func decode(_ type: Float.Type) throws -> Float { try decoding.float(at: position, noKey) }
  func decode(_ type: Int.Type) throws -> Int { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: Int8.Type) throws -> Int8 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: Int16.Type) throws -> Int16 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: Int32.Type) throws -> Int32 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: Int64.Type) throws -> Int64 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: UInt.Type) throws -> UInt { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decoding.integer(type, at: position, noKey) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decoding.integer(type, at: position, noKey) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: Int128.Type) throws -> Int128 { try decoding.integer(type, at: position, noKey) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decoding.integer(type, at: position, noKey) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoding.decodeNested(type, at: position, nil)
  }
}
