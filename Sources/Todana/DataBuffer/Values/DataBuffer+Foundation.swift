#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Values of Foundation, and enumerations with raw values.
extension DataBuffer {
  /// Writes 8 bytes: the seconds since the start of 2001, UTC, as a Double, in the date's full precision.
  public mutating func writeDate(_ value: Date) { writeDouble(value.timeIntervalSinceReferenceDate) }

  /// Reads a date written by ``writeDate(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  public mutating func readDate() throws(DataBufferError) -> Date {
    Date(timeIntervalSinceReferenceDate: try readDouble())
  }

  /// Writes 16 bytes in the order of the UUID's printed form.
  public mutating func writeUUID(_ value: UUID) {
    fieldNumber &+= 1
    unsafe withUnsafeBytes(of: value.uuid) { unsafe appendBytes($0) }
  }

  /// Reads a UUID written by ``writeUUID(_:)``; any 16 bytes are valid.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``.
  public mutating func readUUID() throws(DataBufferError) -> UUID {
    let bytes = unsafe try takeBytes(16)
    return UUID(uuid: unsafe bytes.loadUnaligned(as: uuid_t.self))
  }

  /// Writes a URL as a string, a presence byte, and, if the URL is relative to a base, the base's string.
  ///
  /// If these strings do not restore the URL, the save throws an error.
  public mutating func writeURL(_ value: URL) {
    fieldNumber &+= 1
    let field = fieldNumber
    let (string, base) = (value.relativeString, value.baseURL?.absoluteString)
    guard URL(string: string, relativeTo: base.flatMap { URL(string: $0) }) == value else {
      refuse(value, .invalidValue, "the URL cannot be restored from its string and its base")
      return appendByte(0)
    }
    writeString(string)
    writeOptionalString(base)
    fieldNumber = field
  }

  /// Reads a URL written by ``writeURL(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if a string is not a URL; else the errors of ``readString()``.
  public mutating func readURL() throws(DataBufferError) -> URL {
    let start = unsafe readCursor
    let string = try readString()
    let kept = keptValue(string.utf8, as: URL.self)
    var base: URL?
    do throws(DataBufferError) {
      if let baseString = try readOptionalString() {
        base = URL(string: baseString)
        if base == nil { throw readError(.invalidValue, "a URL's base is not a URL") }
      }
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
    }
    guard let value = kept ?? URL(string: string, relativeTo: base) else {
      throw unsafe refuse(.invalidValue, "a string is not a URL", from: start)
    }
    return value
  }

  /// Writes all of a number's decimal digits as a string, such as `-12.5`, or `NaN`.
  ///
  /// The string has at most 170 bytes.
  public mutating func writeDecimal(_ value: Decimal) {
    let text = value.description
    if !value.isNaN, Decimal(string: text) != value {
      fieldNumber &+= 1
      return refuse(value, .invalidValue, "the Decimal cannot be restored from its digits")
    }
    writeString(text)
  }

  /// Reads a Decimal written by ``writeDecimal(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the string is not in the form that ``writeDecimal(_:)`` writes;
  ///   else the errors of ``readString()``.
  public mutating func readDecimal() throws(DataBufferError) -> Decimal {
    let start = unsafe readCursor
    let text = try readString()
    if text == "NaN" { return .nan }
    if let value = keptValue(text.utf8, as: Decimal.self) { return value }
    guard text.utf8.count <= 170, let value = Decimal(string: text), value.description == text else {
      throw unsafe refuse(.invalidValue, "a string is not a Decimal", from: start)
    }
    return value
  }

  /// Writes an enumeration's raw value, in the format of the raw type.
  @inlinable
  public mutating func writeRawValue<Value: RawRepresentable>(_ value: Value) where Value.RawValue: DataBufferValue {
    writeValue(value.rawValue)
  }

  /// Reads a value written by ``writeRawValue(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/unknownRawValue`` if no case has the raw value; else the errors of the raw type's
  ///   reader.
  @inlinable
  public mutating func readRawValue<Value: RawRepresentable>(
    _ type: Value.Type = Value.self
  ) throws(DataBufferError) -> Value where Value.RawValue: DataBufferValue {
    let start = unsafe readCursor
    guard let value = Value(rawValue: try Value.RawValue.readValue(from: &self)) else {
      throw unsafe refuse(.unknownRawValue, "\(Value.self) has no case with the raw value that was read", from: start)
    }
    return value
  }
}
