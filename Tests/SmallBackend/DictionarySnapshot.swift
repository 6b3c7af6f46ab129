import Todana

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
    // A keyspace that was made later is empty in this snapshot.
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
