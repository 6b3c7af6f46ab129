internal import Todana

/// A stored piece of content: a chunk of a large file, or the small files of one group behind one another.
///
/// Format, version 1: the name, 16 bytes; the copy, 8 bits; ``CompressedBytes``.
final class StoredContent: StoredObject, NamedObject {
  static let kind = KnownDamage.Kind.content

  var name = ContentName(high: 0, low: 0)
  /// 0; of what was stored anew because that was damaged, 1, and so on.
  var copy: UInt8 = 0
  var compressed = CompressedBytes(method: .none, byteCount: 0, bytes: [])

  override class var storedName: String { "Content" }
  override class var indexes: [Index] { [Index(\StoredContent.name, \StoredContent.copy, unique: true, name: "name")] }

  static func first(named name: ContentName) -> Query<StoredContent> {
    StoredContent.where { $0.name == name && $0.copy == 0 }.limit(1)
  }

  var compressedByteCount: Int { compressed.bytes.count }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try ContentName(from: &buffer)
    copy = try buffer.readUInt8()
    compressed = try CompressedBytes(from: &buffer)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    name.write(to: &buffer)
    buffer.writeUInt8(copy)
    compressed.write(to: &buffer)
  }
}
