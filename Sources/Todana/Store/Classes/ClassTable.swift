/// A store's data of one registered class, or of one collection: its name and number, its live objects, its pending
/// changes.
///
/// A store owns its tables. An object finds its table through an ``IdentityPage``, which does not retain it.
final class ClassTable {
  /// The store of the table.
  ///
  /// Safe though unowned: the store owns the table and detaches every object when it is deinitialized.
  @safe unowned(unsafe) let store: Store
  let type: StoredObject.Type
  /// The stored name, which is also that of the rows' keyspace.
  let name: String
  /// The collection whose objects the table has; nil for the table of a class.
  var collection: StoredCollection?
  let version: UInt8
  /// The hooks that the class overrides.
  let hooks: ObjectHooks
  /// The number of the class; nil until it is first needed, when it is found or assigned.
  private(set) var classID: KeyspaceID?
  /// The envelope of the class's records, once its number is known.
  private(set) var envelope = RecordEnvelope(storeID: StoreID(high: 0, low: 0), keyspace: KeyspaceID(rawValue: 0))
  // No other code runs while these properties are accessed, so accesses never overlap. A check would cost more than the
  // access.
  @safe @exclusivity(unchecked) var identity = IdentityTable()
  @safe @exclusivity(unchecked) var pending = PendingChanges()
  /// The rows of objects with pending updates or deletes at the last refresh that another store had deleted.
  var absentPending: Set<RowID> = []
  /// The indexes that the class declares.
  var indexes: [ClassIndex] = []
  /// The relationships that the class declares.
  var relationships: [ClassRelationship] = []
  /// The relationships of all classes whose targets may be objects of this class.
  var incoming: [ClassRelationship] = []
  /// Whether deletes of the class's objects have to follow or to look for references.
  var hasDeleteRules = false
  /// Completes the content of an object that was just read from its record; nil if nothing is to be done.
  @safe @exclusivity(unchecked) var completeContent: ((StoredObject) throws(StoreError) -> Void)?
  /// The text indexes that the class declares.
  var textIndexes: [ClassTextIndex] = []
  /// Whether the indexes are declared in the session, which all stores of the backend share.
  var hasDeclaredIndexes = false
  /// Whether the store was deinitialized.
  private(set) var isOrphan = false
  /// Whether the table is that of a collection that was dropped.
  private(set) var isDropped = false
  /// The row ids that are reserved for the store and not used yet.
  var freeRowIDs: Range<RowID> = 0..<0
  private var nextBlockSize = 32
  /// The content of a new object, which a fault gets when it loses its own.
  var blank: ContentSnapshot?
  /// The fingerprints of loaded objects' encodings, by row; kept only if unannounced changes are detected
  /// (``StoreConfiguration``).
  @safe @exclusivity(unchecked) var fingerprints: [RowID: UInt64] = [:]

  init(store: Store, type: StoredObject.Type, name: String, collection: StoredCollection? = nil) {
    self.store = store
    self.type = type
    self.name = name
    self.collection = collection
    version = type.version
    hooks = ObjectHooks.overridden(by: type)
  }

  /// Sets the number that the backend gave the class.
  func identify(as classID: KeyspaceID) {
    self.classID = classID
    envelope = store.envelope(of: classID)
  }

  /// Updates the envelope to the current epoch; called before records are written.
  func renewEnvelope() {
    guard let classID, envelope.epoch != store.epoch else { return }
    envelope = store.envelope(of: classID)
  }

  /// Marks the collection as dropped: it has no number and no records any more.
  func drop() {
    isDropped = true
    classID = nil
    indexes = []
    textIndexes = []
    freeRowIDs = 0..<0
  }

  /// The error of a change in a collection that was dropped.
  var droppedError: StoreError {
    StoreError(
      .unknownCollection,
      "The collection \"\(collection?.name ?? name)\" was dropped: discard the changes of its objects.",
      className: name)
  }

  /// Returns the number of the class, and asks the backend if it is not known yet.
  func resolveClassID() throws(StoreError) -> KeyspaceID {
    if let classID { return classID }
    if isDropped { throw droppedError }
    let id = try store.onRecords { sealing throws(BackendError) in
      try sealing.keyspaceID(of: .rows, named: Array(name.utf8))
    }
    store.registry.give(id, to: self)
    return id
  }

  /// Returns the number of the class; nil if it has none and the store is read-only.
  ///
  /// A class without a number has no records.
  func classIDForReading() throws(StoreError) -> KeyspaceID? {
    if isDropped { return nil }
    do throws(StoreError) {
      return try resolveClassID()
    } catch {
      if error.code == .readOnly { return nil }
      throw error
    }
  }

  /// Returns a row id that was never used.
  func takeRowID() throws(StoreError) -> RowID {
    if freeRowIDs.isEmpty {
      let classID = try resolveClassID()
      let blockSize = nextBlockSize
      freeRowIDs = try store.onBackend { backend throws(BackendError) in
        let rowIDs = try backend.reserveRowIDs(blockSize, in: classID)
        guard !rowIDs.isEmpty, rowIDs.lowerBound > 0 else { throw BackendError(wrongAnswer: "no row ids") }
        return rowIDs
      }
      nextBlockSize = min(nextBlockSize * 2, 8192)
    }
    let rowID = freeRowIDs.lowerBound
    freeRowIDs = (rowID + 1)..<freeRowIDs.upperBound
    return rowID
  }

  /// Makes an object the live object of a row.
  @inline(__always)
  func attach(_ object: StoredObject, at rowID: RowID) {
    object.state.remove(.gone)
    identity.insert(object, at: rowID, of: self)
  }

  /// Takes an object out of the store; its content stays.
  func detach(_ object: StoredObject) {
    Self.forget(object)
    object.place = ObjectPlace()
    object.tokenOrIndex = 0
  }

  /// Detaches an object whose delete was saved.
  func detachDeleted(_ object: StoredObject) {
    detach(object)
    object.state.insert(.gone)
  }

  /// Removes an object from its table's live objects.
  ///
  /// Called once for every object, so it avoids the cost of retaining the table.
  @inline(__always)
  static func forget(_ object: StoredObject) {
    guard let page = object.place.page else { return }
    page.withTable { table in
      if !table.fingerprints.isEmpty { table.fingerprints[object.rowID] = nil }
      if page.remove(at: object.place.slot) { table.identity.retire(page) }
    }
  }

  /// Detaches all objects, when the store is deinitialized; reference lists may keep the table alive.
  ///
  /// - Returns: The objects that were pending.
  func detachAll() -> [StoredObject] {
    isOrphan = true
    let pending = pending.takeAll()
    for object in identity.objects() {
      object.state.subtract(.pending)
      Self.forget(object)
      object.place.leave()
    }
    blank = nil
    return pending
  }

  /// Returns the live object of a row, or a new fault.
  @inline(__always)
  func objectOrFault(_ rowID: RowID) -> StoredObject {
    if let object = identity[rowID] { return object }
    let object = type.init()
    object.state = .fault
    attach(object, at: rowID)
    return object
  }
}
