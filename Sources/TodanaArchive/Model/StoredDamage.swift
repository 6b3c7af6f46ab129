internal import Todana

/// A row that a verification has found to be damaged, and what has been stored in its place since.
///
/// Format, version 1: the kind, 8 bits; the row, 64 bits; the row that has the same content, 64 bits, 0 while there is
/// none.
final class StoredDamage: StoredObject {
  var kind: UInt8 = 0
  var row: RowID = 0
  var replacement: RowID = 0

  override class var storedName: String { "Damage" }

  override func readContent(from buffer: inout DataBuffer) throws {
    kind = try buffer.readUInt8()
    row = try buffer.readUInt64()
    replacement = try buffer.readUInt64()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeUInt8(kind)
    buffer.writeUInt64(row)
    buffer.writeUInt64(replacement)
  }
}
