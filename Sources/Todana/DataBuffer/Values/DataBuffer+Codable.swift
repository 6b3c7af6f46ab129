#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Codable values: their JSON, behind its byte count.
extension DataBuffer {
  /// Writes a value as JSON: UTF-8, keys sorted, no white space, infinities and NaN as the strings `inf`, `-inf`, `nan`.
  ///
  /// For values with many fields or none that this library knows; the other writers are much faster. A value that
  /// cannot be encoded is an error of the save; so is a `Decimal` that is not a number, anywhere in it, for which JSON has
  /// no form. Finite numbers come back bit by bit, -0.0 and dates included; infinities and NaN do, but for the bits of a
  /// NaN. A `URL` that is relative to a base comes back as the absolute one.
  ///
  /// The JSON is not read again at the save: that the type's `init(from:)` takes what its `encode(to:)` writes is up to
  /// the type.
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

  /// Reads a value that was written as JSON.
  ///
  /// - Throws: ``DataBufferError/Code/codableFailure`` if the JSON does not give the value; else as ``readData()``.
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

/// Whether JSON has the bare `NaN` that `JSONEncoder` writes for a Decimal, and no decoder reads.
///
/// Everything else that it writes outside of strings is without an N.
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

/// Where an error happened: keys only, as messages never show content.
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
