/// What a store keeps for one registered class: its name and number, its live objects, its pending changes.
///
/// A store owns its tables; an object leads to its table through an ``IdentityPage``, which does not retain it.
final class ClassTable {
  /// Safe though unowned: the store owns the table and detaches every object when it goes.
  @safe unowned(unsafe) let store: Store
  let type: StoredObject.Type
  let name: String
  let version: UInt8
  /// The number of the class; nil until it is needed, and found or given out then.
  private(set) var classID: KeyspaceID?
  /// The envelope of the class's records, once its number is known.
  private(set) var envelope = RecordEnvelope(storeID: StoreID(high: 0, low: 0), keyspace: KeyspaceID(rawValue: 0))
  // These call nobody while they are accessed, so accesses never overlap, and checking that costs more than the work.
  @safe @exclusivity(unchecked) var identity = IdentityTable()
  @safe @exclusivity(unchecked) var pending = PendingChanges()
  /// The indexes that the class declares.
  var indexes: [ClassIndex] = []
  /// Whether the backend's stores know that this one has them.
  var hasDeclaredIndexes = false
  /// Whether the store is gone.
  private(set) var isOrphan = false
  /// Row ids that were handed to the store and not used yet.
  var freeRowIDs: Range<RowID> = 0..<0
  private var nextBlockSize = 32
  /// The content of a new object, to which a fault goes back.
  var blank: ContentSnapshot?
  /// By row, what loaded objects encoded to; kept only when changes are looked for (``StoreConfiguration``).
  @safe @exclusivity(unchecked) var fingerprints: [RowID: UInt64] = [:]

  init(store: Store, type: StoredObject.Type, name: String) {
    self.store = store
    self.type = type
    self.name = name
    version = type.version
  }

  /// Takes the number that the backend gave the class.
  func identify(as classID: KeyspaceID) {
    self.classID = classID
    envelope = store.envelope(of: classID)
  }

  /// Before records are written: they are to be sealed in the current epoch.
  func renewEnvelope() {
    guard let classID, envelope.epoch != store.epoch else { return }
    envelope = store.envelope(of: classID)
  }

  /// The number of the class, from the backend where it is not known yet.
  func resolveClassID() throws(StoreError) -> KeyspaceID {
    if let classID { return classID }
    let id = try store.onRecords { sealing throws(BackendError) in
      try sealing.keyspaceID(of: .rows, named: Array(name.utf8))
    }
    store.registry.give(id, to: self)
    return id
  }

  /// The number of the class if anything may be saved under it; nil in a read-only store that does not know the class.
  func classIDForReading() throws(StoreError) -> KeyspaceID? {
    do throws(StoreError) {
      return try resolveClassID()
    } catch {
      if error.code == .readOnly { return nil }
      throw error
    }
  }

  /// A row id that was never used.
  func takeRowID() throws(StoreError) -> RowID {
    if freeRowIDs.isEmpty {
      let classID = try resolveClassID()
      let blockSize = nextBlockSize
      freeRowIDs = try store.onBackend { backend throws(BackendError) in
        try backend.reserveRowIDs(blockSize, in: classID)
      }
      nextBlockSize = min(nextBlockSize * 2, 8192)
    }
    let rowID = freeRowIDs.lowerBound
    freeRowIDs = (rowID + 1)..<freeRowIDs.upperBound
    return rowID
  }

  /// Puts a new object at a row.
  @inline(__always)
  func attach(_ object: StoredObject, at rowID: RowID) {
    object.state.remove(.gone)
    identity.insert(object, at: rowID, of: self)
  }

  /// Makes the object one outside any store; its content stays.
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

  /// Takes an object out of its table's live ones, without retaining the table: this happens to every object.
  @inline(__always)
  static func forget(_ object: StoredObject) {
    guard let page = object.place.page else { return }
    page.withTable { table in
      if !table.fingerprints.isEmpty { table.fingerprints[object.rowID] = nil }
      if page.remove(at: object.place.slot) { table.identity.retire(page) }
    }
  }

  /// Detaches every object, for when the store goes; lists of references may keep the table.
  func detachAll() {
    isOrphan = true
    let pending = pending.takeAll()
    for object in identity.objects() {
      object.state.subtract(.pending)
      Self.forget(object)
      object.place.leave()
    }
    blank = nil
    withExtendedLifetime(pending) {}
  }

  /// The object of the row: the live one, or a new fault.
  @inline(__always)
  func objectOrFault(_ rowID: RowID) -> StoredObject {
    if let object = identity[rowID] { return object }
    let object = type.init()
    object.state = .fault
    attach(object, at: rowID)
    return object
  }
}
