#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Byte arrays and data, with or without a byte count before them.
extension DataBuffer {
  /// Writes the byte count as a varint, then the bytes.
  public mutating func writeBytes(_ bytes: [UInt8]) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// Writes the byte count as a varint, then the bytes, in the format of ``writeBytes(_:)``.
  public mutating func writeData(_ data: Data) {
    fieldNumber &+= 1
    unsafe data.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// Writes bytes without their count.
  ///
  /// The reader must know the count.
  public mutating func writeRawBytes(_ bytes: borrowing RawSpan) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendBytes($0) }
  }

  /// Writes bytes without their count.
  ///
  /// The reader must know the count.
  public mutating func writeRawBytes(_ bytes: [UInt8]) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendBytes($0) }
  }

  /// Reads a byte count and that number of bytes, written by ``writeBytes(_:)`` or ``writeData(_:)``.
  ///
  /// - Throws: ``DataBufferError/Code/truncated`` if fewer bytes are left; for the count, the errors of
  ///   ``readVarUInt()``.
  public mutating func readBytes() throws(DataBufferError) -> [UInt8] {
    let bytes = unsafe try takeCountedBytes()
    return unsafe Array(bytes)
  }

  /// Reads a byte count and that number of bytes, written by ``writeData(_:)`` or ``writeBytes(_:)``.
  ///
  /// - Throws: The errors of ``readBytes()``.
  public mutating func readData() throws(DataBufferError) -> Data {
    let bytes = unsafe try takeCountedBytes()
    return unsafe Data(bytes)
  }

  /// Reads `count` bytes, which were written without their count.
  ///
  /// - Throws: ``DataBufferError/Code/truncated`` if fewer bytes are left, ``DataBufferError/Code/invalidValue`` if
  ///   `count` is negative.
  public mutating func readRawBytes(count: Int) throws(DataBufferError) -> [UInt8] {
    guard count >= 0 else { throw readError(.invalidValue, "cannot read a negative number of bytes") }
    let bytes = unsafe try takeBytes(count)
    return unsafe Array(bytes)
  }
}
