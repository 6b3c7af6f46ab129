/// An object in no store that records of a class are read into, one after another, for a look at them.
///
/// What its content refers to are objects of the store.
struct ScratchObject: ~Copyable {
  private let store: Store
  private let table: ClassTable
  private var object: StoredObject
  private var reader: DataBuffer
  /// Whether a record was read that may have left properties as they were.
  private var isUsed = false
  /// The token of the record that was read last.
  private(set) var token: UInt64 = 0

  init(_ store: Store, _ table: ClassTable) {
    self.store = store
    self.table = table
    object = table.type.init()
    reader = store.makeReader()
  }

  /// The object with a record's content, until the next one is read.
  ///
  /// - Throws: ``StoreError``, as for a fetch of the record.
  mutating func read(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws(StoreError) -> StoredObject {
    guard slice.status == .found else {
      throw slice.status == .absent ? store.rowNotFound(slice.rowID, table) : store.damaged(slice.rowID, table)
    }
    let opened = try unsafe store.open(chunk.value(of: slice), rowID: slice.rowID, of: table)
    // Reading an older version, a class may rely on the defaults of what that does not have.
    if isUsed, opened.version != table.version { object = table.type.init() }
    isUsed = true
    unsafe reader.beginReading(opened.content, version: opened.version)
    object.state.insert(.decoding)
    defer { object.state.remove(.decoding) }
    do {
      try object.readContent(from: &reader)
      try reader.finishReading()
    } catch {
      object = table.type.init()
      throw store.unreadable(error, rowID: slice.rowID, version: opened.version, of: table)
    }
    token = opened.token
    return object
  }
}
