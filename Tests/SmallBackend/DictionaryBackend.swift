import Synchronization
public import Todana

/// The contract in its plainest form: dictionaries under one lock, with which other backends are compared.
///
/// It uses nothing but what the library offers to every implementer: its target has no access to the package's own names.
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

  /// Makes an encrypted one.
  public init(secret: StoreSecret) throws(BackendError) {
    let id = BatchID()
    storeID = StoreID(high: id.high, low: id.low)
    let keys = try KeyRing.make(for: storeID, secret: secret)
    keyRing = keys.keyRing
    storage = Storage(keyFile: keys.file)
  }

  /// Makes another backend of the same records, as another process would.
  public init(sharing other: DictionaryBackend) {
    storeID = other.storeID
    keyRing = other.keyRing
    storage = other.storage
  }

  /// Makes another encrypted backend of the same records.
  public init(sharing other: DictionaryBackend, secret: StoreSecret) throws(BackendError) {
    storeID = other.storeID
    keyRing = try KeyRing.open(other.storage.keyFile, of: other.storeID, secret: secret)
    storage = other.storage
  }

  /// Everything that it has been given: names of keyspaces, byte keys and values.
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

  /// Exchanges the values of two records, as somebody could who can write to the storage.
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

    /// Handlers of commits by others.
    let handlers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
  }

  enum Key: Hashable {
    case row(RowID)
    case bytes([UInt8])
  }

  struct KeptRecords {
    let kind: KeyspaceKind
    let name: [UInt8]
    var records: [Key: [UInt8]] = [:]
    var nextRowID: RowID = 1
    var isLoaded = false
  }

  struct State {
    var commitNumber: CommitNumber = 0
    var keyspaces: [KeyspaceID: KeptRecords] = [:]
    /// Those that are loaded, and were not adopted yet.
    var loading: [KeyspaceID: KeptRecords] = [:]
    var lastID: UInt32 = 0
    var outcomes: [BatchID: CommitNumber] = [:]
    /// Whether the backend that asks is closed.
    var isClosed = false

    func keyspace(_ id: KeyspaceID) throws(BackendError) -> KeptRecords {
      guard !isClosed else { throw BackendError(.closed, "The store was closed.") }
      guard let keyspace = keyspaces[id] else {
        throw BackendError(.noSuchKeyspace, "There is no keyspace \(id.rawValue).")
      }
      return keyspace
    }

    mutating func takeID() -> KeyspaceID {
      lastID += 1
      return KeyspaceID(rawValue: lastID)
    }

    func requireOpen() throws(BackendError) {
      if isClosed { throw BackendError(.closed, "The store was closed.") }
    }
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
    assert(batch.isSorted, "a batch is grouped by keyspace and sorted by key")
    try batch.check(limits)
    let (changes, arena, id, hasEmptyKey) = (batch.changes, batch.arena, batch.id, batch.hasEmptyKey)
    let last = current().commitNumber
    let number = try change { (state) throws(BackendError) in
      try state.requireOpen()
      if hasEmptyKey { throw BackendError(.invalidArgument, "A byte key has at least one byte.") }
      var changed = state
      var conflicts: [Int] = []
      for (index, change) in changes.enumerated() {
        // Checks of ranges come before all changes of their keyspace but a clearing.
        let holds =
          change.kind == .checkRange
          ? try changed.holds(change, arena, limits) : try changed.apply(change, arena, limits)
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

extension DictionaryBackend.State {
  /// Applies one change; false if the record is not as expected.
  mutating func apply(
    _ change: WriteBatch.Change, _ arena: ByteArena, _ limits: BackendLimits
  ) throws(BackendError) -> Bool {
    // Not the whole keyspace: a second reference would make each change copy it.
    let known = change.kind == .adopt ? loading : keyspaces
    guard let kind = known[change.keyspace]?.kind else {
      throw BackendError(.noSuchKeyspace, "There is no keyspace \(change.keyspace.rawValue).")
    }
    guard WriteBatch.fits(change.expectation, change.kind) else {
      throw BackendError(.invalidArgument, "A change of kind \(change.kind) expects \(change.expectation).")
    }
    if [.clear, .drop, .adopt].contains(change.kind) {
      guard change.key == .row(0) else { throw BackendError(.invalidArgument, "A whole keyspace has no key.") }
      if change.kind == .clear { keyspaces[change.keyspace]?.records = [:] }
      if change.kind == .drop { keyspaces[change.keyspace] = nil }
      return true
    }
    var key = try DictionaryBackend.Key(change.key, arena, kind, limits)
    if change.kind == .putNumbered {
      guard kind == .tree, case .bytes(let suffix) = key else {
        throw BackendError(.invalidArgument, "Only a tree's keys begin with the commit's number.")
      }
      guard suffix.count <= limits.keyByteCount - 8 else {
        throw BackendError(.limitExceeded, "The key is too long.")
      }
      key = .bytes(numberBytes(commitNumber + 1) + suffix)
    }
    let old = keyspaces[change.keyspace]?.records[key]
    switch change.expectation {
    case .anything: if change.kind == .remove && old == nil { return false }
    case .absent: if old != nil { return false }
    case .token(let expected): if old.map(token(of:)) != expected { return false }
    case .present: if old == nil { return false }
    case .atMost: return false
    }
    if change.kind == .check { return true }
    let isPut = change.kind == .put || change.kind == .putNumbered
    let value = unsafe isPut ? [UInt8](arena.bytes[change.value]) : nil
    keyspaces[change.keyspace]?.records[key] = value
    if change.kind == .put, case .row(let rowID) = key, let next = keyspaces[change.keyspace]?.nextRowID,
      rowID >= next
    {
      keyspaces[change.keyspace]?.nextRowID = rowID + 1
    }
    return true
  }
}

extension DictionaryBackend.State {
  /// Whether a range has no more keys than it may.
  func holds(
    _ change: WriteBatch.Change, _ arena: ByteArena, _ limits: BackendLimits
  ) throws(BackendError) -> Bool {
    let keyspace = try keyspace(change.keyspace)
    guard keyspace.kind == .tree, case .atMost(let most) = change.expectation,
      case .bytes(let lower) = try DictionaryBackend.Key(change.key, arena, .tree, limits)
    else {
      throw BackendError(.invalidArgument, "A number of keys is expected of a tree's range.")
    }
    let upper = unsafe [UInt8](arena.bytes[change.value])
    let count = keyspace.records.keys.count { key in
      guard case .bytes(let key) = key else { return false }
      return !key.lexicographicallyPrecedes(lower) && (upper.isEmpty || key.lexicographicallyPrecedes(upper))
    }
    return count <= most
  }

  /// Takes in a keyspace that was loaded.
  mutating func adopt(_ id: KeyspaceID) throws(BackendError) {
    guard let adopted = loading.removeValue(forKey: id), adopted.isLoaded else {
      throw BackendError(.invalidArgument, "The keyspace is not loaded entirely.")
    }
    guard !keyspaces.values.contains(where: { $0.kind == adopted.kind && $0.name == adopted.name }) else {
      throw BackendError(.invalidArgument, "A keyspace of this name is there already.")
    }
    keyspaces[id] = adopted
  }
}

/// A keyspace of a ``DictionaryBackend`` that is loaded aside.
private final class DictionaryLoader: KeyspaceLoader {
  let keyspace: KeyspaceID
  private let backend: DictionaryBackend
  private let lastKey = Mutex<DictionaryBackend.Key?>(nil)

  init(_ keyspace: KeyspaceID, in backend: DictionaryBackend) {
    self.keyspace = keyspace
    self.backend = backend
  }

  deinit { _ = try? backend.change { state in state.loading[keyspace] = nil } }

  func append(_ batch: borrowing WriteBatch) throws(BackendError) {
    try batch.check(backend.limits)
    let (changes, arena, limits) = (Array(batch.changes), batch.arena, backend.limits)
    let (keyspace, last) = (keyspace, lastKey.withLock { $0 })
    let newLast = try backend.change { state throws(BackendError) in
      guard !state.isClosed, var kept = state.loading[keyspace] else { throw Self.ended }
      var last = last
      for change in changes {
        guard change.keyspace == keyspace, change.kind == .put, !kept.isLoaded,
          change.expectation == .anything || change.expectation == .absent
        else {
          throw BackendError(.invalidArgument, "A keyspace is loaded with new records only.")
        }
        let key = try DictionaryBackend.Key(change.key, arena, kept.kind, limits)
        if let last, !last.precedes(key) {
          throw BackendError(.invalidArgument, "A keyspace is loaded in the order of its keys.")
        }
        kept.records[key] = unsafe [UInt8](arena.bytes[change.value])
        if case .row(let row) = key { kept.nextRowID = row + 1 }
        last = key
      }
      state.loading[keyspace] = kept
      return last
    }
    lastKey.withLock { $0 = newLast }
  }

  func finish() throws(BackendError) {
    let keyspace = keyspace
    try backend.change { state throws(BackendError) in
      guard !state.isClosed, state.loading[keyspace] != nil else { throw Self.ended }
      state.loading[keyspace]?.isLoaded = true
    }
  }

  private static var ended: BackendError { BackendError(.interrupted, "The loading has ended.") }
}

extension DictionaryBackend.Key {
  func precedes(_ other: Self) -> Bool {
    switch (self, other) {
    case (.row(let left), .row(let right)): left < right
    case (.bytes(let left), .bytes(let right)): left.lexicographicallyPrecedes(right)
    default: false
    }
  }

  init(
    _ key: WriteBatch.Key, _ arena: ByteArena, _ kind: KeyspaceKind, _ limits: BackendLimits
  ) throws(BackendError) {
    switch (key, kind) {
    case (.row(let rowID), .rows): self = .row(rowID)
    case (.bytes(let range), .keys), (.bytes(let range), .tree):
      guard range.count <= limits.keyByteCount else { throw BackendError(.limitExceeded, "The key is too long.") }
      self = unsafe .bytes([UInt8](arena.bytes[range]))
    default: throw BackendError(.invalidArgument, "The key is not of the keyspace's kind.")
    }
  }
}

extension DictionaryBackend.KeptRecords {
  func read(rows: borrowing Span<RowID>, into chunk: RecordChunk) throws(BackendError) {
    guard kind == .rows else { throw BackendError(.invalidArgument, "The keyspace has no row ids.") }
    chunk.removeAll()
    for index in rows.indices {
      if !chunk.append(.row(rows[index]), value: records[.row(rows[index])]) { return }
    }
  }
}

extension RecordChunk {
  /// Adds a record, or that there is none; false if the chunk is full.
  @discardableResult
  fileprivate func append(_ key: DictionaryBackend.Key, value: [UInt8]?) -> Bool {
    switch key {
    case .row(let rowID): append(rowID: rowID, value: value)
    case .bytes(let bytes): append(rowID: 0, key: value == nil ? [] : bytes, value: value)
    }
  }
}

/// The last 8 bytes of a record as a little-endian number: what ``WriteBatch/Expectation/token(_:)`` compares.
private func token(of record: [UInt8]) -> UInt64 { record.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }

/// The number that a key of ``WriteBatch/Kind/putNumbered`` begins with.
private func numberBytes(_ number: CommitNumber) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}

final class DictionarySnapshot: BackendSnapshot {
  private let state: DictionaryBackend.State
  private let backend: DictionaryBackend

  init(_ state: DictionaryBackend.State, of backend: DictionaryBackend) {
    self.state = state
    self.backend = backend
  }

  var commitNumber: CommitNumber { state.commitNumber }

  private func keyspace(_ id: KeyspaceID) throws(BackendError) -> DictionaryBackend.KeptRecords {
    try requireOpen()
    if let keyspace = state.keyspaces[id] { return keyspace }
    // One that was made later is empty here.
    let made = try backend.current().keyspace(id)
    return DictionaryBackend.KeptRecords(kind: made.kind, name: made.name)
  }

  func requireOpen() throws(BackendError) {
    if backend.current().isClosed {
      throw BackendError(.snapshotEnded, "The store was closed while this snapshot was open.")
    }
  }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try self.keyspace(keyspace).records.count }

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try self.keyspace(keyspace).read(rows: rows, into: chunk)
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    let value = try self.keyspace(keyspace).records[.bytes(key)]
    chunk.removeAll()
    chunk.append(.bytes(key), value: value)
  }

  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan {
    DictionaryScan(Array(try self.keyspace(keyspace).records), of: self)
  }

  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    let keyspace = try keyspace(tree)
    guard keyspace.kind == .tree else { throw BackendError(.invalidArgument, "Only a tree has an order.") }
    var records: [([UInt8], (key: DictionaryBackend.Key, value: [UInt8]))] = []
    for record in keyspace.records {
      guard case .bytes(let key) = record.key else { continue }
      if let lower, key.lexicographicallyPrecedes(lower) { continue }
      if let upper, !key.lexicographicallyPrecedes(upper) { continue }
      records.append((key, (record.key, record.value)))
    }
    records.sort { $0.0.lexicographicallyPrecedes($1.0) != descending }
    return DictionaryScan(records.map(\.1), of: self)
  }
}

final class DictionaryScan: BackendScan {
  private let records: [(key: DictionaryBackend.Key, value: [UInt8])]
  private let snapshot: DictionarySnapshot
  private var position = 0

  init(_ records: [(key: DictionaryBackend.Key, value: [UInt8])], of snapshot: DictionarySnapshot) {
    self.records = records
    self.snapshot = snapshot
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    try snapshot.requireOpen()
    chunk.removeAll()
    while position < records.count, chunk.append(records[position].key, value: records[position].value) {
      position += 1
    }
  }
}
