internal import Todana

/// Stores content of one archive in another one, under its names there.
///
/// For the thread of both stores.
final class SnapshotCopying {
  private static let commitByteCount = 8 << 20

  let tree: TreeWriter
  private let source: ArchiveStore
  private let target: Archive
  private let namer: KeyedHash
  /// Rows there by rows here, of what was met last.
  private var contents = RowMap()
  private var smallFiles = RowMap()
  /// What no commit has yet.
  private var newContents: [ContentName: RowID] = [:]
  private var newSmallFiles: [ContentName: RowID] = [:]
  private var uncommittedByteCount = 0

  init(from source: ArchiveStore, to target: Archive) throws {
    self.source = source
    self.target = target
    namer = try target.key.makeNamer()
    tree = try TreeWriter(target.stores, target.key, target.compression)
  }

  /// Appends an entry other than a directory, with its content.
  func append(_ entry: ArchiveEntry) throws {
    var entry = entry
    switch entry.content {
    case .none, .pages: break
    case .chunks(let rows): entry.content = .chunks(try rows.map { try content($0) })
    case .small(let row): entry.content = .small(try smallFile(row))
    }
    try tree.append(entry)
    if uncommittedByteCount >= Self.commitByteCount { try commit() }
  }

  func commit() throws {
    try target.store.saveChanges()
    try target.store.releaseMemory()
    try source.store.releaseMemory()
    newContents.removeAll(keepingCapacity: true)
    newSmallFiles.removeAll(keepingCapacity: true)
    tree.didCommit()
    uncommittedByteCount = 0
  }

  private func content(_ row: RowID) throws -> RowID {
    if let known = contents[row] { return known }
    let stored = try source.object(StoredContent.self, row)
    let bytes = try source.unpack(stored.packed)
    let name = try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: bytes)
    }
    let found = try newContents[name] ?? target.stores.row(ofContent: name) ?? insert(stored.packed, bytes, name)
    contents[row] = found
    return found
  }

  private func insert(_ packed: PackedBytes, _ bytes: [UInt8], _ name: ContentName) throws -> RowID {
    let stored = StoredContent()
    stored.name = name
    stored.packed = packed
    let row = try target.stores.insert(stored)
    newContents[name] = row
    uncommittedByteCount += packed.bytes.count
    return row
  }

  /// With the group that it is in, of which all that is needed here comes sooner or later.
  private func smallFile(_ row: RowID) throws -> RowID {
    if let known = smallFiles[row] { return known }
    let file = try source.object(StoredSmallFile.self, row)
    let group = try group(file.group)
    guard file.offset + file.byteCount <= group.count else {
      throw ArchiveError(.damaged, "A small file is behind the end of its group.")
    }
    let name = try unsafe group.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: .init(rebasing: bytes[file.offset..<file.offset + file.byteCount]))
    }
    let found: RowID
    if let known = try newSmallFiles[name] ?? target.stores.row(ofSmallFile: name) {
      found = known
    } else {
      let stored = StoredSmallFile()
      stored.name = name
      stored.group = try content(file.group)
      stored.offset = file.offset
      stored.byteCount = file.byteCount
      found = try target.stores.insert(stored)
      newSmallFiles[name] = found
    }
    smallFiles[row] = found
    return found
  }

  /// The group used last.
  private var lastGroup: (row: RowID, bytes: [UInt8])?

  private func group(_ row: RowID) throws -> [UInt8] {
    if let lastGroup, lastGroup.row == row { return lastGroup.bytes }
    let bytes = try source.content(row)
    lastGroup = (row, bytes)
    return bytes
  }
}

/// What rows became; forgets all when it has too many, for they can be found again.
struct RowMap {
  private static let limit = 1 << 18
  private var rows: [RowID: RowID] = [:]

  subscript(row: RowID) -> RowID? {
    get { rows[row] }
    set {
      if rows.count >= Self.limit { rows.removeAll(keepingCapacity: true) }
      rows[row] = newValue
    }
  }
}
