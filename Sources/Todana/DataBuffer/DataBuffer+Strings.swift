// Strings: UTF-8 behind its byte count, a varint.
extension DataBuffer {
  /// Writes the string's UTF-8 behind its byte count.
  ///
  /// - Complexity: O(*n*)
  public mutating func writeString(_ value: String) {
    fieldNumber &+= 1
    appendString(value)
  }

  /// Writes a presence byte and, unless nil, the string. Nil and the empty string differ.
  public mutating func writeOptionalString(_ value: String?) {
    fieldNumber &+= 1
    guard let value else { return appendByte(0) }
    appendByte(1)
    appendString(value)
  }

  /// Reads a string.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, ``DataBufferError/Code/invalidUTF8``, or what ``readVarUInt()``
  ///   throws for its byte count.
  /// - Complexity: O(*n*); strings of up to 15 bytes take no memory.
  public mutating func readString() throws(DataBufferError) -> String { try takeString() }

  /// Reads a string that may be nil.
  ///
  /// - Throws: As ``readString()``; ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1.
  public mutating func readOptionalString() throws(DataBufferError) -> String? {
    let start = unsafe readCursor
    guard try readFlag(presenceMessage) else { return nil }
    do throws(DataBufferError) {
      return try takeString()
    } catch {
      unsafe readCursor = start
      throw error
    }
  }

  @inline(__always)
  private mutating func appendString(_ value: String) {
    let isWritten: Void? = unsafe value.utf8.withContiguousStorageIfAvailable {
      unsafe appendCountedBytes(UnsafeRawBufferPointer($0))
    }
    if isWritten == nil {
      var value = value
      value.withUTF8 { unsafe appendCountedBytes(UnsafeRawBufferPointer($0)) }
    }
  }

  @inline(__always)
  private mutating func takeString() throws(DataBufferError) -> String {
    let start = unsafe readCursor
    let bytes = unsafe try takeCountedBytes()
    guard let value = unsafe String(validating: bytes, as: UTF8.self) else {
      throw unsafe refuse(.invalidUTF8, "a string is not UTF-8", from: start)
    }
    return value
  }
}

@usableFromInline
var presenceMessage: String { "a presence byte has to be 0 or 1" }
