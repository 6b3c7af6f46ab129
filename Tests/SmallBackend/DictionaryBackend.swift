import Synchronization
public import Todana

/// A backend in its plainest form: dictionaries under one lock, with which other backends are compared.
///
/// It uses only the API that the library offers to every implementer: its target has no access to package declarations.
public final class DictionaryBackend: StoreBackend {
  public let storeID: StoreID
  public let openReport = OpenReport(
    created: true, isReadOnly: false, commitNumber: 0, recoveredCommitCount: 0, recoveryDuration: .zero,
    formatVersion: 1)
  public let limits = BackendLimits(valueByteCount: 1 << 30, batchChangeCount: 200_000, batchByteCount: 1 << 30)

  public let keyRing: KeyRing?

  private let storage: Storage
  private let isClosed = Atomic(false)

  public init() {
    let id = BatchID()
    storeID = StoreID(high: id.high, low: id.low)
    keyRing = nil
    storage = Storage(keyFile: [])
  }

  /// Creates an encrypted backend.
  public init(secret: StoreSecret) throws(BackendError) {
    let id = BatchID()
    storeID = StoreID(high: id.high, low: id.low)
    let keys = try KeyRing.make(for: storeID, secret: secret)
    keyRing = keys.keyRing
    storage = Storage(keyFile: keys.file)
  }

  /// Creates another backend of the same records, as another process would have.
  public init(sharing other: DictionaryBackend) {
    storeID = other.storeID
    keyRing = other.keyRing
    storage = other.storage
  }

  /// Creates another encrypted backend of the same records, with `secret` as the secret that unlocks the keys.
  public init(sharing other: DictionaryBackend, secret: StoreSecret) throws(BackendError) {
    storeID = other.storeID
    keyRing = try KeyRing.open(other.storage.keyFile, of: other.storeID, secret: secret)
    storage = other.storage
  }

  /// All bytes stored: names of keyspaces, byte keys and values.
  public var storedBytes: [[UInt8]] {
    var stored: [[UInt8]] = []
    for keyspace in current().keyspaces.values {
      stored.append(keyspace.name)
      for (key, value) in keyspace.records {
        if case .bytes(let bytes) = key { stored.append(bytes) }
        stored.append(value)
      }
    }
    return stored
  }

  /// Exchanges the values of two records, as an attacker with write access to the storage could.
  public func exchangeValues(of first: [UInt8], and second: [UInt8], in keyspace: KeyspaceID) {
    storage.state.withLock { state in
      let records = state.keyspaces[keyspace]?.records
      state.keyspaces[keyspace]?.records[.bytes(first)] = records?[.bytes(second)]
      state.keyspaces[keyspace]?.records[.bytes(second)] = records?[.bytes(first)]
    }
  }

  /// The records that several backends may share.
  private final class Storage: Sendable {
    let keyFile: [UInt8]
    let state = Mutex(State())

    init(keyFile: [UInt8]) { self.keyFile = keyFile }

    /// The handler of each backend, which is called after commits by other backends.
    let handlers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
  }

  public func keyspaces() throws(BackendError) -> [Keyspace] {
    try change { (state) throws(BackendError) in
      try state.requireOpen()
      return state.keyspaces.sorted { $0.key < $1.key }
        .map { Keyspace(id: $0.key, kind: $0.value.kind, name: $0.value.name) }
    }
  }

  public func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    try change { (state) throws(BackendError) in
      try state.requireOpen()
      guard (1...limits.nameByteCount).contains(name.count) else {
        throw BackendError(.limitExceeded, "A name has 1 to 1,000 bytes.")
      }
      if let found = state.keyspaces.first(where: { $0.value.kind == kind && $0.value.name == name }) {
        return found.key
      }
      let id = state.takeID()
      state.keyspaces[id] = KeptRecords(kind: kind, name: name)
      return id
    }
  }

  public func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID> {
    try change { (state) throws(BackendError) in
      var changed = try state.keyspace(keyspace)
      guard count > 0 else { throw BackendError(.invalidArgument, "Row ids are handed out one at a time or more.") }
      let first = changed.nextRowID
      changed.nextRowID += UInt64(count)
      state.keyspaces[keyspace] = changed
      return first..<changed.nextRowID
    }
  }

  public func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    guard batch.isSorted else {
      throw BackendError(
        .invalidArgument, "A batch is grouped by keyspace and sorted by key, with one change for each.")
    }
    if batch.hasChangesWithinRemovedRanges {
      throw BackendError(.invalidArgument, "A change concerns a key within a range that the batch removes.")
    }
    try batch.check(limits)
    let (changes, arena, id, hasEmptyKey) = (batch.changes, batch.arena, batch.id, batch.hasEmptyKey)
    let last = current().commitNumber
    let number = try change { (state) throws(BackendError) in
      try state.requireOpen()
      if hasEmptyKey { throw BackendError(.invalidArgument, "A byte key has at least one byte.") }
      var changed = state
      var conflicts: [Int] = []
      for (index, change) in changes.enumerated() {
        // Changes of ranges come before all others of their keyspace, except a clearing.
        let holds =
          change.kind.isOfRange
          ? try changed.applyToRange(change, arena, limits) : try changed.apply(change, arena, limits)
        if !holds { conflicts.append(index) }
      }
      guard conflicts.isEmpty else {
        throw BackendError(.conflict, "\(conflicts.count) records are not as expected.", conflicts: conflicts)
      }
      for change in changes where change.kind == .adopt { try changed.adopt(change.keyspace) }
      guard changes.contains(where: { !$0.kind.isCheck }) else { return state.commitNumber }
      changed.commitNumber += 1
      changed.outcomes[id] = changed.commitNumber
      changed.outcomes = changed.outcomes.filter { $0.value + 1024 > changed.commitNumber }
      state = changed
      return changed.commitNumber
    }
    if number > last { tellOthers() }
    return number
  }

  private func tellOthers() {
    let handlers = storage.handlers.withLock { handlers in
      handlers.filter { $0.key != ObjectIdentifier(self) }.map(\.value)
    }
    for handler in handlers { handler() }
  }

  public func setExternalCommitHandler(_ handler: (@Sendable () -> Void)?) {
    storage.handlers.withLock { $0[ObjectIdentifier(self)] = handler }
  }

  public func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    try change { (state) throws(BackendError) in
      try state.requireOpen()
      guard (1...limits.nameByteCount).contains(name.count) else {
        throw BackendError(.limitExceeded, "A name has 1 to 1,000 bytes.")
      }
      let id = state.takeID()
      state.loading[id] = KeptRecords(kind: kind, name: name)
      return DictionaryLoader(id, in: self)
    }
  }

  public func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? {
    try change { (state) throws(BackendError) in
      try state.requireOpen()
      return state.outcomes[batch]
    }
  }

  public func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    try current().keyspace(keyspace).records.count
  }

  public func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try current().keyspace(keyspace).read(rows: rows, into: chunk)
  }

  public func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    chunk.append(.bytes(key), value: try current().keyspace(keyspace).records[.bytes(key)])
  }

  public func snapshot() throws(BackendError) -> any BackendSnapshot {
    try change { (state) throws(BackendError) in try state.requireOpen() }
    return DictionarySnapshot(current(), of: self)
  }

  public func reopen() throws(BackendError) {
    try change { (state) throws(BackendError) in try state.requireOpen() }
  }

  public func close() throws(BackendError) { isClosed.store(true, ordering: .relaxed) }

  func current() -> State {
    var state = storage.state.withLock { $0 }
    state.isClosed = isClosed.load(ordering: .relaxed)
    return state
  }

  func change<Result: Sendable>(
    _ body: (inout State) throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    try storage.state.withLock { (state) throws(BackendError) in
      state.isClosed = isClosed.load(ordering: .relaxed)
      return try body(&state)
    }
  }
}
