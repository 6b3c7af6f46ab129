internal import Todana

/// A stored object that is stored once for each content, and found by the name of the content.
///
/// Format: the name, 16 bytes; the copy, 8 bits; then the format of the subclass.
class NamedObject: StoredObject {
  final var name = ContentName(high: 0, low: 0)
  /// The number of the copy: 0 for the original, 1 for the replacement of a damaged original, 2 for the replacement of
  /// a damaged copy 1, and so on.
  final var copy: UInt8 = 0

  /// The kind of row that the class has.
  class var kind: KnownDamage.Kind { preconditionFailure("A class of named objects has no kind.") }

  /// The bytes of compressed content in the object.
  var compressedByteCount: Int { 0 }

  /// Returns the index by which objects of a class are found.
  static func nameIndex<T: NamedObject>(of type: T.Type) -> Index {
    Index(\T.name, \T.copy, unique: true, name: "name")
  }

  override func readContent(from buffer: inout DataBuffer) throws {
    name = try ContentName(from: &buffer)
    copy = try buffer.readUInt8()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    name.write(to: &buffer)
    buffer.writeUInt8(copy)
  }
}

/// A named object that holds compressed bytes.
///
/// Format: the fields of ``NamedObject``; then ``CompressedBytes``.
class NamedBytes: NamedObject {
  final var compressed = CompressedBytes(method: .none, byteCount: 0, bytes: [])

  override var compressedByteCount: Int { compressed.bytes.count }

  override func readContent(from buffer: inout DataBuffer) throws {
    try super.readContent(from: &buffer)
    compressed = try CompressedBytes(from: &buffer)
  }

  override func writeContent(to buffer: inout DataBuffer) {
    super.writeContent(to: &buffer)
    compressed.write(to: &buffer)
  }
}

/// A stored piece of content: a chunk of a large file, or a group of small files stored one after the other.
///
/// Format, version 1: the fields of ``NamedBytes``.
final class StoredContent: NamedBytes {
  override class var kind: KnownDamage.Kind { .content }
  override class var storedName: String { "Content" }
  override class var indexes: [Index] { [nameIndex(of: StoredContent.self)] }
}

/// Entries of a directory in the order of their names: all of them, unless the directory has many.
///
/// Format, version 1: the fields of ``NamedBytes``; the bytes are those that ``TreePageEncoder`` writes.
final class StoredTreePage: NamedBytes {
  override class var kind: KnownDamage.Kind { .page }
  override class var storedName: String { "TreePage" }
  override class var indexes: [Index] { [nameIndex(of: StoredTreePage.self)] }
}

/// The content of a small file: a part of a group.
///
/// Trees refer to the small file, and the small file to the group, so a group can be rewritten without its trees.
///
/// Format, version 1: the fields of ``NamedObject``; then the row of the group, 64 bits; the offset of the file in the
/// group, and its length, 32 bits each.
final class StoredSmallFile: NamedObject {
  var group: RowID = 0
  var offset = 0
  var byteCount = 0

  override class var kind: KnownDamage.Kind { .smallFile }
  override class var storedName: String { "SmallFile" }
  override class var indexes: [Index] { [nameIndex(of: StoredSmallFile.self)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    try super.readContent(from: &buffer)
    group = try buffer.readUInt64()
    offset = Int(try buffer.readUInt32())
    byteCount = Int(try buffer.readUInt32())
  }

  override func writeContent(to buffer: inout DataBuffer) {
    super.writeContent(to: &buffer)
    buffer.writeUInt64(group)
    buffer.writeUInt32(UInt32(offset))
    buffer.writeUInt32(UInt32(byteCount))
  }
}
