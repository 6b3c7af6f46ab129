import Todana

extension DictionaryBackend {
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
    case (.row(let rowID), .rows):
      guard rowID > 0, rowID < .max else { throw BackendError(.invalidArgument, "There is no row \(rowID).") }
      self = .row(rowID)
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
  /// Appends a record or the absence of one, and returns false if the chunk is full.
  @discardableResult
  func append(_ key: DictionaryBackend.Key, value: [UInt8]?) -> Bool {
    switch key {
    case .row(let rowID): append(rowID: rowID, value: value)
    case .bytes(let bytes): append(rowID: 0, key: value == nil ? [] : bytes, value: value)
    }
  }
}
