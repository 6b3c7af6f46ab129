/// An encoder of Codable values in a compact binary form (docs/formats/documents.md).
///
/// ```swift
/// let bytes = try BinaryEncoder().encode(point)
/// let same = try BinaryDecoder().decode(Point.self, from: bytes)
/// ```
///
/// The form is canonical: equal values have equal bytes in every process, also dictionaries and sets. It is that of
/// documents, so values can be read without their type. Floating-point numbers, dates and Decimals are restored bit for
/// bit. Integers beyond the range of `Int64` are stored as their decimal digits.
public struct BinaryEncoder: Sendable {
  public init() {}

  /// Encodes a value.
  ///
  /// - Throws: `EncodingError` if arrays and dictionaries are nested more than 512 levels deep, or a value encodes itself
  ///   into two kinds of containers; the errors of the value.
  /// - Complexity: O(*n*); O(*n* log *n*) for dictionaries and sets.
  public func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoding = ValueEncoding()
    try encoding.encode(value)
    return unsafe Array(encoding.arena.bytes)
  }
}

/// A decoder of the values that ``BinaryEncoder`` encodes.
///
/// It trusts no byte: invalid ones cause an error, and cannot cause large allocations. Keys that the type does not have
/// are ignored. Missing keys are nil, or come from the type's ``DefaultValues``.
public struct BinaryDecoder: Sendable {
  public init() {}

  /// Decodes a value.
  ///
  /// - Throws: `DecodingError` if the bytes are invalid, or are not a value of the type; the errors of the type.
  public func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    let decoder = ValueDecoder()
    return try unsafe bytes.withUnsafeBytes { unsafe try decoder.decode(type, from: $0) }
  }
}

/// A decoder of values that can be used for one after another.
final class ValueDecoder {
  private var decoding: ValueDecoding

  init() { decoding = ValueDecoding(DecodedBytes()) }

  /// Decodes a value from bytes that stay in place during the call.
  func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeRawBufferPointer) throws -> Value {
    let source = decoding.source
    var reader = unsafe ValueReader(bytes)
    source.reader = reader
    defer {
      // A container that the program has kept must not read the memory any more.
      source.reader = nil
      if !isKnownUniquelyReferenced(&decoding) { decoding = ValueDecoding(DecodedBytes()) }
    }
    let value = try decoding.decodeWhole(type)
    try reader.checked({ reader throws(ValueReader.Failure) in try reader.skipValue() }, decoding) { nil }
    guard reader.isAtEnd else { throw decoding.failure(.trailingBytes) { nil } }
    return value
  }
}
