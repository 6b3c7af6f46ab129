internal import Logging
import Observation

/// Where objects are fetched, changed and saved: a unit of work over a ``StoreBackend``.
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
/// are *pending* until ``saveChanges(durability:)`` commits them all, or ``discardChanges()`` takes them back; every
/// fetch, count and stream sees them, unless it is told `includingPending: false`, which speaks of what rows there are:
/// a live object always shows its own content.
///
/// Neither `Store` nor ``StoredObject`` is `Sendable`: a store is used in one isolation domain, such as the main actor,
/// an actor, or one task. ``StoreActor`` makes a domain of its own. Several stores can share one ``backend``.
///
/// Keep the store as long as you use its objects: when it goes, they keep the content that they have, lose ``StoredObject/id``
/// and ``StoredObject/store``, and cannot load anything more. Call ``close(discarding:)`` before you release a store whose
/// objects refer to each other in cycles: it takes their content away, so that they are released. What is pending when
/// a store is released is lost, which ``StoreConfiguration/logger`` hears as a warning.
public final class Store {
  /// The keeper of the records, which other stores may share.
  public let backend: any StoreBackend
  /// The way of records to the backend and back: those of an encrypted one are sealed and opened.
  let sealing: RecordSealing
  public let configuration: StoreConfiguration

  /// Hears of changes and saves.
  public weak var delegate: (any StoreDelegate)? {
    didSet { hasDelegate = delegate != nil }
  }

  var registry = ClassRegistry()
  let session: BackendSession
  let observation = ObservationRegistrar()
  /// Pending objects of all classes and pending named buffers.
  var pendingCount = 0
  var namedBuffers = NamedBuffers()
  var hasDelegate = false
  var isClosed = false {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  var isSaving = false
  /// How many savepoints are open, each within the one before.
  var savepointDepth = 0
  /// What they have noted; kept for the next one.
  var journal: ChangeJournal?
  /// Whether the store works for another one (``WorkerSeed``).
  private(set) var isWorker = false
  /// An error of a call that could not throw; the next throwing call throws it.
  var deferredError: StoreError? {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  /// A save whose flush failed.
  var unresolvedSave: UnresolvedSave? {
    didSet { needsAttention = isClosed || unresolvedSave != nil || deferredError != nil }
  }
  /// Saves that were applied and whose flush is awaited, the oldest first.
  var flights: [SaveInFlight] = []
  /// Whether ``begin()`` has to look closer.
  var needsAttention = false
  var seenFailureCount: Int
  /// The newest commit of which all live objects know, if they were loaded before it.
  var lastKnownCommit: CommitNumber = 0
  /// Saves that this store has committed.
  var saveCount = 0
  /// Whether saves were committed that are not flushed yet.
  var hasRelaxedCommits = false
  /// Whether reads go through a snapshot (``withSnapshot(_:)``).
  var holdsSnapshot = false
  /// That snapshot; nil after a save, until the next read takes one that holds the save.
  var heldSnapshot: (any BackendSnapshot)?
  /// The classes of references that were encoded or resolved last.
  var lastTable: ClassTable?
  var spareChunk: RecordChunk?
  var spareSmallChunk: RecordChunk?
  var spareIndexChunk: RecordChunk?
  var spareCopies: ContentCopies?

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - location: Where the records are; a directory is created where there is none.
  ///   - classes: Every class to be used, in any order. Records of classes that are not listed stay untouched.
  ///   - configuration: Encryption, durability, checks.
  ///   - anchor: A commit that the store must still have; nil: whatever state it is in.
  /// - Throws: ``StoreError``, with a ``BackendError`` underneath if the place could not be opened;
  ///   ``StoreError/Code/rolledBack`` or ``StoreError/Code/diverged`` where the store is not what the anchor says.
  public convenience init(
    _ location: StoreLocation, classes: [StoredObject.Type], configuration: StoreConfiguration = StoreConfiguration(),
    expecting anchor: StoreAnchor? = nil
  ) throws(StoreError) {
    let backend = try location.openBackend(configuration, expecting: anchor)
    do throws(StoreError) {
      try self.init(backend: backend, classes: classes, configuration: configuration, opened: true)
    } catch {
      // What the caller has to know is the first error; the backend's files go with its last reference.
      try? backend.close()
      throw error
    }
  }

  /// Makes a store over a backend that is open already.
  ///
  /// - Parameters:
  ///   - backend: For example another store's ``backend``. It is closed with the last of its stores if a store opened
  ///     it; if you made it, you close it.
  ///   - classes: Every class to be used, in any order.
  ///   - configuration: Durability and checks; what the backend was opened with stands.
  /// - Throws: ``StoreError``: a class name that cannot be used, or what the backend's catalog met.
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
    registry.adopt(keyspaces)
    namedBuffers.keyspace = keyspaces.first { $0.kind == .keys && $0.name == NamedBuffers.keyspaceName }?.id
    try prepareContentLayouts(keyspaces)
    try prepareIndexes(keyspaces)
    try beginBuildingIndexes()
  }

  /// A store for work beside others of the backend: it holds nothing open, and builds nothing.
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
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    registry.adopt(keyspaces)
    for table in registry.tables {
      table.indexes = try ClassIndex.all(of: table.type, className: table.name)
      for index in table.indexes {
        index.keyspace = keyspaces.first { $0.kind == .tree && $0.name == index.keyspaceName }?.id
      }
    }
  }

  deinit {
    if !isClosed, pendingCount > 0 {
      configuration.logger?.warning(
        "A store was released with unsaved changes, which are lost: \(pendingChangesDescription)")
    }
    for table in registry.tables { table.detachAll() }
    if !isClosed { withdrawIndexes() }
    if !isClosed, !isWorker, BackendSession.leave(backend) {
      // Nobody is left to be told; unsaved changes are lost either way, saved ones stand in the log.
      try? backend.close()
    }
  }
}
