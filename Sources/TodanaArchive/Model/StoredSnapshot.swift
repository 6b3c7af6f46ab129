internal import Todana

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A stored snapshot: its paths, time and host, and the pages of its root.
///
/// Format, version 1: the id, 16 bytes; the time in milliseconds since 1970; host; count and bytes of the paths; count
/// and texts of the tags; the pages of the root, as varints; files, directories, bytes and errors; the program; the id
/// of the snapshot that it was made from, or none. Version 2 adds: the directory that the paths are relative to, or
/// none; the label, or none; the time at which reading began, as seconds (signed) and nanoseconds; ``TopEntry``, or
/// none.
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
  /// The directory that the paths are relative to; empty if they are only names, and in records of version 1.
  var workingDirectory: [UInt8] = []
  /// The name of the series; empty if there is none.
  var label = ""
  /// The time at which reading began; nil in records of version 1.
  var readingStart: FileTime?
  /// The metadata of the top, as ``TopEntry`` encodes it; empty if there is none.
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

/// The metadata of the directory whose content is at the top of a snapshot, as it is stored in the snapshot's record.
///
/// Format: a page of a directory (``TreePageEncoder``) with one entry, a directory named "-" without pages.
enum TopEntry {
  private static let name = [UInt8(ascii: "-")]

  static func bytes(_ entry: FileEntry) throws(ArchiveError) -> [UInt8] {
    var named = entry
    named.name = name
    var page = TreePageEncoder()
    try page.append(ArchiveEntry(file: named, content: .pages([])))
    return try page.finish()
  }

  /// Decodes the entry, which has no name; returns nil for no bytes.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` if the bytes are not one directory.
  static func entry(_ bytes: [UInt8]) throws(ArchiveError) -> FileEntry? {
    if bytes.isEmpty { return nil }
    var page = try TreePageDecoder(bytes, pageRow: .max, after: [])
    guard var entry = try page.next()?.file, entry.kind == .directory else {
      throw ArchiveError(.damaged, "The top entry of a snapshot is not a directory.")
    }
    entry.name = []
    return entry
  }
}

/// The metadata of a snapshot that is going to be stored.
struct NewSnapshot {
  var time: Date
  var host: String
  /// The archived paths, as they were given.
  var paths: [[UInt8]]
  /// The directory that the paths are relative to; empty if they are only names, such as the name of a tar stream.
  var workingDirectory: [UInt8] = []
  var label: String?
  var tags: [String] = []
  /// The time at which reading began, by the clock of the machine.
  var readingStart: FileTime
  /// The directory whose content is at the top, if there is one.
  var top: FileEntry?
  var original: SnapshotID?

  /// Creates the metadata of a snapshot of paths, or of a stream that has only a name.
  init(_ options: AddOptions, host: String, paths: [[UInt8]], workingDirectory: [UInt8] = []) {
    let now = Date()
    time = options.time ?? now
    self.host = host
    self.paths = paths
    self.workingDirectory = workingDirectory
    label = options.label
    tags = options.tags
    readingStart = FileTime(now)
  }

  /// Creates the metadata of a copied or rewritten snapshot.
  init(of snapshot: Snapshot) {
    time = snapshot.time
    host = snapshot.host
    paths = snapshot.paths
    workingDirectory = snapshot.workingDirectory
    label = snapshot.label
    tags = snapshot.tags
    readingStart = snapshot.readingStart
    top = snapshot.top
    original = snapshot.original ?? snapshot.id
  }
}

extension FileTime {
  init(_ date: Date) {
    // Clamp the seconds to a range that 64 bits hold with certainty; no real date is near its limits.
    let seconds = min(max(date.timeIntervalSince1970, -1e15), 1e15)
    let whole = seconds.rounded(.down)
    self.init(seconds: Int64(whole), nanoseconds: UInt32(min((seconds - whole) * 1e9, 999_999_999)))
  }
}
