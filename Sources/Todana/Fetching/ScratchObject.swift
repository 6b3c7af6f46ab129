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

  /// Gives the content of records that were read ahead.
  private let references: ReferenceLoader?

  /// - Parameters:
  ///   - store: Of the records.
  ///   - table: Of their class.
  ///   - references: Gives the content of records that were read ahead.
  ///   - resolver: Gives what content refers to, if not the store.
  init(
    _ store: Store, _ table: ClassTable, references: ReferenceLoader? = nil, resolver: (any ReferenceResolver)? = nil
  ) {
    self.references = references
    self.store = store
    self.table = table
    object = table.type.init()
    reader = unsafe DataBuffer(
      borrowing: UnsafeRawBufferPointer(start: nil, count: 0), resolver: resolver ?? store)
  }

  /// Hands out the object with the content that was read last, and takes another one of its class to read into.
  mutating func exchange(_ other: inout StoredObject) { swap(&object, &other) }

  /// The object with a record's content, until the next one is read.
  ///
  /// - Throws: ``StoreError``, as for a fetch of the record.
  mutating func read(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws(StoreError) -> StoredObject {
    if let content = references?.content(of: slice.rowID) { return content }
    guard slice.status == .found else {
      throw slice.status == .absent ? store.rowNotFound(slice.rowID, table) : store.damaged(slice.rowID, table)
    }
    return try read(try unsafe store.open(chunk.value(of: slice), rowID: slice.rowID, of: table), rowID: slice.rowID)
  }

  /// The object with the content of a record that was opened, and is of a version that the class knows.
  mutating func read(_ opened: RecordEnvelope.Opened, rowID: RowID) throws(StoreError) -> StoredObject {
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
      throw store.unreadable(error, rowID: rowID, version: opened.version, of: table)
    }
    token = opened.token
    return object
  }
}
