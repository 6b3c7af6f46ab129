internal import Todana

/// An archive's store, as one thread uses it: content and pages by their rows, unpacked.
///
/// Not thread-safe: a thread has its own, over the same backend.
final class ArchiveStore {
  static let classes: [StoredObject.Type] = [
    StoredContent.self, StoredSmallFile.self, StoredTreePage.self, StoredSnapshot.self,
  ]

  let store: Store
  private let decompressor: Decompressor
  private var classIDs: [ObjectIdentifier: ClassID] = [:]

  init(_ store: Store) throws {
    self.store = store
    decompressor = try Decompressor()
  }

  /// Another one for another thread.
  static func beside(_ backend: any StoreBackend) throws -> ArchiveStore {
    try ArchiveStore(Store(backend: backend, classes: classes))
  }

  /// The object of a row.
  ///
  /// - Throws: ``ArchiveError/Code/damaged`` where it is not there, or not what was written.
  func object<T: StoredObject>(_ type: T.Type, _ row: RowID) throws -> T {
    do throws(StoreError) {
      if let id = try id(type, row), let object = try store.fetch(id) { return object }
    } catch {
      throw Self.isDamage(error)
        ? ArchiveError(.damaged, "\(T.storedName) \(row) is damaged.", underlying: error) as any Error : error
    }
    throw ArchiveError(.damaged, "\(T.storedName) \(row) is missing.")
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
    of packed: PackedBytes, _ body: (UnsafeRawBufferPointer) throws(ArchiveError) -> Value
  ) throws(ArchiveError) -> Value {
    try unsafe decompressor.withContent(of: packed.bytes, method: packed.method, byteCount: packed.byteCount, body)
  }

  func content(_ row: RowID) throws -> [UInt8] { try unpack(object(StoredContent.self, row).packed) }

  func page(_ row: RowID) throws -> [UInt8] { try unpack(object(StoredTreePage.self, row).packed) }

  // MARK: Names

  func row(ofContent name: ContentName) throws -> RowID? {
    try store.ids(StoredContent.where { $0.name == name }.limit(1), includingPending: false).first?.rowID
  }

  func row(ofSmallFile name: ContentName) throws -> RowID? {
    try store.ids(StoredSmallFile.where { $0.name == name }.limit(1), includingPending: false).first?.rowID
  }

  func row(ofPage name: ContentName) throws -> RowID? {
    try store.ids(StoredTreePage.where { $0.name == name }.limit(1), includingPending: false).first?.rowID
  }
}
