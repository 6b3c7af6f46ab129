#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Codable values: the byte count as a varint, then JSON.
extension DataBuffer {
  /// Writes a value as JSON, for types with many fields or without a writer of their own.
  ///
  /// The JSON is UTF-8 with sorted keys and no white space. Infinities and NaN are the strings `inf`, `-inf` and `nan`.
  /// The other write methods are much faster.
  ///
  /// If the value cannot be encoded, the save throws an error. JSON has no form for a `Decimal` that is not a number,
  /// so a value that contains one is refused, too. Finite numbers are restored bit for bit, including -0.0 and dates.
  /// Infinities and NaN are restored, except for the payload bits of a NaN. A `URL` relative to a base is restored as
  /// the absolute URL.
  ///
  /// The save does not verify that the type's `init(from:)` accepts the output of its `encode(to:)`; that is up to the
  /// type.
  public mutating func writeCodable<Value: Encodable>(_ value: Value) {
    fieldNumber &+= 1
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      let data = try encoder.encode(value)
      if unsafe data.withUnsafeBytes({ unsafe hasNaN($0) }) {
        return refuse(
          value, .codableFailure,
          "A Decimal that is not a number (NaN) cannot be written as JSON; the value is of type \(Value.self)")
      }
      unsafe data.withUnsafeBytes { unsafe appendCountedBytes($0) }
    } catch {
      refuse(value, .codableFailure, "\(Value.self) could not be encoded\(place(of: error))")
    }
  }

  /// Reads a value written by ``writeCodable(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/codableFailure`` if the value cannot be decoded from the JSON; else the errors of
  ///   ``readData()``.
  public mutating func readCodable<Value: Decodable>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value {
    let start = unsafe readCursor
    let data = try readData()
    if let value = keptValue(data, as: Value.self) { return value }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(Value.self, from: data)
    } catch {
      throw unsafe refuse(.codableFailure, "\(Value.self) could not be decoded\(place(of: error))", from: start)
    }
  }
}

/// Returns whether JSON contains the bare `NaN` that `JSONEncoder` writes for a Decimal, and no decoder accepts.
///
/// Outside of strings, `JSONEncoder` writes an N for nothing else.
private func hasNaN(_ json: UnsafeRawBufferPointer) -> Bool {
  guard unsafe json.contains(UInt8(ascii: "N")) else { return false }
  var isInString = false
  var index = 0
  while index < json.count {
    switch unsafe json[index] {
    case UInt8(ascii: "\""): isInString.toggle()
    case UInt8(ascii: "\\"): index += 1
    case UInt8(ascii: "N") where !isInString: return true
    default: break
    }
    index += 1
  }
  return false
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
