internal import Synchronization
internal import Todana

/// Reads the data of archived files, piece by piece.
///
/// Not thread-safe: each thread has its own.
final class ContentReader {
  private let content: ContentStore
  private let groups: SharedGroups

  init(_ content: ContentStore, _ groups: SharedGroups = SharedGroups()) {
    self.content = content
    self.groups = groups
  }

  /// Calls back with the data of a file, in order.
  ///
  /// - Parameters:
  ///   - entry: The entry of a regular file.
  ///   - body: Receives bytes, and their offset in the file.
  /// - Throws: ``ArchiveError/Code/damaged`` if data are missing or have the wrong length; errors of `body`.
  func read(_ entry: ArchiveEntry, _ body: (UnsafeRawBufferPointer, Int64) throws -> Void) throws {
    var placer = DataPlacer(entry)
    switch entry.content {
    case .none, .pages: break
    case .small(let row):
      let file = try content.object(StoredSmallFile.self, row)
      let group = try groups.group(file.group) { try content.bytes(file.group) }
      guard file.offset + file.byteCount <= group.count else {
        throw ArchiveError(.damaged, "A small file is beyond the end of its group.")
      }
      try unsafe group.withUnsafeBytes { bytes in
        try unsafe placer.place(.init(rebasing: bytes[file.offset..<file.offset + file.byteCount]), body)
      }
    case .chunks(let rows):
      for row in rows {
        try unsafe content.withContent(row) { bytes in try unsafe placer.place(bytes, body) }
      }
    }
    try placer.finish()
  }
}

/// Maps stored data to their offsets in a file, skipping its holes.
struct DataPlacer {
  private let extents: [Range<Int64>]
  private var extent = 0
  private var position: Int64

  init(_ entry: ArchiveEntry) {
    extents = entry.extents.isEmpty ? [0..<entry.file.byteCount] : entry.extents
    position = extents[0].lowerBound
  }

  mutating func place(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int64) throws -> Void) throws {
    var start = 0
    while start < bytes.count {
      while extent < extents.count, position == extents[extent].upperBound {
        extent += 1
        if extent < extents.count { position = extents[extent].lowerBound }
      }
      guard extent < extents.count else { throw ArchiveError(.damaged, "A file has more content than its length.") }
      let count = Int(min(Int64(bytes.count - start), extents[extent].upperBound - position))
      try unsafe body(.init(rebasing: bytes[start..<start + count]), position)
      start += count
      position += Int64(count)
    }
  }

  /// Checks that all data were placed.
  func finish() throws(ArchiveError) {
    if extent == extents.count { return }
    let rest = extents[extent...].dropFirst().reduce(extents[extent].upperBound - position) { $0 + Int64($1.count) }
    guard rest == 0 else {
      throw ArchiveError(.damaged, "A file has less content than its length.")
    }
  }
}

/// The recently decompressed groups of small files; the next file is usually in the same group.
///
/// Thread-safe.
final class SharedGroups: Sendable {
  private static let keptCount = 8

  /// The kept groups, the most recently used one last.
  private let groups = Mutex<[(row: RowID, bytes: [UInt8])]>([])

  /// Returns the content of a group; calls `decompress` if it is not kept.
  ///
  /// - Throws: Errors of `decompress`.
  func group(_ row: RowID, decompress: () throws -> [UInt8]) throws -> [UInt8] {
    let known = groups.withLock { groups -> [UInt8]? in
      guard let index = groups.lastIndex(where: { $0.row == row }) else { return nil }
      if index != groups.count - 1 { groups.append(groups.remove(at: index)) }
      return groups[groups.count - 1].bytes
    }
    if let known { return known }
    let bytes = try decompress()
    groups.withLock { groups in
      if groups.count == Self.keptCount { groups.removeFirst() }
      groups.append((row, bytes))
    }
    return bytes
  }
}
