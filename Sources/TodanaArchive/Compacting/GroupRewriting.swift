internal import Todana

/// Puts what is left of groups together in new ones.
///
/// For the thread of the store, which saves.
struct GroupRewriting {
  private static let groupByteCount = 256 << 10

  private let content: ContentStore
  private let namer: KeyedHash
  private let compressor: Compressor
  private var data: [UInt8] = []
  private var parts: [(file: StoredSmallFile, offset: Int)] = []
  private var emptied: [StoredContent] = []
  private(set) var rewrittenCount = 0

  init(_ content: ContentStore, _ key: ArchiveKey, _ compression: Compression) throws {
    self.content = content
    namer = try key.makeNamer()
    compressor = try Compressor(compression)
  }

  /// Takes the small files that are in use out of a group.
  ///
  /// - Returns: False where something of it is damaged: then it stays as it is.
  mutating func take(_ rows: [RowID], of group: StoredContent) throws -> Bool {
    do {
      let bytes = try content.decompress(group.compressed)
      let files = try rows.map { row in
        let file = try content.object(StoredSmallFile.self, row)
        guard file.offset + file.byteCount <= bytes.count else {
          throw ArchiveError(.damaged, "The small file \(row) is behind the end of its group.")
        }
        return file
      }
      for file in files {
        parts.append((file, data.count))
        data += bytes[file.offset..<file.offset + file.byteCount]
      }
    } catch let error as ArchiveError where error.code == .damaged {
      return false
    }
    emptied.append(group)
    rewrittenCount += 1
    return true
  }

  /// Whether there is enough for a new group.
  var isFull: Bool { data.count >= Self.groupByteCount }

  /// Inserts the new group; the old ones are deleted by the same save.
  ///
  /// - Returns: The row of the group that the small files are in now, and its length; nil where there was nothing to do.
  mutating func flush() throws -> (row: RowID, byteCount: Int)? {
    if emptied.isEmpty { return nil }
    var made: (row: RowID, byteCount: Int)?
    if !data.isEmpty {
      let row = try insertGroup()
      made = (row, data.count)
      for (file, offset) in parts {
        try content.store.update(file) {
          $0.group = row
          $0.offset = offset
        }
      }
    }
    for group in emptied { try content.store.delete(group) }
    data.removeAll(keepingCapacity: true)
    parts.removeAll()
    emptied.removeAll()
    return made
  }

  private mutating func insertGroup() throws -> RowID {
    let name = try unsafe data.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: bytes)
    }
    // Less than half of each old group is in it, so it is none of them.
    if let row = try content.row(of: StoredContent.self, named: name) { return row }
    let (method, compressed) = try unsafe data.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe compressor.compress(bytes)
    }
    let stored = StoredContent()
    stored.name = name
    stored.compressed = CompressedBytes(method: method, byteCount: data.count, bytes: compressed)
    return try content.insert(stored)
  }
}
