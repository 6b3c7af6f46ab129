internal import Todana

/// The header of an archive: the named buffer "archive".
///
/// Format, version 1: the format's number, a byte; the archive's secret, 32 bytes; the sizes of chunks, three times 32
/// bits; the compression that is the default, as text.
struct ArchiveHeader {
  static let bufferName = "archive"
  static let format: UInt8 = 1

  var key: ArchiveKey
  var sizes: Chunker.Sizes
  var compression: String

  func write(to buffer: inout DataBuffer) {
    buffer.writeUInt8(Self.format)
    buffer.writeRawBytes(key.bytes)
    for size in [sizes.minimum, sizes.wanted, sizes.maximum] { buffer.writeUInt32(UInt32(size)) }
    buffer.writeString(compression)
  }

  init(key: ArchiveKey, sizes: Chunker.Sizes, compression: String) {
    self.key = key
    self.sizes = sizes
    self.compression = compression
  }

  init(from buffer: inout DataBuffer) throws {
    let format = try buffer.readUInt8()
    guard format == Self.format else {
      throw ArchiveError(.newerFormat, "The archive has format \(format), which this program does not know.")
    }
    guard let key = ArchiveKey(bytes: try buffer.readRawBytes(count: ArchiveKey.byteCount)) else {
      throw ArchiveError(.damaged, "The archive's secret is damaged.")
    }
    let (minimum, wanted, maximum) = (
      Int(try buffer.readUInt32()), Int(try buffer.readUInt32()), Int(try buffer.readUInt32())
    )
    let isPossible =
      minimum >= 64 && minimum <= wanted && wanted <= maximum && wanted & (wanted - 1) == 0
      && maximum <= CompressedBytes.byteCountLimit
    guard isPossible else { throw ArchiveError(.damaged, "The archive has impossible chunk sizes.") }
    self.key = key
    sizes = Chunker.Sizes(minimum: minimum, wanted: wanted, maximum: maximum)
    compression = try buffer.readString()
  }
}
