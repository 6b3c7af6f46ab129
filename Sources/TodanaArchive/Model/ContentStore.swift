internal import Glibc
internal import Todana

/// The stored content of an archive, as one thread reads and adds it: chunks, groups, small files and pages by row.
///
/// Not thread-safe: each thread has its own, over the same backend.
final class ContentStore {
  static let classes: [StoredObject.Type] = [
    StoredContent.self, StoredSmallFile.self, StoredTreePage.self, StoredSnapshot.self, StoredDamage.self,
  ]

  let store: Store
  private let decompressor: Decompressor
  private var classIDs: [ObjectIdentifier: KeyspaceID] = [:]
  private let presence = RecordChunk(byteCapacity: 4096, recordLimit: 1024, leavesOutValues: true)
  /// The last group that was found to exist.
  private var lastGroup: RowID = 0

  init(_ store: Store) throws {
    self.store = store
    decompressor = try Decompressor()
  }

  /// Returns a content store for another thread, over the same backend.
  static func beside(_ backend: any StoreBackend) throws -> ContentStore {
    try ContentStore(Store(backend: backend, classes: classes))
  }

  /// Returns the object of a row, or its replacement if the row is damaged.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` if the row is missing, or damaged without a sound replacement.
  func object<T: StoredObject>(_ type: T.Type, _ row: RowID) throws -> T {
    do throws(StoreError) {
      if let id = try id(type, row), let object = try store.fetch(id) { return object }
    } catch {
      guard Self.isDamage(error) else { throw error }
      if let kind = (type as? NamedObject.Type)?.kind,
        let current = try damage.current(.init(kind: kind, row: row)),
        current != row
      {
        return try object(type, current)
      }
      // The library's advice is for objects of programs.
      var cause = error
      if cause.code == .damagedRecord { cause.message = "The record cannot be read." }
      throw ArchiveError(
        .damaged, "\(T.storedName) \(row) is damaged: verify the archive, then add the damaged files again.",
        underlying: cause)
    }
    throw ArchiveError(.damaged, "\(T.storedName) \(row) is missing.")
  }

  /// Returns the object of a row; nil if it is missing or damaged.
  func soundObject<T: StoredObject>(_ type: T.Type, _ row: RowID) throws(StoreError) -> T? {
    do throws(StoreError) {
      guard let id = try id(type, row) else { return nil }
      return try store.fetch(id)
    } catch {
      guard Self.isDamage(error) else { throw error }
      return nil
    }
  }

  /// Returns the identity of a row; nil if no object of the class was ever saved.
  func id<T: StoredObject>(_ type: T.Type, _ row: RowID) throws(StoreError) -> ObjectID<T>? {
    if let classID = classIDs[ObjectIdentifier(type)] {
      return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: row))
    }
    guard let classID = try store.catalog[type]?.id else { return nil }
    classIDs[ObjectIdentifier(type)] = classID
    return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: row))
  }

  /// Whether an error concerns only the requested object, while the rest of the archive may be sound.
  static func isDamage(_ error: StoreError) -> Bool {
    switch error.code {
    case .damagedRecord, .unreadableContent, .wrongClass, .rowNotFound: true
    default: (error.underlying as? BackendError)?.code == .damaged
    }
  }

  // MARK: Decompressing

  func decompress(_ compressed: CompressedBytes) throws(ArchiveError) -> [UInt8] {
    try decompressor.decompress(compressed.bytes, method: compressed.method, byteCount: compressed.byteCount)
  }

  /// Decompresses content into memory that the next call uses again.
  func withContent<Value>(
    of compressed: CompressedBytes, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    try unsafe decompressor.withContent(
      of: compressed.bytes, method: compressed.method, byteCount: compressed.byteCount, body)
  }

  /// Calls back with a chunk or a group, in memory that the next call uses again.
  func withContent(_ row: RowID, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try unsafe withContent(of: object(StoredContent.self, row).compressed, body)
  }

  /// Decompresses a chunk or a group.
  func bytes(_ row: RowID) throws -> [UInt8] { try decompress(object(StoredContent.self, row).compressed) }

  /// Decompresses a page of a directory.
  func page(_ row: RowID) throws -> [UInt8] { try decompress(object(StoredTreePage.self, row).compressed) }

  // MARK: Saving

  /// The approximate maximum of bytes that one save writes; they are in memory until then.
  var saveByteCount = 6 << 20

  /// The rows that no save has committed yet.
  var pending = PendingRows()

  /// Whether the pending rows take as much memory as is allowed.
  var isSaveDue: Bool { pending.byteCount >= saveByteCount }

  /// The disk that new content is written to; nil in threads that only read.
  var room: DiskRoom?

  /// Commits added content, and releases memory.
  ///
  /// - Throws: ``ArchiveError/Code/noSpace`` before the disk is full: neither opening nor compacting would have room
  ///   then.
  func saveAddition() throws {
    if let room {
      // A checkpoint writes the log's content to the files once more.
      let logByteCount = try (store.backend as? KyotoBackend)?.statistics().liveLogByteCount ?? 0
      try room.check(writing: pending.byteCount + logByteCount)
    }
    try save()
  }

  /// Commits all changes, and releases memory.
  func save() throws {
    try store.saveChanges()
    pending.removeAll()
    try store.releaseMemory()
  }

  /// Discards the changes that no save has committed.
  func discardChanges() {
    store.discardChanges()
    pending.removeAll()
    knownDamage = nil
  }

  // MARK: Damage

  private var knownDamage: KnownDamage?

  /// The known damage, as it was at the first access.
  var damage: KnownDamage {
    get throws {
      if let knownDamage { return knownDamage }
      let known = try KnownDamage(of: store)
      knownDamage = known
      return known
    }
  }

  func changeDamage(_ body: (inout KnownDamage) throws -> Void) throws {
    var changed = try damage
    knownDamage = nil
    try body(&changed)
    knownDamage = changed
  }

  /// Whether a file's data are known to be damaged, or are missing, as in a salvaged archive.
  func isDamagedOrMissing(_ content: ArchiveEntry.Content) throws -> Bool {
    let damage = try damage
    return switch content {
    case .none, .pages: false
    case .small(let row): try damage.contains(.init(kind: .smallFile, row: row)) || !isSmallFileComplete(row)
    case .chunks(let rows):
      try rows.contains { damage.contains(.init(kind: .content, row: $0)) } || !exist(StoredContent.self, rows)
    }
  }

  /// Whether the records of a small file and of its group exist.
  func isSmallFileComplete(_ row: RowID) throws -> Bool {
    guard let id = try id(StoredSmallFile.self, row) else { return false }
    do throws(StoreError) {
      guard let file = try store.fetch(id) else { return false }
      if file.group == lastGroup { return true }
      guard try exist(StoredContent.self, [file.group]) else { return false }
      lastGroup = file.group
      return true
    } catch {
      // A damaged record is found when it is read.
      guard Self.isDamage(error) else { throw error }
      return true
    }
  }

  /// Whether all of these rows have records; their content is not read.
  private func exist<T: StoredObject>(_ type: T.Type, _ rows: [RowID]) throws(StoreError) -> Bool {
    guard let id = try id(type, 1) else { return rows.isEmpty }
    var start = 0
    while start < rows.count {
      do throws(BackendError) {
        try store.backend.read(rows: rows.span.extracting(start..<rows.count), of: id.classID, into: presence)
      } catch {
        throw StoreError(.backend, "The archive's content cannot be read.", underlying: error)
      }
      if presence.slices.isEmpty || presence.slices.contains(where: { $0.status == .absent }) { return false }
      start += presence.slices.count
    }
    return true
  }

  /// Replaces each damaged row by the row that was stored in its place, so that two contents can be compared.
  func current(_ content: ArchiveEntry.Content) throws -> ArchiveEntry.Content {
    let damage = try damage
    if damage.isEmpty { return content }
    func current(_ kind: KnownDamage.Kind, _ row: RowID) -> RowID { damage.current(.init(kind: kind, row: row)) ?? row }
    return switch content {
    case .none: .none
    case .small(let row): .small(current(.smallFile, row))
    case .chunks(let rows): .chunks(rows.map { current(.content, $0) })
    case .pages(let rows): .pages(rows.map { current(.page, $0) })
    }
  }
}

/// The free room on the disk that an archive is on.
struct DiskRoom {
  /// The bytes that adding content leaves free, so that an archive on a full disk can still be opened and compacted.
  static let reservedByteCount = 8 << 20

  let path: String

  /// The bytes that this process may use; nil if the file system does not report them.
  var freeByteCount: Int? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    // Part of a file system is often reserved for root.
    let blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail
    let (byteCount, overflows) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflows ? nil : Int(clamping: byteCount)
  }

  /// Throws ``ArchiveError/Code/noSpace`` if less than the reserve would be left after writing that number of bytes.
  func check(writing byteCount: Int) throws(ArchiveError) {
    guard let freeByteCount, freeByteCount - Self.reservedByteCount < byteCount else { return }
    let missing = byteCount - (freeByteCount - Self.reservedByteCount)
    throw ArchiveError(
      .noSpace,
      "The disk is full: \(freeByteCount >> 10) KiB are free, and "
        + "\(Self.reservedByteCount >> 10) KiB are reserved for opening and compacting the archive. "
        + "Free at least \((missing + 1023) >> 10) KiB more.")
  }
}
