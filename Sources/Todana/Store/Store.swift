internal import Logging
import Observation

/// An open store, in which objects are fetched, changed and saved: a unit of work over a ``StoreBackend``.
///
/// ```swift
/// let store = try Store(.directory("Music.todana"), classes: [Song.self, Playlist.self])
/// let song = Song()
/// song.title = "Blue in Green"
/// let id = try store.insert(song)
/// try store.saveChanges()
/// ```
///
/// A store has **one instance for each row**: fetching a row twice gives the same object. Inserts, updates and deletes
/// are *pending* until ``saveChanges(durability:)`` commits them all, or ``discardChanges()`` discards them.
///
/// Every fetch, count and stream sees pending changes. With `includingPending: false` pending inserts and deletes are
/// disregarded, but a live object still shows its own content.
///
/// Neither `Store` nor ``StoredObject`` is `Sendable`: a store is used in one isolation domain, such as the main actor,
/// an actor, or one task. ``StoreActor`` makes a domain of its own. Several stores can share one ``backend``.
///
/// Keep the store as long as you use its objects. When the store is deinitialized, they keep their content, lose
/// ``StoredObject/id`` and ``StoredObject/store``, and cannot load anything more. If objects refer to each other in
/// cycles, call ``close(discarding:)`` before you release the store: it clears their content, so that they are
/// released. Do so as well if loaded objects form a chain of many thousands, each of which refers to the next: Swift
/// releases such a chain recursively, and overflows the stack.
///
/// Pending changes are lost when a store is released; ``StoreConfiguration/logger`` receives a warning.
public final class Store {
  /// The backend that keeps the records; several stores may share it.
  public let backend: any StoreBackend
  /// The layer that seals records on their way to an encrypted backend and opens them on their way back.
  let sealing: RecordSealing
  public let configuration: StoreConfiguration

  /// The object that is notified of changes and saves.
  public weak var delegate: (any StoreDelegate)? {
    didSet { hasDelegate = delegate != nil }
  }

  /// The changes that can be undone; nil, the default, if none can be.
  ///
  /// A stack belongs to one store: if it is assigned to another one, the first one has none. It is emptied when it is assigned, when the store is closed, and when the outcome of a
  /// save is unknown (``StoreError/Code/mustReopen``).
  public var undoStack: UndoStack? {
    didSet {
      hasUndoStack = undoStack != nil
      guard oldValue !== undoStack else { return }
      oldValue?.store = nil
      guard let undoStack else { return }
      let former = undoStack.store
      undoStack.store = self
      if let former, former !== self { former.undoStack = nil }
      undoStack.store = self
      undoStack.removeAll()
    }
  }

  // No other code runs while the flag is accessed, so accesses never overlap. A check would cost more than the access.
  @safe @exclusivity(unchecked) private(set) var hasUndoStack = false

  var registry = ClassRegistry()
  let session: BackendSession
  /// The objects that other modules keep beside the store, by name.
  var companions: [String: AnyObject] = [:]
  /// The number of classes registered at their first use that the store has seen in its session.
  var lateClassCount = 0
  /// The number of changes by other processes after which the store has looked for such classes.
  var lateChangeCount = 0
  /// The collections that the store has read.
  var collections = KnownCollections()
  /// The classes that the store was opened without, and whose objects may not lose their references.
  var unknownReferrers: [UnknownReferrers] = []
  let observation = ObservationRegistrar()
  /// The number of pending objects of all classes and of pending named buffers.
  var pendingCount = 0
  // No other code runs while the buffers are accessed, so accesses never overlap. A check would cost more than a lookup.
  @safe @exclusivity(unchecked) var namedBuffers = NamedBuffers()
  var hasDelegate = false
  /// Whether the store was closed, so that every throwing call throws ``StoreError/Code/closed``.
  public internal(set) var isClosed = false {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  var isSaving = false
  /// The loaded objects that the contents being saved refer to, until the save has released its objects.
  var savedReferences: [StoredObject] = []
  /// The number of open savepoints, each nested in the one before.
  var savepointDepth = 0
  /// The journal of the open savepoints; kept for the next one.
  var journal: ChangeJournal?
  /// Whether the task for which the store reads was cancelled; nil for a store that reads for its user.
  var cancellation: Cancellation?
  /// Whether the store does background work for other stores (``WorkerSeed``).
  private(set) var isWorker = false
  /// The error of a call that could not throw; the next throwing call throws it.
  var deferredError: StoreError? {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  /// Whether an access to a property of a fault was logged after the store was closed.
  var hasLoggedAccess = false
  /// The save whose flush failed.
  var unresolvedSave: UnresolvedSave? {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  /// The saves that were applied and whose flush is awaited, the oldest first.
  var flights: [SaveInFlight] = []
  /// Whether ``begin()`` has to check for a closed store, a deferred error or an unresolved save.
  var needsAttention = false
  var seenFailureCount: Int
  /// The newest commit that is known to be reflected in all live objects that were loaded before it.
  var lastKnownCommit: CommitNumber = 0
  /// The number of saves that this store has committed.
  var saveCount = 0
  /// Whether saves were committed that are not flushed yet.
  var hasRelaxedCommits = false
  /// Whether reads go through a snapshot (``withSnapshot(_:)``).
  var holdsSnapshot = false
  /// The held snapshot; nil after a save, until the next read takes one that includes the save.
  var heldSnapshot: (any BackendSnapshot)?
  /// Whether an observed value is being computed, so that reads are noted.
  // No other code runs while the flag is accessed, so accesses never overlap. A check would cost more than the access.
  @safe @exclusivity(unchecked) var isTracking = false
  /// The tracker of the parts that are read while an observed value is computed.
  var tracker = ReadTracker()
  /// The table of the class that was looked up last.
  var lastTable: ClassTable?
  var spareChunk: RecordChunk?
  @safe @exclusivity(unchecked) var spareSmallChunk: RecordChunk?
  var spareIndexChunk: RecordChunk?
  var spareCopies: ContentCopies?
  /// Memory for the content of a named buffer that is being written.
  var spareArena: ByteArena?

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: The place of the records; a missing directory is created.
  ///   - classes: All classes to be used, in any order. Records of classes that are not listed stay untouched.
  ///   - configuration: Encryption, durability, checks.
  ///   - anchor: A commit that the store must still have; nil accepts any state.
  /// - Throws: ``StoreError``, with an underlying ``BackendError`` if the location could not be opened;
  ///   ``StoreError/Code/rolledBack`` or ``StoreError/Code/diverged`` if the store does not match the anchor.
  public convenience init(
    _ location: StoreLocation, classes: [StoredObject.Type], configuration: StoreConfiguration = StoreConfiguration(),
    expecting anchor: StoreAnchor? = nil
  ) throws(StoreError) {
    // Invalid declarations must not leave an empty store.
    if location.isUnused { try ClassRegistry.check(classes) }
    let backend = try location.openBackend(configuration, expecting: anchor)
    do throws(StoreError) {
      try self.init(backend: backend, classes: classes, configuration: configuration, opened: true)
    } catch {
      // The first error is the one to report; the backend's files are closed with its last reference.
      try? backend.close()
      throw error
    }
  }

  /// Creates a store over an open backend.
  ///
  /// - Parameters:
  ///   - backend: The backend, for example another store's ``backend``. It is closed with the last of its stores if a
  ///     store opened it. If you opened it, you have to close it.
  ///   - classes: All classes to be used, in any order.
  ///   - configuration: Durability and checks; settings with which the backend was opened stay in effect.
  /// - Throws: ``StoreError``, for a class name that cannot be used, or an error of reading the backend's catalog.
  public convenience init(
    backend: any StoreBackend, classes: [StoredObject.Type],
    configuration: StoreConfiguration = StoreConfiguration()
  ) throws(StoreError) {
    try self.init(backend: backend, classes: classes, configuration: configuration, opened: false)
  }

  init(
    backend: any StoreBackend, classes: [StoredObject.Type], configuration: StoreConfiguration, opened: Bool
  ) throws(StoreError) {
    self.backend = backend
    sealing = RecordSealing(backend)
    self.configuration = configuration
    session = BackendSession.join(backend, opened: opened)
    seenFailureCount = session.failureCount
    for type in classes {
      try registry.register(type, store: self, nameByteLimit: sealing.nameByteLimit)
    }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    (lateClassCount, lateChangeCount) = (session.lateClasses.count, session.collectionChangeCount)
    for type in ClassRegistry.lateTypes(storedIn: keyspaces) + session.lateClasses.types where registry[type] == nil {
      try registry.register(type, store: self, nameByteLimit: sealing.nameByteLimit)
    }
    registry.adopt(keyspaces)
    namedBuffers.keyspace = keyspaces.first { $0.kind == .keys && $0.name == NamedBuffers.keyspaceName }?.id
    try refuseClassesNamedAsCollections()
    try prepareContentLayouts(of: registry.tables, keyspaces)
    try prepareIndexes(of: registry.tables, keyspaces)
    try prepareTextIndexes(of: registry.tables, keyspaces)
    try beginBuildingIndexes(of: registry.tables)
    try beginMergingTexts(of: registry.tables)
    for table in registry.tables where table.type.isRegisteredAtFirstUse { session.lateClasses.add(table.type) }
  }

  /// Creates a store for background work, in addition to the other stores of the backend.
  ///
  /// It is not counted as a store of the session, and starts no index building.
  init(beside other: WorkerSeed) throws(StoreError) {
    backend = other.backend
    sealing = RecordSealing(backend)
    configuration = other.configuration
    session = other.session
    isWorker = true
    seenFailureCount = session.failureCount
    for type in other.types {
      try registry.register(type, store: self, nameByteLimit: sealing.nameByteLimit)
    }
    for entry in other.collections {
      registry.register(entry.collection, entry.type, tableName: entry.tableName, store: self)
    }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    registry.adopt(keyspaces)
    for table in registry.tables {
      try table.declareIndexes()
      for index in table.indexes {
        index.keyspace = keyspaces.first { $0.kind == .tree && $0.name == index.keyspaceName }?.id
      }
      for index in table.textIndexes { index.tree = keyspaces.first { $0.name == index.treeName }?.id }
    }
  }

  deinit {
    if !isClosed, !isWorker, !isInChild, pendingCount > 0 {
      configuration.logger?.warning(
        "A store was released with unsaved changes, which are lost: \(pendingChangesDescription)")
    }
    // Only the store may have held pending objects.
    var pending = registry.tables.flatMap { $0.detachAll() }
    releaseGradually(&pending)
    if isInChild {
      if !isClosed, !isWorker, session.leaveInChild(backend) { try? backend.close() }
      return
    }
    if !isClosed { withdrawIndexes() }
    if !isClosed, !isWorker, BackendSession.leave(backend) {
      // There is no caller to report an error to. Unsaved changes are lost either way; saved ones are in the log.
      try? backend.close()
    }
  }
}
