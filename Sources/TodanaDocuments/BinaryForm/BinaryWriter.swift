internal import Foundation

/// A writer of values in their binary form (docs/formats/documents.md).
struct BinaryWriter {
  private(set) var bytes: [UInt8] = []
  private var depth = 0

  /// Returns the binary form of a value.
  ///
  /// - Throws: ``DocumentError/Code/tooDeep``; ``DocumentError/Code/tooLarge`` if it has more bytes than the limit.
  static func bytes(of value: DocumentValue, byteLimit: Int) throws(DocumentError) -> [UInt8] {
    var writer = BinaryWriter()
    try writer.append(value)
    if writer.bytes.count > byteLimit {
      throw BinaryForm.tooLarge(writer.bytes.count, byteLimit)
    }
    return writer.bytes
  }

  mutating func append(_ value: DocumentValue) throws(DocumentError) {
    switch value.storage {
    case .null: bytes.append(BinaryForm.Tag.null)
    case .bool(let value): bytes.append(value ? BinaryForm.Tag.true : BinaryForm.Tag.false)
    case .integer(let value): append(value)
    case .double(let value): append(BinaryForm.Tag.double, value.bitPattern)
    case .string(let value): append(string: value)
    case .date(let value): append(BinaryForm.Tag.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let value):
      bytes.append(BinaryForm.Tag.uuid)
      unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
    case .bytes(let value):
      bytes.append(BinaryForm.Tag.bytes)
      append(varint: UInt64(value.count))
      bytes.append(contentsOf: value)
    case .array(let values):
      try nest(BinaryForm.Tag.array) { writer throws(DocumentError) in
        for value in values { try writer.append(value) }
      }
    case .dictionary(let entries):
      try nest(BinaryForm.Tag.dictionary) { writer throws(DocumentError) in
        for (key, value) in entries {
          writer.append(counted: key)
          try writer.append(value)
        }
      }
    }
  }

  private mutating func append(_ value: Int64) {
    if (0..<64).contains(value) { return bytes.append(BinaryForm.Tag.smallInteger + UInt8(value)) }
    bytes.append(BinaryForm.Tag.integer)
    // Zigzag: small negative numbers are short, too.
    append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  private mutating func append(_ tag: UInt8, _ bits: UInt64) {
    bytes.append(tag)
    unsafe withUnsafeBytes(of: bits.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func append(string: String) {
    let count = string.utf8.count
    if count < 128 {
      bytes.append(BinaryForm.Tag.shortString + UInt8(count))
      bytes.append(contentsOf: string.utf8)
    } else {
      bytes.append(BinaryForm.Tag.string)
      append(counted: string)
    }
  }

  private mutating func append(counted string: String) {
    append(varint: UInt64(string.utf8.count))
    bytes.append(contentsOf: string.utf8)
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a tag, the number of bytes that the closure writes, and these bytes.
  private mutating func nest(
    _ tag: UInt8, _ write: (inout BinaryWriter) throws(DocumentError) -> Void
  ) throws(DocumentError) {
    if depth == BinaryForm.depthLimit { throw BinaryForm.tooDeep }
    depth += 1
    bytes.append(tag)
    let start = bytes.count
    bytes.append(0)
    try write(&self)
    depth -= 1
    let count = bytes.count - start - 1
    if count < 0x80 {
      bytes[start] = UInt8(count)
    } else {
      var length = BinaryWriter()
      length.append(varint: UInt64(count))
      bytes.replaceSubrange(start...start, with: length.bytes)
    }
  }
}
