#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Bytes as they are.
extension DataBuffer {
  /// Writes bytes behind their count.
  public mutating func writeBytes(_ bytes: [UInt8]) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// Writes data behind its byte count, in the form of ``writeBytes(_:)``.
  public mutating func writeData(_ data: Data) {
    fieldNumber &+= 1
    unsafe data.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// Writes bytes without their count: the reader has to know it.
  public mutating func writeRawBytes(_ bytes: borrowing RawSpan) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendBytes($0) }
  }

  /// Writes bytes without their count: the reader has to know it.
  public mutating func writeRawBytes(_ bytes: [UInt8]) {
    fieldNumber &+= 1
    unsafe bytes.withUnsafeBytes { unsafe appendBytes($0) }
  }

  /// Reads bytes that stand behind their count.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, or what ``readVarUInt()`` throws for the count.
  public mutating func readBytes() throws(DataBufferError) -> [UInt8] {
    let bytes = unsafe try takeCountedBytes()
    return unsafe Array(bytes)
  }

  /// Reads data that stands behind its byte count.
  ///
  /// - Throws: As ``readBytes()``.
  public mutating func readData() throws(DataBufferError) -> Data {
    let bytes = unsafe try takeCountedBytes()
    return unsafe Data(bytes)
  }

  /// Reads bytes whose count the caller knows.
  ///
  /// - Throws: ``DataBufferError/Code/truncated``, ``DataBufferError/Code/invalidValue`` for a negative count.
  public mutating func readRawBytes(count: Int) throws(DataBufferError) -> [UInt8] {
    guard count >= 0 else { throw readError(.invalidValue, "cannot read a negative number of bytes") }
    let bytes = unsafe try takeBytes(count)
    return unsafe Array(bytes)
  }
}
