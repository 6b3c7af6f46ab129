/// The thread-safe keeper of records behind a ``Store``.
///
/// A backend keeps records under a class and a row id, named buffers under a name, and ordered keys in trees; it
/// applies a ``WriteBatch`` wholly or not at all, and lets readers see the state of one commit. It knows nothing of
/// objects. Several stores may share one backend.
///
/// The contract, which one conformance suite checks for every backend:
///
/// - **Atomic.** After ``commit(_:durability:)`` returns, every read sees the whole batch; when it throws any error but
///   ``BackendError/Code/mustReopen``, no read ever sees any of it.
/// - **Conflicts are found before anything changes.** Every change says what it expects to find; if one expectation
///   fails the batch is refused with ``BackendError/Code/conflict`` and the list of all that failed.
/// - **Row ids grow and are never handed out twice.** Gaps are allowed.
/// - **A snapshot is the state of one commit**, however long it is read: every row of that state exactly once and
///   nothing newer; a keyspace that was made later is empty in it. Open snapshots make commits keep old values;
///   neither side waits for the other.
/// - **Scans in the order of keys are resumable** by a ``ScanToken``, in the same state and in later ones.
/// - **Limits are the same typed error everywhere:** ``BackendError/Code/limitExceeded``.
///
/// Every method may be called from any thread at any time.
public protocol StoreBackend: AnyObject, Sendable {
  /// The identity of what is stored, given out at creation: 16 random bytes.
  var storeID: StoreID { get }

  /// What was found when the backend was opened.
  var openReport: OpenReport { get }

  /// The keys that the stores of an encrypted backend seal their records with; nil, the default, where it is not
  /// encrypted.
  var keyRing: KeyRing? { get }

  /// Whether the backend itself hides names and the entries of trees, if it has keys.
  ///
  /// False, the default, leaves it to the library: the backend then gets names of keyspaces sealed, 16 bytes longer, and in
  /// place of the names of buffers and the keys of trees codes of 16 bytes, in no order that has a meaning.
  var sealsNamesAndTrees: Bool { get }

  /// What only a storage engine with files of its own can do; nil, the default, for other backends.
  var operations: (any EngineOperations)? { get }

  /// What a single key, value or batch may hold.
  var limits: BackendLimits { get }

  /// Every keyspace that is known, in the order of ids.
  ///
  /// Reads no keyspace's records, so one that is damaged does not keep the others from being listed.
  func keyspaces() throws(BackendError) -> [Keyspace]

  /// The id of the keyspace with this kind and name, of at least one byte; gives out a new id where there is none.
  ///
  /// A new id becomes durable with the first commit that puts something into the keyspace. Ids are never used again.
  func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID

  /// Hands out row ids that were never handed out before. They start at 1.
  func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID>

  /// Applies a batch wholly or not at all, and returns the number of the commit.
  ///
  /// A batch that is empty, or has checks only, is no commit: it makes earlier relaxed ones durable and returns the
  /// newest's number.
  ///
  /// - Throws: ``BackendError/Code/conflict`` with every change whose expectation does not hold;
  ///   ``BackendError/Code/invalidArgument`` where the batch is out of order, or one of its changes has a key or an
  ///   expectation that it cannot have.
  func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber

  /// The commit under which the batch was applied; nil if it is not among the last 1,024 that were.
  func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber?

  /// The number of records in the newest committed state.
  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int

  /// Reads rows in the order given, from the newest committed state, until the chunk is full.
  ///
  /// `chunk.slices[i]` answers `rows[i]`; fewer slices than rows means that the chunk was full: call again with the
  /// rest. A chunk that cannot hold the first record grows.
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError)

  /// Reads one record by a byte key; the chunk gets one slice, whose status says whether the key exists.
  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)

  /// Begins to load a new keyspace aside, which ``WriteBatch/appendAdoption(of:)`` makes one of the others.
  ///
  /// Its records are written in bounded steps, while commits go on; the commit that adopts them is small however many
  /// they are. Until then the keyspace is not listed, and nobody reads it.
  ///
  /// - Parameters:
  ///   - kind: The kind of the new keyspace.
  ///   - name: Its name; another keyspace may have it until the adoption.
  ///   - count: About how many records it will have; 0 if that is not known.
  /// - Returns: What takes the records.
  /// - Throws: ``BackendError/Code/limitExceeded`` for a name that is empty or too long; ``BackendError/Code/readOnly``.
  func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader

  /// Keeps the newest committed state readable until the snapshot is let go.
  func snapshot() throws(BackendError) -> any BackendSnapshot

  /// Sets what is called after others have committed, by another object or in another process.
  ///
  /// For backends whose records are not changed through this object alone; others keep the default, which does nothing.
  /// A call is a hint: it may stand for many commits, and may come where there was none. Commits through this object
  /// cause none.
  ///
  /// - Parameter handler: Called on any thread; it returns soon and may call the backend. Replaces the one before; nil:
  ///   none any more.
  func setExternalCommitHandler(_ handler: (@Sendable () -> Void)?)

  /// After ``BackendError/Code/mustReopen``: forgets what is in memory, recovers, and goes on. Open snapshots end.
  func reopen() throws(BackendError)

  /// Makes everything durable and lets go of the files. Calling it again does nothing.
  func close() throws(BackendError)
}

/// The state after one commit.
public protocol BackendSnapshot: AnyObject, Sendable {
  var commitNumber: CommitNumber { get }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError)

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)

  /// A row id above all rows of a keyspace, if that is known without reading them.
  ///
  /// ``scan(rows:after:)`` is faster where it is. By default nil.
  func rowIDBound(of keyspace: KeyspaceID) throws(BackendError) -> RowID?

  /// A scan over every record of a keyspace, in the order that is fastest to read, or a tree's own.
  ///
  /// ``scan(rows:after:)`` and ``scan(keys:after:)`` are slower, and can be resumed later.
  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan

  /// A scan over the keys of a tree within bounds: `lower` inclusive, `upper` exclusive, nil unbounded.
  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan

  /// About how many keys of a tree lie within bounds: `lower` inclusive, `upper` exclusive, nil unbounded.
  ///
  /// For choosing between ways to find something. Few keys are counted; of many, the number may be wrong by half or so.
  /// By default all of them are counted.
  func estimatedCount(tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int
}

/// A position in a snapshot, used by one thread at a time.
public protocol BackendScan: AnyObject {
  /// Replaces the chunk's content by the next records; an empty chunk means the end.
  ///
  /// After ``BackendError/Code/damaged`` a scan of rows or keys has passed over the damage that the error names: the
  /// next call goes on behind it.
  func next(into chunk: RecordChunk) throws(BackendError)
}
