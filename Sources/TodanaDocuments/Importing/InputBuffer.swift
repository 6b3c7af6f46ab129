internal import Foundation

/// Bytes of an input that were read and not yet consumed.
struct InputBuffer {
  let input: ByteInput
  private(set) var bytes: [UInt8] = []
  /// The index in `bytes` of the first byte that was not consumed.
  private(set) var start = 0
  /// The number of bytes of the input before `start`.
  private(set) var byteOffset = 0
  private(set) var isAtEnd = false

  init(_ input: ByteInput) { self.input = input }

  /// The number of bytes that were read and not consumed.
  var count: Int { bytes.count - start }

  /// Reads more bytes; returns false at the end of the input.
  mutating func fill() throws -> Bool {
    if isAtEnd { return false }
    let piece = try input.read()
    if piece.isEmpty {
      isAtEnd = true
      return false
    }
    if start == bytes.count {
      bytes = piece
    } else {
      if start > 0 { bytes.removeFirst(start) }
      bytes += piece
    }
    start = 0
    return true
  }

  mutating func consume(_ count: Int) {
    start += count
    byteOffset += count
  }

  /// Continues at another position of the input.
  mutating func seek(to offset: Int) throws(ImportError) {
    try input.seek(to: offset)
    (bytes, start, byteOffset, isAtEnd) = ([], 0, offset, false)
  }

  /// Returns the number of bytes before the first byte of a value, from a number of bytes on; nil if there is none.
  func distance(to byte: UInt8, from skipped: Int = 0) -> Int? {
    // The search stays within the bytes, and its result is a distance from their beginning.
    unsafe bytes.withUnsafeBytes { bytes in
      let rest = unsafe bytes[(start + skipped)...]
      guard unsafe !rest.isEmpty, let base = unsafe rest.base.baseAddress,
        let found = unsafe memchr(base + rest.startIndex, Int32(byte), rest.count)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base - start
    }
  }

  /// Skips a byte order mark of UTF-8 at the beginning of the input.
  ///
  /// - Throws: ``ImportError/Code/wrongEncoding`` if the mark is one of another encoding.
  mutating func skipByteOrderMark() throws {
    while count < 4, try fill() {}
    let first = bytes[start...].prefix(4)
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { return consume(3) }
    let encoding: String? =
      if first.elementsEqual([0xFF, 0xFE, 0, 0]) || first.elementsEqual([0, 0, 0xFE, 0xFF]) {
        "UTF-32"
      } else if first.starts(with: [0xFF, 0xFE]) {
        "UTF-16LE"
      } else if first.starts(with: [0xFE, 0xFF]) {
        "UTF-16BE"
      } else {
        nil
      }
    guard let encoding else { return }
    throw ImportError(
      .wrongEncoding,
      "\(input.name) is encoded in \(encoding), and not in UTF-8: convert it, as by iconv -f \(encoding) -t UTF-8",
      RowPlace(byteOffset: 0, lineNumber: 1, column: 1))
  }
}

extension UnsafeRawBufferPointer {
  /// The number of characters (Unicode scalars) of a text in UTF-8.
  var scalarCount: Int { unsafe reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) } }
}
