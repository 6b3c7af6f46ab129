internal import Foundation

/// An encoder that makes a value of an encodable value.
final class DocumentEncoder: Encoder {
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  /// The value that was encoded so far; nil if nothing was.
  private var content: Content?

  /// A container is finished when it is read, because parts of it may be encoded until then.
  private enum Content {
    case value(DocumentValue)
    case keyed(KeyedStorage)
    case unkeyed(UnkeyedStorage)
  }

  private init(at codingPath: [any CodingKey]) { self.codingPath = codingPath }

  static func value(of value: some Encodable, at codingPath: [any CodingKey]) throws -> DocumentValue {
    switch value {
    case let value as DocumentValue: return value
    case let value as Date: return DocumentValue(value)
    case let value as UUID: return DocumentValue(value)
    case let value as Data: return DocumentValue(value)
    case let value as URL: return DocumentValue(value.absoluteString)
    default: break
    }
    if codingPath.count >= BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    let encoder = DocumentEncoder(at: codingPath)
    try value.encode(to: encoder)
    return encoder.value ?? DocumentValue(DocumentDictionary())
  }

  private var value: DocumentValue? {
    switch content {
    case .value(let value)?: value
    case .keyed(let storage)?: storage.value
    case .unkeyed(let storage)?: storage.value
    case nil: nil
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    var storage = KeyedStorage()
    if case .keyed(let existing)? = content { storage = existing }
    content = .keyed(storage)
    return KeyedEncodingContainer(KeyedContainer<Key>(storage: storage, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    var storage = UnkeyedStorage()
    if case .unkeyed(let existing)? = content { storage = existing }
    content = .unkeyed(storage)
    return UnkeyedContainer(storage: storage, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { SingleValueContainer(encoder: self) }

  // MARK: Containers

  /// A place in a container: a value, or another encoder that is still in use.
  fileprivate enum Place {
    case value(DocumentValue)
    case encoder(DocumentEncoder)

    var value: DocumentValue {
      switch self {
      case .value(let value): value
      case .encoder(let encoder): encoder.value ?? DocumentValue(DocumentDictionary())
      }
    }
  }

  fileprivate final class KeyedStorage {
    var places: [(key: String, place: Place)] = []

    var value: DocumentValue {
      var entries = DocumentDictionary()
      for (key, place) in places { entries[key] = place.value }
      return DocumentValue(entries)
    }
  }

  fileprivate final class UnkeyedStorage {
    var places: [Place] = []

    var value: DocumentValue { DocumentValue(places.map(\.value)) }
  }

  private struct KeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let storage: KeyedStorage
    let codingPath: [any CodingKey]

    private func add(_ place: Place, _ key: any CodingKey) { storage.places.append((key.stringValue, place)) }

    private func nested(_ key: any CodingKey) -> DocumentEncoder {
      let encoder = DocumentEncoder(at: codingPath + [key])
      add(.encoder(encoder), key)
      return encoder
    }

    mutating func encodeNil(forKey key: Key) throws { add(.value(.null), key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      add(.value(try DocumentEncoder.value(of: value, at: codingPath + [key])), key)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { nested(key).container(keyedBy: keyType) }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      nested(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { nested(DocumentKey("super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
  }

  private struct UnkeyedContainer: UnkeyedEncodingContainer {
    let storage: UnkeyedStorage
    let codingPath: [any CodingKey]

    var count: Int { storage.places.count }

    private func nested() -> DocumentEncoder {
      let encoder = DocumentEncoder(at: codingPath + [DocumentKey(intValue: count)])
      storage.places.append(.encoder(encoder))
      return encoder
    }

    mutating func encodeNil() throws { storage.places.append(.value(.null)) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      let path = codingPath + [DocumentKey(intValue: count)]
      storage.places.append(.value(try DocumentEncoder.value(of: value, at: path)))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
      keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { nested().container(keyedBy: keyType) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { nested() }
  }

  private struct SingleValueContainer: SingleValueEncodingContainer {
    let encoder: DocumentEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    private func set(_ value: DocumentValue) { encoder.content = .value(value) }

    mutating func encodeNil() throws { set(.null) }
    mutating func encode(_ value: Bool) throws { set(DocumentValue(value)) }
    mutating func encode(_ value: String) throws { set(DocumentValue(value)) }
    mutating func encode(_ value: Double) throws { set(DocumentValue(value)) }
    mutating func encode(_ value: Float) throws { set(DocumentValue(Double(value))) }
    mutating func encode(_ value: Int) throws { try set(integer: value) }
    mutating func encode(_ value: Int8) throws { try set(integer: value) }
    mutating func encode(_ value: Int16) throws { try set(integer: value) }
    mutating func encode(_ value: Int32) throws { try set(integer: value) }
    mutating func encode(_ value: Int64) throws { try set(integer: value) }
    mutating func encode(_ value: UInt) throws { try set(integer: value) }
    mutating func encode(_ value: UInt8) throws { try set(integer: value) }
    mutating func encode(_ value: UInt16) throws { try set(integer: value) }
    mutating func encode(_ value: UInt32) throws { try set(integer: value) }
    mutating func encode(_ value: UInt64) throws { try set(integer: value) }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
      set(try DocumentEncoder.value(of: value, at: codingPath))
    }

    private func set(integer: some BinaryInteger) throws {
      guard let value = Int64(exactly: integer) else {
        throw DocumentError(.numberOutOfRange, "the integer \(integer) is beyond the range of Int64")
      }
      set(DocumentValue(value))
    }
  }
}
