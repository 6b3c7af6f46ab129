internal import Todana

/// Stored content: compressed if that saves space, and padded to 256 bytes so that its length reveals little.
struct CompressedBytes: Sendable {
  /// The maximum number of bytes that are decompressed in one piece: a reader allocates memory for them.
  static let byteCountLimit = 16 << 20
  private static let padding = 256

  var method: CompressionMethod
  /// The number of bytes before compression.
  var byteCount: Int
  var bytes: [UInt8]

  init(method: CompressionMethod, byteCount: Int, bytes: [UInt8]) {
    self.method = method
    self.byteCount = byteCount
    self.bytes = bytes
  }

  /// Writes the method, both lengths, the bytes, and zeros up to a multiple of 256.
  func write(to buffer: inout DataBuffer) {
    buffer.writeUInt8(method.rawValue)
    buffer.writeUInt32(UInt32(byteCount))
    buffer.writeUInt32(UInt32(bytes.count))
    buffer.writeRawBytes(bytes)
    let rest = (Self.headerByteCount + bytes.count) % Self.padding
    if rest > 0 { buffer.writeRawBytes([UInt8](repeating: 0, count: Self.padding - rest)) }
  }

  init(from buffer: inout DataBuffer) throws {
    guard let method = CompressionMethod(rawValue: try buffer.readUInt8()) else {
      throw ArchiveError(.damaged, "Content is compressed by a method that this program does not know.")
    }
    self.method = method
    byteCount = Int(try buffer.readUInt32())
    guard byteCount <= Self.byteCountLimit else {
      throw ArchiveError(.damaged, "A piece of content has an impossible length of \(byteCount) bytes.")
    }
    bytes = try buffer.readRawBytes(count: Int(try buffer.readUInt32()))
    let rest = (Self.headerByteCount + bytes.count) % Self.padding
    if rest > 0 { _ = try buffer.readRawBytes(count: Self.padding - rest) }
  }

  /// The number of bytes before the compressed bytes: the name and copy of ``NamedObject``, then the method and both
  /// lengths.
  private static let headerByteCount = ContentName.byteCount + 1 + 9
}
