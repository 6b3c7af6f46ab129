internal import Todana

/// Some entries of a directory, in the order of their names: all of them, unless it has many.
///
/// Format, version 1: the name of the entries' bytes, 16 bytes; the copy, 8 bits; ``CompressedBytes``, of what
/// ``TreePageEncoder`` writes.
final class StoredTreePage: StoredObject, NamedObject {
  static let kind = KnownDamage.Kind.page

  var name = ContentName(high: 0, low: 0)
  /// 0; of what was stored anew because that was damaged, 1, and so on.
  var copy: UInt8 = 0
  var compressed = CompressedBytes(method: .none, byteCount: 0, bytes: [])

  override class var storedName: String { "TreePage" }
  override class var indexes: [Index] {
    [Index(\StoredTreePage.name, \StoredTreePage.copy, unique: true, name: "name")]
  }

  static func first(named name: ContentName) -> Query<StoredTreePage> {
    StoredTreePage.where { $0.name == name && $0.copy == 0 }.limit(1)
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
