internal import Todana

/// The content of a small file: a part of a group.
///
/// Trees refer to it, and it to the group, so that a group can be written anew without its trees.
///
/// Format, version 1: the name of the file's content, 16 bytes; the copy, 8 bits; the row of the group, 64 bits; where in
/// it the file begins, and its length, 32 bits each.
final class StoredSmallFile: StoredObject, NamedObject {
  static let kind = KnownDamage.Kind.smallFile

  var name = ContentName(high: 0, low: 0)
  /// 0; of what was stored anew because that was damaged, 1, and so on.
  var copy: UInt8 = 0
  var group: RowID = 0
  var offset = 0
  var byteCount = 0

  override class var storedName: String { "SmallFile" }
  override class var indexes: [Index] {
    [Index(\StoredSmallFile.name, \StoredSmallFile.copy, unique: true, name: "name")]
  }

  static func first(named name: ContentName) -> Query<StoredSmallFile> {
    StoredSmallFile.where { $0.name == name && $0.copy == 0 }.limit(1)
  }

  var compressedByteCount: Int { 0 }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try ContentName(from: &buffer)
    copy = try buffer.readUInt8()
    group = try buffer.readUInt64()
    offset = Int(try buffer.readUInt32())
    byteCount = Int(try buffer.readUInt32())
  }

  override func writeContent(to buffer: inout DataBuffer) {
    name.write(to: &buffer)
    buffer.writeUInt8(copy)
    buffer.writeUInt64(group)
    buffer.writeUInt32(UInt32(offset))
    buffer.writeUInt32(UInt32(byteCount))
  }
}
