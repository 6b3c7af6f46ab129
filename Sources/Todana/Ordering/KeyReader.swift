/// The error for bytes that no ``KeyWriter`` has written.
public struct KeyError: Error, Sendable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// A reader of values that a ``KeyWriter`` wrote, in the same order.
///
/// It borrows the bytes: they must stay in place as long as it reads.
@safe
public struct KeyReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var position = 0
  /// 0xFF while values in descending order are read, else 0.
  @usableFromInline var inversion: UInt8 = 0

  init(_ bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

  @inlinable var isAtEnd: Bool { unsafe position == bytes.count }

  /// Reads one byte.
  ///
  /// - Throws: ``KeyError`` at the end.
  @inlinable
  public mutating func readByte() throws(KeyError) -> UInt8 {
    guard !isAtEnd else { throw KeyError("the key is too short") }
    defer { position += 1 }
    return unsafe bytes[position] ^ inversion
  }

  /// Reads a number whose most significant byte comes first.
  ///
  /// - Throws: ``KeyError`` if too few bytes are left.
  @inlinable
  public mutating func readBigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type = Number.self
  ) throws(KeyError) -> Number {
    let byteCount = MemoryLayout<Number>.size
    guard unsafe bytes.count - position >= byteCount else { throw KeyError("the key is too short") }
    let number = unsafe Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    position += byteCount
    return inversion == 0 ? number : ~number
  }

  /// Reads bytes of any number up to their end.
  ///
  /// - Throws: ``KeyError``, for example for a text that was too long for an index: the key has only a part of it.
  public mutating func readText() throws(KeyError) -> [UInt8] {
    var text: [UInt8] = []
    while true {
      let byte = try readByte()
      if byte != 0 {
        text.append(byte)
        continue
      }
      switch try readByte() {
      case 0: return text
      case 1: text.append(0)
      case 2: throw KeyError("the key contains only a part of the text")
      default: throw KeyError("the text has no end")
      }
    }
  }

  /// Reads values that ``KeyWriter/append(nested:)`` wrote.
  ///
  /// - Throws: ``KeyError``, also for values that were too long for an index, and if the closure does not read all
  ///   bytes; the errors of the closure.
  public mutating func readNested<Value>(
    _ read: (inout KeyReader) throws(KeyError) -> Value
  ) throws(KeyError) -> Value {
    let bytes = try readText()
    let result = unsafe bytes.withUnsafeBytes { bytes -> Result<Value, KeyError> in
      var reader = unsafe KeyReader(bytes)
      do throws(KeyError) {
        let value = try read(&reader)
        return reader.isAtEnd ? .success(value) : .failure(KeyError("nested values have bytes after their end"))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Skips a text, or other bytes of any length.
  mutating func skipText() throws(KeyError) {
    while true {
      while try readByte() != 0 {}
      switch try readByte() {
      case 0: return
      case 1: continue
      default: throw KeyError("the text has no end")
      }
    }
  }
}
