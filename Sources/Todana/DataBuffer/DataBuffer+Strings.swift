// Strings: the byte count as a varint, then UTF-8.
extension DataBuffer {
  /// Writes the byte count as a varint, then the string's UTF-8.
  ///
  /// - Complexity: O(*n*)
  public mutating func writeString(_ value: String) {
    fieldNumber &+= 1
    appendString(value)
  }

  /// Writes a presence byte and, unless the value is nil, the string.
  ///
  /// Nil and the empty string are thus distinct.
  public mutating func writeOptionalString(_ value: String?) {
    fieldNumber &+= 1
    guard let value else { return appendByte(0) }
    appendByte(1)
    appendString(value)
  }

  /// Reads a string written by ``writeString(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, ``DataBufferError/Code/invalidUTF8``, or an error of
  ///   ``readVarUInt()`` for the byte count.
  /// - Complexity: O(*n*); a string of up to 15 bytes needs no memory of its own.
  public mutating func readString() throws(DataBufferError) -> String { try takeString() }

  /// Reads a string or nil, written by ``writeOptionalString(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/invalidValue`` if the presence byte is not 0 or 1; else the errors of
  ///   ``readString()``.
  public mutating func readOptionalString() throws(DataBufferError) -> String? {
    let start = unsafe readCursor
    guard try readFlag(presenceMessage) else { return nil }
    do throws(DataBufferError) {
      return try takeString()
    } catch {
      throw unsafe refuse(error.code, error.message, from: start)
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
    if let value = unsafe SmallString.string(ofASCII: bytes) { return value }
    // `String(validating:as:)` looks up generic metadata at each call, and takes four times as long.
    let value = unsafe String(decoding: bytes, as: UTF8.self)
    guard unsafe isASCII(bytes) || isUnrepaired(value, bytes) else {
      throw unsafe refuse(.invalidUTF8, "a string is not UTF-8", from: start)
    }
    return value
  }
}

/// Returns whether all bytes are below 128, and hence valid UTF-8.
@inline(__always)
private func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var highBits: UInt64 = 0
  var offset = 0
  while offset + 8 <= bytes.count {
    highBits |= unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    offset += 8
  }
  while offset < bytes.count {
    highBits |= UInt64(unsafe bytes[offset])
    offset += 1
  }
  return highBits & 0x8080_8080_8080_8080 == 0
}

/// Returns whether decoding changed no bytes.
///
/// Decoding replaces each invalid sequence by the three bytes of U+FFFD.
@inline(never)
private func isUnrepaired(_ value: String, _ bytes: UnsafeRawBufferPointer) -> Bool {
  var value = value
  return value.withUTF8 { decoded in
    guard decoded.count == bytes.count else { return false }
    let decoded = UnsafeRawBufferPointer(decoded)
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      guard unsafe word == decoded.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
      offset += 8
    }
    return unsafe bytes[offset...].elementsEqual(decoded[offset...])
  }
}

@usableFromInline
var presenceMessage: String { "a presence byte must be 0 or 1" }
