internal import Foundation

/// A decoder of the parts of a value.
struct DocumentDecoder: Decoder {
  private let value: DocumentValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<Value: Decodable>(
    _ type: Value.Type, from value: DocumentValue, at codingPath: [any CodingKey]
  ) throws -> Value {
    if type == DocumentValue.self, let value = value as? Value { return value }
    let isKept = type == Date.self || type == UUID.self || type == Data.self || type == URL.self
    guard isKept else { return try Value(from: DocumentDecoder(value: value, codingPath: codingPath)) }
    let kept: Any? =
      switch value.storage {
      case .date(let date): date
      case .uuid(let uuid): uuid
      case .bytes(let bytes): bytes
      case .string(let text) where type == URL.self: URL(string: text)
      // JSON of other programs has UUIDs as texts.
      case .string(let text) where type == UUID.self: UUID(uuidString: text)
      default: nil
      }
    guard let kept = kept as? Value else { throw mismatch(type, value, codingPath) }
    return kept
  }

  fileprivate static func mismatch(
    _ type: Any.Type, _ value: DocumentValue?, _ codingPath: [any CodingKey]
  ) -> DecodingError {
    guard let value, !value.isNull else {
      return .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "there is no value, or null"))
    }
    return .typeMismatch(
      type, .init(codingPath: codingPath, debugDescription: "the value is of the kind \(value.kind)"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let entries = value.fields else { throw Self.mismatch(DocumentDictionary.self, value, codingPath) }
    return KeyedDecodingContainer(KeyedContainer<Key>(entries: entries, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = value.array else { throw Self.mismatch([DocumentValue].self, value, codingPath) }
    return UnkeyedContainer(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleValueContainer(value: value, codingPath: codingPath)
  }

  // MARK: Containers

  private struct KeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let entries: DocumentDictionary
    let codingPath: [any CodingKey]

    var allKeys: [Key] { entries.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { entries[key.stringValue] != nil }

    private func value(_ key: any CodingKey) throws -> DocumentValue {
      if let value = entries[key.stringValue] { return value }
      throw DecodingError.keyNotFound(
        key, .init(codingPath: codingPath, debugDescription: "there is no key \"\(key.stringValue)\""))
    }

    private func decoder(_ key: any CodingKey) throws -> DocumentDecoder {
      DocumentDecoder(value: try value(key), codingPath: codingPath + [key])
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try DocumentDecoder.decode(type, from: value(key), at: codingPath + [key])
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(DocumentKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
  }

  private struct UnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [DocumentValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [DocumentValue], codingPath: [any CodingKey]) {
      self.elements = elements
      self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private var place: [any CodingKey] { codingPath + [DocumentKey(intValue: currentIndex)] }

    /// Calls the closure with the next element, and moves on if it throws no error.
    private mutating func next<Value>(_ type: Any.Type, _ body: (DocumentValue) throws -> Value) throws -> Value {
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          type, .init(codingPath: place, debugDescription: "the array has \(elements.count) elements"))
      }
      let value = try body(elements[currentIndex])
      currentIndex += 1
      return value
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, elements[currentIndex].isNull else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let place = place
      return try next(type) { try DocumentDecoder.decode(type, from: $0, at: place) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> { try superDecoder().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      let place = place
      return try next(DocumentValue.self) { DocumentDecoder(value: $0, codingPath: place) }
    }
  }

  private struct SingleValueContainer: SingleValueDecodingContainer {
    let value: DocumentValue
    let codingPath: [any CodingKey]

    private func required<Value>(_ found: Value?, _ type: Value.Type) throws -> Value {
      if let found { return found }
      throw DocumentDecoder.mismatch(type, value, codingPath)
    }

    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws -> Integer {
      let found: Integer? =
        switch value.storage {
        case .integer(let value): Integer(exactly: value)
        case .double(let value): Integer(exactly: value)
        default: nil
        }
      return try required(found, type)
    }

    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try required(value.bool, type) }
    func decode(_ type: String.Type) throws -> String { try required(value.string, type) }
    func decode(_ type: Double.Type) throws -> Double { try required(value.double, type) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode(_ type: Float.Type) throws -> Float {
      // Rounding is accepted, as of all decoders: a Float was encoded as the nearest Double.
      let number = value.double.map { Float($0) }
      if let number, number.isInfinite, value.double?.isInfinite == false {
        throw DocumentDecoder.mismatch(type, value, codingPath)
      }
      return try required(number, type)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try DocumentDecoder.decode(type, from: value, at: codingPath)
    }
  }
}
