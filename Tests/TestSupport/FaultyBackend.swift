import Synchronization
public import Todana

/// A number that several threads count.
final class Counter: Sendable {
  private let storage = Atomic<Int>(0)

  var value: Int { storage.load(ordering: .relaxed) }
  func add(_ difference: Int) { storage.add(difference, ordering: .relaxed) }
}

/// A backend in dictionaries that fails on demand: commits, flushes, single records.
///
/// Else it holds to the whole contract of ``StoreBackend``. Its chunks are small and its scans in no order, so that tests
/// of a few hundred records see what large stores see.
public final class FaultyBackend: StoreBackend {
  public let storeID = StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
  /// Names have up to 255 bytes, sealed ones 16 more.
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

  /// What the stores of a test seal their records with, where nothing else is said: a test runs with one set of keys after
  /// another, or none, without knowing.
  @TaskLocal public static var testedKeyRing: KeyRing?

  public let keyRing: KeyRing?

  /// - Parameter keyRing: What stores are to seal their records with.
  public init(keyRing: KeyRing? = FaultyBackend.testedKeyRing) { self.keyRing = keyRing }

  // MARK: Faults

  /// Makes the commit after so many others throw; 0 is the next one.
  ///
  /// - Parameters:
  ///   - count: Commits that go through before.
  ///   - error: What is thrown. With ``BackendError/Code/mustReopen`` everything throws so until ``reopen()``.
  ///   - isApplied: Whether the batch counts after a ``reopen()`` nevertheless.
  public func failCommit(after count: Int = 0, with error: BackendError, isApplied: Bool = false) {
    state.withLock { $0.fault = .init(remainingCommits: count, error: error, isApplied: isApplied) }
  }

  /// Makes the call after so many others throw, whatever is asked for, of the backend, its snapshots or their scans; 0 is
  /// the next one.
  ///
  /// Nothing is applied by it, and the call after it goes through again.
  public func failCall(after count: Int, with error: BackendError) { callFaults.fail(after: count, with: error) }

  /// Lets all calls through; whether one was still to fail.
  @discardableResult
  public func failNoCall() -> Bool { callFaults.clear() }

  /// Makes the next flush fail; what is committed by now is durable.
  ///
  /// - Parameter isApplied: Whether what was committed since counts after a ``reopen()`` nevertheless.
  public func failFlush(isApplied: Bool) {
    state.withLock { state in
      state.flushFault = .init(
        contents: state.contents, commitNumber: state.commitNumber, outcomes: state.outcomes, isApplied: isApplied)
    }
  }

  /// Makes flushes wait from now on, for at most two minutes each.
  public func holdFlushes() { gate.hold() }

  /// Lets the flushes that wait go on.
  public func letFlushesGo() { gate.letGo() }

  /// Flushes that wait now.
  public var waitingFlushCount: Int { gate.waitingCount }

  /// Whether a flush waited so long that it went on by itself: then whoever was to let it go was blocked.
  public var didFlushTimeOut: Bool { gate.didTimeOut }

  /// Makes scans of rows wait from now on, for at most two minutes each.
  public func holdScans() { scanGate.hold() }

  /// Lets the scans that wait go on.
  public func letScansGo() { scanGate.letGo() }

  /// Scans that wait now.
  public var waitingScanCount: Int { scanGate.waitingCount }

  /// Makes reading a row report damage.
  public func damage(_ rowID: RowID, of keyspace: KeyspaceID) {
    state.withLock { _ = $0.damagedRows.insert(FaultyState.Place(keyspace: keyspace, rowID: rowID)) }
  }

  /// Replaces the bytes of a record behind everybody's back.
  public func overwrite(_ rowID: RowID, of keyspace: KeyspaceID, with bytes: [UInt8]) {
    state.withLock { $0.contents.rows[keyspace, default: [:]][rowID] = bytes }
  }

  /// The bytes of a record.
  public func bytes(_ rowID: RowID, of keyspace: KeyspaceID) -> [UInt8]? {
    state.withLock { $0.contents.rows[keyspace]?[rowID] }
  }

  /// All records, by keyspace and key, a row id as its bytes.
  public var records: [KeyspaceID: [[UInt8]: [UInt8]]] { state.withLock { $0.contents.records } }

  /// Calls that asked for records, and commits, so far.
  public var readCallCount: Int { state.withLock { $0.readCallCount } }
  public var commitCount: Int { state.withLock { $0.commitCallCount } }
  public var isClosed: Bool { state.withLock { $0.isClosed } }
  /// Snapshots that nobody has let go of yet.
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

  /// Opens it again after ``close()``, with what was committed.
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
