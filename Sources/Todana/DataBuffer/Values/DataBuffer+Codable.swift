#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Codable values: the byte count as a varint, then the binary form of a value.
extension DataBuffer {
  /// Writes a value in the binary form of ``BinaryEncoder``, for types with many fields or without a writer of their own.
  ///
  /// Equal values have equal bytes. The other write methods are faster.
  ///
  /// If the value cannot be encoded, the save throws an error. Numbers and dates are restored bit for bit, except for
  /// the payload bits of a NaN of the type `Float`. A `URL` relative to a base is restored as the absolute URL.
  ///
  /// The save does not verify that the type's `init(from:)` accepts the output of its `encode(to:)`; that is up to the
  /// type.
  public mutating func writeCodable<Value: Encodable>(_ value: Value) {
    fieldNumber &+= 1
    let encoding = valueEncoding ?? ValueEncoding()
    valueEncoding = encoding
    do {
      try encoding.encode(value)
      unsafe appendCountedBytes(encoding.arena.bytes)
    } catch {
      refuse(value, .codableFailure, "\(Value.self) could not be encoded\(place(of: error))")
    }
    // One large value is not to take resident memory permanently.
    encoding.arena.count = 0
    encoding.arena.shrink(to: 1 << 20)
  }

  /// Reads a value written by ``writeCodable(_:)``.
  ///
  /// Keys that the type does not have are ignored. Missing keys are nil, or come from the type's ``DefaultValues``.
  ///
  /// - Throws: ``DataBufferError/Code/codableFailure`` if the value cannot be decoded; else the errors of
  ///   ``readData()``.
  public mutating func readCodable<Value: Decodable>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value {
    let start = unsafe readCursor
    let bytes = unsafe try takeCountedBytes()
    if let value = unsafe keptValue(bytes, as: Value.self) { return value }
    let decoder = valueDecoder ?? ValueDecoder()
    valueDecoder = decoder
    do {
      if unsafe isJSON(bytes) { return try unsafe JSONForm.decode(type, from: Data(bytes)) }
      return unsafe try decoder.decode(type, from: bytes)
    } catch {
      throw unsafe refuse(.codableFailure, "\(Value.self) could not be decoded\(place(of: error))", from: start)
    }
  }
}

/// Returns whether bytes are JSON, which earlier versions have written.
///
/// The first byte of JSON is that of a small integer in the binary form, which has one byte, or of no value at all.
private func isJSON(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let first = unsafe bytes.first else { return false }
  return (0x20..<ValueTag.smallInteger).contains(first)
    || bytes.count > 1 && (ValueTag.smallInteger..<ValueTag.shortString).contains(first)
}

/// The JSON of Codable values that earlier versions have written.
private enum JSONForm {
  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: data)
  }
}

/// Returns the coding path of an error as text.
///
/// It has keys only, as messages never show content.
private func place(of error: any Error) -> String {
  let path: [any CodingKey]? =
    switch error {
    case EncodingError.invalidValue(_, let context): context.codingPath
    case DecodingError.typeMismatch(_, let context): context.codingPath
    case DecodingError.valueNotFound(_, let context): context.codingPath
    case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
    case DecodingError.dataCorrupted(let context): context.codingPath
    default: nil
    }
  guard let path, !path.isEmpty else { return "" }
  return " at " + path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
}
