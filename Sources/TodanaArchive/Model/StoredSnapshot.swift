internal import Todana

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A snapshot: what was archived, when, where, and the directory that holds it.
///
/// Format, version 1: the id, 16 bytes; the time in milliseconds since 1970; host; count and bytes of the paths; count
/// and texts of the tags; the pages of the root, as varints; files, directories, bytes and errors; the program; the id of
/// the snapshot that it was made from, or none. Version 2 has more behind it: the directory that the paths are relative
/// to, or none; the label, or none; when reading began, as seconds (signed) and nanoseconds; ``TopEntry``, or none.
final class StoredSnapshot: StoredObject {
  var snapshotID: [UInt8] = []
  var milliseconds: Int64 = 0
  var host = ""
  var paths: [[UInt8]] = []
  var tags: [String] = []
  var pages: [RowID] = []
  var counts = SnapshotCounts()
  var program = ""
  var original: [UInt8] = []
  /// Empty if the paths are only names, and in records of version 1.
  var workingDirectory: [UInt8] = []
  /// Empty: none.
  var label = ""
  /// nil in records of version 1.
  var readingStart: FileTime?
  /// Empty: none.
  var top: [UInt8] = []

  override class var version: UInt8 { 2 }
  override class var storedName: String { "Snapshot" }

  override func readContent(from buffer: inout DataBuffer) throws {
    snapshotID = try buffer.readRawBytes(count: SnapshotID.byteCount)
    milliseconds = try buffer.readInt64()
    host = try buffer.readString()
    paths = try (0..<buffer.readCount()).map { _ in try buffer.readBytes() }
    tags = try (0..<buffer.readCount()).map { _ in try buffer.readString() }
    pages = try (0..<buffer.readCount()).map { _ in try buffer.readVarUInt() }
    counts = try SnapshotCounts(from: &buffer)
    program = try buffer.readString()
    original = try buffer.readBytes()
    guard buffer.version >= 2 else { return }
    workingDirectory = try buffer.readBytes()
    label = try buffer.readString()
    readingStart = FileTime(
      seconds: try buffer.readVarInt(), nanoseconds: UInt32(clamping: try buffer.readVarUInt()))
    top = try buffer.readBytes()
  }

  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeRawBytes(snapshotID)
    buffer.writeInt64(milliseconds)
    buffer.writeString(host)
    buffer.writeVarUInt(UInt64(paths.count))
    for path in paths { buffer.writeBytes(path) }
    buffer.writeVarUInt(UInt64(tags.count))
    for tag in tags { buffer.writeString(tag) }
    buffer.writeVarUInt(UInt64(pages.count))
    for page in pages { buffer.writeVarUInt(page) }
    counts.write(to: &buffer)
    buffer.writeString(program)
    buffer.writeBytes(original)
    buffer.writeBytes(workingDirectory)
    buffer.writeString(label)
    let start = readingStart ?? FileTime(seconds: Int64((Double(milliseconds) / 1000).rounded(.down)))
    buffer.writeVarInt(start.seconds)
    buffer.writeVarUInt(UInt64(start.nanoseconds))
    buffer.writeBytes(top)
  }
}
