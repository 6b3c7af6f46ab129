internal import Todana

/// Moves the needed small files of sparse groups to new groups.
///
/// To be used on the thread of the store; the caller saves.
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

  /// Takes the needed small files of a group.
  ///
  /// - Returns: False if a part of the group is damaged: the group is then left unchanged.
  mutating func take(_ rows: [RowID], of group: StoredContent) throws -> Bool {
    do {
      let bytes = try content.decompress(group.compressed)
      let files = try rows.map { row in
        let file = try content.object(StoredSmallFile.self, row)
        guard file.offset + file.byteCount <= bytes.count else {
          throw ArchiveError(.damaged, "The small file \(row) is beyond the end of its group.")
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

  /// Whether the taken files fill a new group.
  var isFull: Bool { data.count >= Self.groupByteCount }

  /// Inserts the new group, and deletes the old ones; the next save commits both.
  ///
  /// - Returns: The row and the length of the new group; nil if there is none.
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
    // A group with this name is not one of the old groups: less than half of the bytes of each old group are in use.
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
