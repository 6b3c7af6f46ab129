import Synchronization
public import Todana

/// A counter that several threads share.
final class Counter: Sendable {
  private let storage = Atomic<Int>(0)

  var value: Int { storage.load(ordering: .relaxed) }
  func add(_ difference: Int) { storage.add(difference, ordering: .relaxed) }
}

/// A backend in dictionaries that fails on demand: in commits, flushes, any call, or reads of single records.
///
/// Otherwise it fulfils the whole contract of ``StoreBackend``. Its chunks are small and its scans have no order, so
/// that tests with a few hundred records see the effects of large stores.
public final class FaultyBackend: StoreBackend {
  public let storeID = StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  /// The limits, which allow names of up to 255 bytes, and sealed names of 16 bytes more.
  public var limits: BackendLimits {
    BackendLimits(
      valueByteCount: 64 << 20, nameByteCount: keyRing == nil ? 255 : 271, batchChangeCount: 4_000_000,
      batchByteCount: 1 << 30)
  }
  public let openReport = OpenReport(
    created: true, isReadOnly: false, commitNumber: 0, recoveredCommitCount: 0, recoveryDuration: .zero,
    formatVersion: 1)

  private let state = Mutex(FaultyState())
  private let openSnapshots = Counter()
  private let gate = Gate()
  private let scanGate = Gate()

  private let callFaults = CallFaults()

  /// The keys with which stores of a test seal their records, unless the test passes others.
  ///
  /// A test can run unchanged with one set of keys after another, or with none.
  @TaskLocal public static var testedKeyRing: KeyRing?

  public let keyRing: KeyRing?

  /// Creates an empty backend.
  ///
  /// - Parameter keyRing: The keys with which stores seal their records, or nil.
  public init(keyRing: KeyRing? = FaultyBackend.testedKeyRing) { self.keyRing = keyRing }

  // MARK: Faults

  /// Makes the commit after `count` others throw; 0 is the next one.
  ///
  /// - Parameters:
  ///   - count: The number of commits that succeed before it.
  ///   - error: The error to throw. After ``BackendError/Code/mustReopen``, every call of the backend throws this code
  ///     until ``reopen()``.
  ///   - isApplied: Whether the batch is applied nevertheless after a ``reopen()``.
  public func failCommit(after count: Int = 0, with error: BackendError, isApplied: Bool = false) {
    state.withLock { $0.fault = .init(remainingCommits: count, error: error, isApplied: isApplied) }
  }

  /// Makes the call after `count` other calls throw; 0 is the next one.
  ///
  /// Calls of the backend, its snapshots and their scans count. The call applies nothing, and the call after it
  /// succeeds again.
  public func failCall(after count: Int, with error: BackendError) { callFaults.fail(after: count, with: error) }

  /// Makes all calls succeed again.
  ///
  /// - Returns: Whether a call was still to fail.
  @discardableResult
  public func failNoCall() -> Bool { callFaults.clear() }

  /// Makes the next flush fail; everything committed so far is durable.
  ///
  /// - Parameter isApplied: Whether later commits are applied nevertheless after a ``reopen()``.
  public func failFlush(isApplied: Bool) {
    state.withLock { state in
      state.flushFault = .init(
        contents: state.contents, commitNumber: state.commitNumber, outcomes: state.outcomes, isApplied: isApplied)
    }
  }

  /// Makes flushes wait from now on, for at most 15 minutes each.
  public func holdFlushes() { gate.hold() }

  /// Releases the waiting flushes.
  public func letFlushesGo() { gate.letGo() }

  /// The number of flushes that wait now.
  public var waitingFlushCount: Int { gate.waitingCount }

  /// Whether a flush waited so long that it continued by itself, because the thread that should release it was blocked.
  public var didFlushTimeOut: Bool { gate.didTimeOut }

  /// Makes scans of rows wait from now on, for at most 15 minutes each.
  public func holdScans() { scanGate.hold() }

  /// Releases the waiting scans.
  public func letScansGo() { scanGate.letGo() }

  /// The number of scans that wait now.
  public var waitingScanCount: Int { scanGate.waitingCount }

  /// Makes reading a row report damage.
  public func damage(_ rowID: RowID, of keyspace: KeyspaceID) {
    state.withLock { _ = $0.damagedRows.insert(FaultyState.Place(keyspace: keyspace, rowID: rowID)) }
  }

  /// Replaces the bytes of a record without a commit.
  public func overwrite(_ rowID: RowID, of keyspace: KeyspaceID, with bytes: [UInt8]) {
    state.withLock { $0.contents.rows[keyspace, default: [:]][rowID] = bytes }
  }

  /// Returns the bytes of a record, or nil if it is absent.
  public func bytes(_ rowID: RowID, of keyspace: KeyspaceID) -> [UInt8]? {
    state.withLock { $0.contents.rows[keyspace]?[rowID] }
  }

  /// All records, by keyspace and key; a row id is given as its bytes.
  public var records: [KeyspaceID: [[UInt8]: [UInt8]]] { state.withLock { $0.contents.records } }

  /// The number of reads and of snapshots so far.
  public var readCallCount: Int { state.withLock { $0.readCallCount } }
  public var commitCount: Int { state.withLock { $0.commitCallCount } }
  public var isClosed: Bool { state.withLock { $0.isClosed } }
  /// The number of snapshots that are not released yet.
  public var openSnapshotCount: Int { openSnapshots.value }

  // MARK: StoreBackend

  public func keyspaces() throws(BackendError) -> [Keyspace] {
    try onState { state throws(BackendError) in state.keyspaces }
  }

  public func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    guard name.count <= limits.nameByteCount else { throw BackendError(.limitExceeded, "The name is too long.") }
    return try onState { state throws(BackendError) in
      if let known = state.keyspaces.first(where: { $0.kind == kind && $0.name == name }) { return known.id }
      let id = state.takeID()
      state.keyspaces.append(Keyspace(id: id, kind: kind, name: name))
      return id
    }
  }

  public func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID> {
    try onState { state throws(BackendError) in
      let start = state.nextRowIDs[keyspace, default: 1]
      state.nextRowIDs[keyspace] = start + RowID(count)
      return start..<(start + RowID(count))
    }
  }

  public func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    try batch.check(limits)
    guard batch.isSorted else {
      throw BackendError(.invalidArgument, "The changes of a batch are not in the order that backends require.")
    }
    let changes = Array(batch.changes)
    let arena = unsafe [UInt8](batch.arena.bytes)
    let id = batch.id
    let number = try onState { state throws(BackendError) in
      try state.commit(changes, arena: arena, id: id, limits: limits)
    }
    guard durability == .full else { return number }
    gate.pass()
    try onState(isCall: false) { state throws(BackendError) in try state.flush() }
    return number
  }

  public func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    let id = try onState { state throws(BackendError) in
      let id = state.takeID()
      state.loading[id] = FaultyState.Loading(keyspace: Keyspace(id: id, kind: kind, name: name))
      return id
    }
    return FaultyLoader(id, in: self)
  }

  public func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? {
    try onState { state throws(BackendError) in state.outcomes[batch] }
  }

  public func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    try onState { state throws(BackendError) in state.contents.count(of: keyspace) }
  }

  public func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try capture().read(rows: rows, of: keyspace, into: chunk)
  }

  public func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try capture().read(key: key, of: keyspace, into: chunk)
  }

  public func snapshot() throws(BackendError) -> any BackendSnapshot {
    let snapshot = try capture { [openSnapshots] in openSnapshots.add(-1) }
    openSnapshots.add(1)
    return snapshot
  }

  private func capture(ended: (@Sendable () -> Void)? = nil) throws(BackendError) -> FaultySnapshot {
    try onState { state throws(BackendError) in
      state.readCallCount += 1
      return FaultySnapshot(
        contents: state.contents, commitNumber: state.commitNumber, damagedRows: state.damagedRows, scanGate: scanGate,
        callFaults: callFaults, ended: ended)
    }
  }

  public func reopen() throws(BackendError) {
    state.withLock { $0.recover() }
  }

  public func close() throws(BackendError) {
    state.withLock { $0.isClosed = true }
  }

  /// Opens the backend again after ``close()``, with everything that was committed.
  public func openAgain() {
    state.withLock { $0.isClosed = false }
  }

  func onState<Result: Sendable>(
    isCall: Bool = true, _ body: (inout FaultyState) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    if isCall { try callFaults.pass() }
    return try state.withLock { state throws(BackendError) in
      if state.isClosed { throw BackendError(.closed, "The backend is closed.") }
      if state.mustReopen { throw BackendError(.mustReopen, "A flush failed; reopen the store.") }
      return try body(&state)
    }
  }
}
