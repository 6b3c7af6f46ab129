/// An object in no store into which records of a class are read, one after another, to inspect them.
///
/// References in its content lead to objects of the store.
struct ScratchObject: ~Copyable {
  private let store: Store
  private let table: ClassTable
  private var object: StoredObject
  private var reader: DataBuffer
  /// Whether the object was used for a record, so that its properties may differ from their defaults.
  private var isUsed = false
  /// The token of the record that was read last.
  private(set) var token: UInt64 = 0

  /// The loader with the content of records that were read ahead.
  private let references: ReferenceLoader?
  /// Whether the content is that which the program sees, and not all that the record has.
  private let isForQuery: Bool

  /// Creates a scratch object.
  ///
  /// - Parameters:
  ///   - store: The store of the records.
  ///   - table: The table of their class.
  ///   - references: A loader with the content of records that were read ahead.
  ///   - resolver: The resolver of references in the content; the store by default.
  ///   - isForQuery: Whether the content is that which the program sees, without references to objects that do not exist
  ///     (``Relationship/TargetDeleteRule/keep``).
  init(
    _ store: Store, _ table: ClassTable, references: ReferenceLoader? = nil, resolver: (any ReferenceResolver)? = nil,
    isForQuery: Bool = false
  ) {
    self.isForQuery = isForQuery
    self.references = references
    self.store = store
    self.table = table
    object = table.type.init()
    reader = unsafe DataBuffer(
      borrowing: UnsafeRawBufferPointer(start: nil, count: 0), resolver: resolver ?? store)
  }

  /// Exchanges the scratch object, with the content read last, and another object of its class.
  ///
  /// The next record is read into the other object.
  mutating func exchange(_ other: inout StoredObject) { swap(&object, &other) }

  /// Returns the object with a record's content, which is valid until the next one is read.
  ///
  /// - Throws: ``StoreError``, as a fetch of the record does.
  mutating func read(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws(StoreError) -> StoredObject {
    if let content = references?.content(of: slice.rowID) { return content }
    guard slice.status == .found else {
      throw slice.status == .absent ? store.rowNotFound(slice.rowID, table) : store.damaged(slice.rowID, table)
    }
    return try read(try unsafe store.open(chunk.value(of: slice), rowID: slice.rowID, of: table), rowID: slice.rowID)
  }

  /// Returns the object with the content of an opened record, whose version must be one that the class knows.
  mutating func read(_ opened: RecordEnvelope.Opened, rowID: RowID) throws(StoreError) -> StoredObject {
    // When a class reads an older version, it may rely on the defaults of properties that this version lacks.
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
    object.tokenOrIndex = rowID
    if isForQuery { try table.completeContent?(object) }
    return object
  }
}
