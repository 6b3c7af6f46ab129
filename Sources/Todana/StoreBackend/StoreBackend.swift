/// The thread-safe storage of records beneath a ``Store``.
///
/// A backend stores rows under their class and row id, named buffers under a name, and ordered keys in trees. It
/// applies a ``WriteBatch`` entirely or not at all, and each reader sees the state of one commit. A backend knows
/// nothing of objects. Several stores may share one backend.
///
/// The contract, which one conformance suite checks for every backend:
///
/// - **Atomic.** After ``commit(_:durability:)`` returns, every read sees the whole batch. If it throws any error but
///   ``BackendError/Code/mustReopen``, no read ever sees any of the batch.
/// - **Conflicts are found before anything changes.** Every change states its expectation. If one does not hold, the
///   batch is refused with ``BackendError/Code/conflict`` and the list of all changes whose expectations do not hold.
/// - **Row ids grow and are never handed out twice.** Gaps are allowed.
/// - **A snapshot is the state of one commit**, however long it is read. A scan returns every row of that state exactly
///   once, and nothing newer; a keyspace that was created later is empty in it. For open snapshots, commits keep old
///   values; readers and commits do not wait for each other.
/// - **Scans in the order of keys are resumable** by a ``ScanToken``, in the same state and in later ones.
/// - **Limits are the same typed error everywhere:** ``BackendError/Code/limitExceeded``.
///
/// Every method may be called from any thread at any time.
public protocol StoreBackend: AnyObject, Sendable {
  /// The identity of the stored data, assigned at creation: 16 random bytes.
  var storeID: StoreID { get }

  /// The report of the opening: whether the store was created, and which commits were recovered.
  var openReport: OpenReport { get }

  /// The keys with which stores of an encrypted backend seal their records.
  ///
  /// Nil, the default, if the backend is not encrypted.
  var keyRing: KeyRing? { get }

  /// Whether a backend with keys hides names and the entries of trees by itself.
  ///
  /// If false, the default, the library hides them. The backend then gets sealed names of keyspaces, which are 16 bytes
  /// longer. In place of the names of buffers and the keys of trees it gets codes of 16 bytes, in no meaningful order.
  var sealsNamesAndTrees: Bool { get }

  /// The services of a storage engine with its own files; nil, the default, for other backends.
  var operations: (any EngineOperations)? { get }

  /// The largest key, value and batch that the backend accepts.
  var limits: BackendLimits { get }

  /// Returns all keyspaces, in the order of ids.
  ///
  /// Reads no records, so a damaged keyspace does not prevent listing the others.
  func keyspaces() throws(BackendError) -> [Keyspace]

  /// Returns the id of the keyspace with this kind and name, which has at least one byte; assigns a new id if there is
  /// none.
  ///
  /// A new id becomes durable with the first commit that puts a record into the keyspace. Ids are never used again.
  func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID

  /// Reserves row ids that were never handed out before; row ids start at 1.
  func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID>

  /// Applies a batch entirely or not at all, and returns the number of the commit.
  ///
  /// A batch that is empty, or has checks only, does not count as a commit. It makes earlier relaxed commits durable,
  /// and the result is the number of the newest commit.
  ///
  /// - Throws: ``BackendError/Code/conflict`` with every change whose expectation does not hold;
  ///   ``BackendError/Code/invalidArgument`` if the batch is out of order, or if the kind of a change does not permit
  ///   its key or expectation.
  func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber

  /// Returns the commit that applied the batch; nil if the batch is not among the last 1,024 that were applied.
  func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber?

  /// Returns the number of records in the newest committed state.
  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int

  /// Reads rows in the given order from the newest committed state, until the chunk is full.
  ///
  /// `chunk.slices[i]` answers `rows[i]`. If there are fewer slices than rows, the chunk was full: call again with the
  /// remaining rows. A chunk that cannot hold the first record grows.
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError)

  /// Reads one record by a byte key.
  ///
  /// The chunk gets one slice, whose status tells whether the key exists.
  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)

  /// Begins to load a new keyspace separately; ``WriteBatch/appendAdoption(of:)`` adds it to the others.
  ///
  /// Its records are written in bounded steps, while commits continue. The commit that adopts them is small regardless
  /// of their number. Until then the keyspace is not listed and cannot be read.
  ///
  /// - Parameters:
  ///   - kind: The kind of the new keyspace.
  ///   - name: Its name; another keyspace may have it until the adoption.
  ///   - count: The approximate number of its records; 0 if that is unknown.
  /// - Returns: A loader that takes the records.
  /// - Throws: ``BackendError/Code/limitExceeded`` for a name that is empty or too long;
  ///   ``BackendError/Code/readOnly``.
  func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader

  /// Returns a snapshot that keeps the newest committed state readable until the snapshot is released.
  func snapshot() throws(BackendError) -> any BackendSnapshot

  /// Sets the function that is called after commits by another object or another process.
  ///
  /// Only backends whose records can change without this object implement it; the default does nothing. A call is a
  /// hint: one call may announce many commits, and some calls are made without a commit. Commits by this object cause
  /// no call.
  ///
  /// - Parameter handler: Called on any thread; it must return soon and may call the backend. Replaces the previous
  ///   handler; nil removes it.
  func setExternalCommitHandler(_ handler: (@Sendable () -> Void)?)

  /// Recovers after ``BackendError/Code/mustReopen``: discards the state in memory and reads the files again.
  ///
  /// Open snapshots end.
  func reopen() throws(BackendError)

  /// Makes all commits durable and closes the files; calling it again does nothing.
  func close() throws(BackendError)
}

/// A snapshot: the state after one commit, kept readable.
public protocol BackendSnapshot: AnyObject, Sendable {
  var commitNumber: CommitNumber { get }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError)

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)

  /// Returns a row id above all rows of a keyspace, if the backend knows one without reading the rows.
  ///
  /// With a bound, ``scan(rows:after:)`` is faster. The default is nil.
  func rowIDBound(of keyspace: KeyspaceID) throws(BackendError) -> RowID?

  /// Opens a scan over every record of a keyspace, in the order that is fastest to read; a tree's in the order of keys.
  ///
  /// The slower ``scan(rows:after:)`` and ``scan(keys:after:)`` can be resumed later.
  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan

  /// Opens a scan over the keys of a tree within bounds: `lower` inclusive, `upper` exclusive, nil unbounded.
  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan

  /// Returns the approximate number of keys of a tree within bounds: `lower` inclusive, `upper` exclusive, nil
  /// unbounded.
  ///
  /// The result serves to choose between ways of a search. A small number is usually exact; a large one may be wrong by
  /// about half. The default implementation counts all keys within the bounds.
  func estimatedCount(tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int
}

/// A position in a snapshot, used by one thread at a time.
public protocol BackendScan: AnyObject {
  /// Replaces the chunk's content by the next records; an empty chunk means the end.
  ///
  /// The scan of a keyspace of rows or keys can continue after it has thrown ``BackendError/Code/damaged``. It has
  /// skipped the damage that the error describes, and the next call reads the records after the damage.
  func next(into chunk: RecordChunk) throws(BackendError)
}
