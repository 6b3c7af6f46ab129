import SmallBackend
import Synchronization
import Testing

@testable import Todana

/// A backend that breaks its contract: a store may throw or return wrong results, but never traps.
@Suite struct MisbehavingBackendTests {
  fileprivate final class Item: StoredObject {
    var number = 0

    override func readContent(from buffer: inout DataBuffer) throws { number = try buffer.readInt() }
    override func writeContent(to buffer: inout DataBuffer) { buffer.writeInt(number) }
  }

  private let backend = MisbehavingBackend()

  private func open(_ count: Int = 3) throws -> Store {
    let store = try Store(backend: backend, classes: [Item.self])
    for number in 0..<count {
      let item = Item()
      item.number = number
      try store.insert(item)
    }
    try store.saveChanges()
    for item in try store.fetch(Item.self) { try store.turnIntoFault(item) }
    return store
  }

  @Test(arguments: [1 << 40, Int.max])
  func `a count that is too large takes no memory`(_ count: Int) throws {
    let store = try open()
    backend.misbehavior = .init(count: count)
    #expect(try store.fetch(Item.self).map(\.number) == [0, 1, 2])
  }

  @Test(arguments: [-1, Int.min])
  func `a negative count is refused`(_ count: Int) throws {
    let store = try open()
    backend.misbehavior = .init(count: count)
    let error = #expect(throws: StoreError.self) { try store.fetch(Item.self) }
    #expect(error?.backendError?.message.contains("violates its contract") == true)
    #expect(throws: StoreError.self) { try store.count(Item.self) }
  }

  @Test func `a record that a scan delivers twice is one object`() throws {
    let store = try open()
    backend.misbehavior = .init(scanOrder: [1, 1, 0, 2])
    for _ in 0..<10 {
      let items = try store.fetch(Item.self)
      #expect(items.map(\.number) == [0, 1, 1, 2])
      #expect(items[1] === items[2])
    }
  }

  @Test func `a conflict that names no change of the batch is an error`() throws {
    let store = try open()
    backend.misbehavior = .init(conflicts: [7])
    try store.insert(Item())
    let error = #expect(throws: StoreError.self) { try store.saveChanges() }
    #expect(error?.backendError?.message.contains("violates its contract") == true)
    backend.misbehavior = .init()
    try store.saveChanges()
    #expect(try store.count(Item.self) == 4)
  }

  @Test func `a backend that gives no row ids, or row 0, is refused`() throws {
    for rowIDs in [5..<5, 0..<10] as [Range<RowID>] {
      let backend = MisbehavingBackend()
      backend.misbehavior = .init(rowIDs: rowIDs)
      let store = try Store(backend: backend, classes: [Item.self])
      #expect(throws: StoreError.self) { try store.insert(Item()) }
      backend.misbehavior = .init()
      try store.insert(Item())
      try store.saveChanges()
      #expect(try store.count(Item.self) == 1)
    }
  }

  @Test(arguments: [false, true])
  func `more records than were asked for are refused`(inSnapshot: Bool) throws {
    let store = try open()
    let ids = try store.fetch(Item.self).compactMap(\.id)
    func numbers() throws -> [Int?] {
      func fetched() throws -> [Int?] { try store.fetch(ids).map { $0?.number } }
      return inSnapshot ? try store.withSnapshot { try fetched() } : try fetched()
    }
    backend.misbehavior = .init(repeatsLastRow: true)
    let error = #expect(throws: StoreError.self) { try numbers() }
    #expect(error?.backendError?.message.contains("violates its contract") == true)
    backend.misbehavior = .init()
    #expect(try numbers() == [0, 1, 2])
  }
}

/// A backend of dictionaries that returns wrong results.
private final class MisbehavingBackend: StoreBackend {
  struct Misbehavior {
    var count: Int?
    var rowIDs: Range<RowID>?
    var conflicts: [Int]?
    /// The positions of the records that a scan returns, in this order.
    var scanOrder: [Int]?
    var repeatsLastRow = false
  }

  private let base = DictionaryBackend()
  private let state = Mutex(Misbehavior())

  var misbehavior: Misbehavior {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  var storeID: StoreID { base.storeID }
  var openReport: OpenReport { base.openReport }
  var limits: BackendLimits { base.limits }

  func keyspaces() throws(BackendError) -> [Keyspace] { try base.keyspaces() }
  func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    try base.keyspaceID(of: kind, named: name)
  }
  func reserveRowIDs(_ count: Int, in keyspace: KeyspaceID) throws(BackendError) -> Range<RowID> {
    if let rowIDs = misbehavior.rowIDs { return rowIDs }
    return try base.reserveRowIDs(count, in: keyspace)
  }
  func commit(_ batch: borrowing WriteBatch, durability: Durability) throws(BackendError) -> CommitNumber {
    if let conflicts = misbehavior.conflicts { throw BackendError(.conflict, "no", conflicts: conflicts) }
    return try base.commit(batch, durability: durability)
  }
  func loadKeyspace(
    of kind: KeyspaceKind, named name: [UInt8], expecting count: Int
  ) throws(BackendError) -> any KeyspaceLoader {
    try base.loadKeyspace(of: kind, named: name, expecting: count)
  }
  func outcome(of batch: BatchID) throws(BackendError) -> CommitNumber? { try base.outcome(of: batch) }
  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    if let count = misbehavior.count { return count }
    return try base.count(of: keyspace)
  }
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try base.read(rows: rows, of: keyspace, into: chunk)
    misbehave(chunk)
  }
  func misbehave(_ chunk: RecordChunk) {
    guard misbehavior.repeatsLastRow, let last = chunk.slices.last else { return }
    _ = chunk.append(rowID: last.rowID, value: unsafe Array(chunk.value(of: last)))
  }
  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try base.read(key: key, of: keyspace, into: chunk)
  }
  func snapshot() throws(BackendError) -> any BackendSnapshot {
    MisbehavingSnapshot(try base.snapshot(), of: self)
  }
  func reopen() throws(BackendError) { try base.reopen() }
  func close() throws(BackendError) { try base.close() }
}

private final class MisbehavingSnapshot: BackendSnapshot {
  private let base: any BackendSnapshot
  private let backend: MisbehavingBackend

  init(_ base: any BackendSnapshot, of backend: MisbehavingBackend) {
    self.base = base
    self.backend = backend
  }

  var commitNumber: CommitNumber { base.commitNumber }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    if let count = backend.misbehavior.count { return count }
    return try base.count(of: keyspace)
  }
  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try base.read(rows: rows, of: keyspace, into: chunk)
    backend.misbehave(chunk)
  }
  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try base.read(key: key, of: keyspace, into: chunk)
  }
  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan {
    let scan = try base.scan(keyspace)
    guard let order = backend.misbehavior.scanOrder else { return scan }
    return MisbehavingScan(scan, order: order)
  }
  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    try base.scan(tree: tree, from: lower, to: upper, descending: descending)
  }
}

/// A scan that returns the records, sorted by row id, in another order.
private final class MisbehavingScan: BackendScan {
  private let base: any BackendScan
  private let order: [Int]
  private var isDone = false

  init(_ base: any BackendScan, order: [Int]) {
    self.base = base
    self.order = order
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    if isDone { return chunk.removeAll() }
    isDone = true
    try base.next(into: chunk)
    let records = chunk.slices.sorted { $0.rowID < $1.rowID }.map { unsafe ($0.rowID, Array(chunk.value(of: $0))) }
    chunk.removeAll()
    for position in order { _ = chunk.append(rowID: records[position].0, value: records[position].1) }
  }
}
