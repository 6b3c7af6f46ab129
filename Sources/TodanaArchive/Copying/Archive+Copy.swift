internal import Todana

extension Archive {
  /// Copies a snapshot to another archive, which has its own key and content names.
  ///
  /// Content that the target already has is not stored again if its chunk boundaries are the same, as for content that
  /// was copied before.
  ///
  /// - Parameters:
  ///   - snapshot: A snapshot of this archive.
  ///   - target: The other archive, open for writing.
  ///   - progress: Called repeatedly; throws to cancel. The next call does not store again the content stored so far.
  /// - Returns: The snapshot in the target.
  /// - Throws: ``ArchiveError/Code/damaged`` if a part of the snapshot cannot be read: the target then has no snapshot.
  ///   `StoreError`; errors of `progress`.
  @discardableResult
  public func copy(_ snapshot: Snapshot, to target: Archive, progress: () throws -> Void = {}) throws -> Snapshot {
    try target.content.buildIndexes(progress)
    let copying = try SnapshotCopying(from: content, to: target)
    var walk = SnapshotWalk(snapshot.pages, of: content)
    do {
      while let step = try walk.next() {
        try progress()
        switch step {
        case .failure(let error, _): throw error
        case .end: try copying.tree.leave()
        case .entry(let entry):
          if entry.file.kind == .directory {
            copying.tree.enter(entry.file)
          } else {
            try copying.append(entry)
          }
        }
      }
      let stored = try target.insert(
        NewSnapshot(of: snapshot), pages: copying.tree.finish(), counts: snapshot.counts)
      try copying.save()
      return try Snapshot(stored)
    } catch {
      target.content.discardChanges()
      throw error
    }
  }
}

/// Stores content of one archive in another one, under the names that it has there.
///
/// To be used on the thread of both stores.
final class SnapshotCopying {
  let tree: TreeWriter
  private let source: ContentStore
  private let target: Archive
  private let namer: KeyedHash
  /// The rows in the target by rows in the source, for recently copied content.
  private var contents = RowMap()
  private var smallFiles = RowMap()

  init(from source: ContentStore, to target: Archive) throws {
    self.source = source
    self.target = target
    namer = try target.key.makeNamer()
    tree = try TreeWriter(target.content, target.key, target.compression)
  }

  /// Appends an entry other than a directory, and copies its content.
  func append(_ entry: ArchiveEntry) throws {
    var entry = entry
    switch entry.content {
    case .none, .pages: break
    case .chunks(let rows): entry.content = .chunks(try rows.map { try content($0) })
    case .small(let row): entry.content = .small(try smallFile(row))
    }
    try tree.append(entry)
    try saveIfDue()
  }

  func save() throws {
    try target.content.saveAddition()
    try source.store.releaseMemory()
  }

  private func saveIfDue() throws {
    if target.content.isSaveDue { try save() }
  }

  private func content(_ row: RowID) throws -> RowID {
    if let known = contents[row] { return known }
    let stored = try source.object(StoredContent.self, row)
    let bytes = try source.decompress(stored.compressed)
    let name = try unsafe bytes.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: bytes)
    }
    let found = try target.content.row(of: StoredContent.self, named: name) ?? insert(stored.compressed, name)
    contents[row] = found
    return found
  }

  private func insert(_ compressed: CompressedBytes, _ name: ContentName) throws -> RowID {
    let stored = StoredContent()
    stored.name = name
    stored.compressed = compressed
    let row = try target.content.insert(stored)
    // A file may have more chunks than fit into a commit.
    try saveIfDue()
    return row
  }

  /// Copies a small file with its entire group; most other files of the group are copied later anyway.
  private func smallFile(_ row: RowID) throws -> RowID {
    if let known = smallFiles[row] { return known }
    let file = try source.object(StoredSmallFile.self, row)
    let group = try group(file.group)
    guard file.offset + file.byteCount <= group.count else {
      throw ArchiveError(.damaged, "A small file is beyond the end of its group.")
    }
    let name = try unsafe group.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: .init(rebasing: bytes[file.offset..<file.offset + file.byteCount]))
    }
    let found: RowID
    if let known = try target.content.row(of: StoredSmallFile.self, named: name) {
      found = known
    } else {
      let stored = StoredSmallFile()
      stored.name = name
      stored.group = try content(file.group)
      stored.offset = file.offset
      stored.byteCount = file.byteCount
      found = try target.content.insert(stored)
    }
    smallFiles[row] = found
    return found
  }

  /// The group that was used last.
  private var lastGroup: (row: RowID, bytes: [UInt8])?

  private func group(_ row: RowID) throws -> [UInt8] {
    if let lastGroup, lastGroup.row == row { return lastGroup.bytes }
    let bytes = try source.bytes(row)
    lastGroup = (row, bytes)
    return bytes
  }
}

/// A map of source rows to target rows; it is emptied when it is full, as rows can be found again by name.
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
