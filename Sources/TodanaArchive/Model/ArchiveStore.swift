internal import Todana

/// An archive's store, as one thread uses it: content and pages by their rows, unpacked.
///
/// Not thread-safe: a thread has its own, over the same backend.
final class ArchiveStore {
  static let classes: [StoredObject.Type] = [
    StoredContent.self, StoredSmallFile.self, StoredTreePage.self, StoredSnapshot.self, StoredDamage.self,
  ]

  let store: Store
  private let decompressor: Decompressor
  private var classIDs: [ObjectIdentifier: KeyspaceID] = [:]

  init(_ store: Store) throws {
    self.store = store
    decompressor = try Decompressor()
  }

  /// Another one for another thread.
  static func beside(_ backend: any StoreBackend) throws -> ArchiveStore {
    try ArchiveStore(Store(backend: backend, classes: classes))
  }

  /// The object of a row, or of what was stored in its place.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` where it is not there, or not what was written.
  func object<T: StoredObject>(_ type: T.Type, _ row: RowID) throws -> T {
    do throws(StoreError) {
      if let id = try id(type, row), let object = try store.fetch(id) { return object }
    } catch {
      guard Self.isDamage(error) else { throw error }
      if let kind = (type as? any NamedObject.Type)?.kind,
        let current = try damage.current(.init(kind: kind, row: row)),
        current != row
      {
        return try object(type, current)
      }
      throw ArchiveError(.damaged, "\(T.storedName) \(row) is damaged.", underlying: error)
    }
    throw ArchiveError(.damaged, "\(T.storedName) \(row) is missing.")
  }

  /// nil where there is none, or it is damaged.
  func soundObject<T: StoredObject>(_ type: T.Type, _ row: RowID) throws(StoreError) -> T? {
    do throws(StoreError) {
      guard let id = try id(type, row) else { return nil }
      return try store.fetch(id)
    } catch {
      guard Self.isDamage(error) else { throw error }
      return nil
    }
  }

  /// The identity of a row; nil where nothing of the class was ever saved.
  func id<T: StoredObject>(_ type: T.Type, _ row: RowID) throws(StoreError) -> ObjectID<T>? {
    if let classID = classIDs[ObjectIdentifier(type)] {
      return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: row))
    }
    guard let classID = try store.catalog[type]?.id else { return nil }
    classIDs[ObjectIdentifier(type)] = classID
    return ObjectID(unchecked: AnyObjectID(classID: classID, rowID: row))
  }

  /// Whether only what was asked for is wrong, and the rest of the archive may be sound.
  static func isDamage(_ error: StoreError) -> Bool {
    switch error.code {
    case .damagedRecord, .unreadableContent, .wrongClass, .rowNotFound: true
    default: (error.underlying as? BackendError)?.code == .damaged
    }
  }

  // MARK: Unpacking

  func unpack(_ packed: PackedBytes) throws(ArchiveError) -> [UInt8] {
    try decompressor.decompress(packed.bytes, method: packed.method, byteCount: packed.byteCount)
  }

  /// As ``unpack(_:)``, in memory that is used again.
  func withContent<Value>(
    of packed: PackedBytes, _ body: (UnsafeRawBufferPointer) throws -> Value
  ) throws -> Value {
    try unsafe decompressor.withContent(of: packed.bytes, method: packed.method, byteCount: packed.byteCount, body)
  }

  /// Calls back with a piece of content, in memory that is used again.
  func withContent(_ row: RowID, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try unsafe withContent(of: object(StoredContent.self, row).packed, body)
  }

  func content(_ row: RowID) throws -> [UInt8] { try unpack(object(StoredContent.self, row).packed) }

  func page(_ row: RowID) throws -> [UInt8] { try unpack(object(StoredTreePage.self, row).packed) }

  // MARK: Saving

  /// What a save writes at most, about: it is in memory until then.
  var saveByteCount = 6 << 20

  /// What no save has committed yet.
  var pending = PendingRows()

  /// Whether what is pending takes as much memory as it may.
  var isSaveDue: Bool { pending.byteCount >= saveByteCount }

  /// The disk that new content is written to; nil in threads that only read.
  var room: DiskRoom?

  /// Commits added content, and releases memory.
  ///
  /// - Throws: ``ArchiveError/Code/noSpace`` before the disk is full: neither opening nor compacting would have room then.
  func saveAddition() throws {
    if let room {
      // A checkpoint writes the log's content to the files once more.
      let logByteCount = try (store.backend as? KyotoBackend)?.statistics().liveLogByteCount ?? 0
      try room.check(writing: pending.byteCount + logByteCount)
    }
    try save()
  }

  /// Commits all changes, and lets go of memory.
  func save() throws {
    try store.saveChanges()
    pending.removeAll()
    try store.releaseMemory()
  }

  /// Takes back what no save has committed.
  func discardChanges() {
    store.discardChanges()
    pending.removeAll()
    knownDamage = nil
  }

  // MARK: Damage

  private var knownDamage: KnownDamage?

  /// What is known of damage, as it was when it was first asked for.
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

  /// Whether a file's data may be damaged.
  func isKnownDamaged(_ content: ArchiveEntry.Content) throws -> Bool {
    let damage = try damage
    if damage.isEmpty { return false }
    return switch content {
    case .none, .pages: false
    case .small(let row): damage.contains(.init(kind: .smallFile, row: row))
    case .chunks(let rows): rows.contains { damage.contains(.init(kind: .content, row: $0)) }
    }
  }

  /// The same with what was stored in the place of what is damaged, which tells whether two are equal.
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
