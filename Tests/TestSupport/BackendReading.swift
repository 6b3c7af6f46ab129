public import Todana

extension RecordChunk {
  /// The values found by the last read, with nil for each record that is absent or damaged.
  public var values: [[UInt8]?] {
    slices.map { slice in
      switch slice.status {
      case .found: bytes(slice.value)
      case .absent, .damaged: nil
      }
    }
  }

  /// Returns a copy of the chunk's bytes in a range.
  public func bytes(_ range: Range<Int>) -> [UInt8] { unsafe [UInt8](arena.bytes[range]) }
}

/// A backend or a snapshot of one, for reading.
public protocol BackendReading {
  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int
  func read(rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)
  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError)
}

/// A reader of the newest committed state.
public struct NewestState: BackendReading {
  let backend: any StoreBackend

  public func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try backend.count(of: keyspace) }

  public func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try backend.read(rows: rows, of: keyspace, into: chunk)
  }

  public func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try backend.read(key: key, of: keyspace, into: chunk)
  }
}

/// A reader of a snapshot.
public struct SnapshotState: BackendReading {
  let snapshot: any BackendSnapshot

  public func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try snapshot.count(of: keyspace) }

  public func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try snapshot.read(rows: rows, of: keyspace, into: chunk)
  }

  public func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try snapshot.read(key: key, of: keyspace, into: chunk)
  }
}

extension BackendReading {
  /// Returns the values of rows, in as many chunks as they need, with nil for each absent row.
  public func values(
    _ rows: [RowID], in keyspace: KeyspaceID, chunk: RecordChunk = RecordChunk()
  ) throws(BackendError) -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    while values.count < rows.count {
      try read(rows: rows.span.extracting(values.count..<rows.count), of: keyspace, into: chunk)
      guard !chunk.slices.isEmpty else {
        throw BackendError(.invalidArgument, "A read of \(rows.count - values.count) rows answered none.")
      }
      values += chunk.values
    }
    return values
  }

  public func value(_ row: RowID, in keyspace: KeyspaceID) throws(BackendError) -> [UInt8]? {
    try values([row], in: keyspace)[0]
  }

  public func value(key: [UInt8], in keyspace: KeyspaceID) throws(BackendError) -> [UInt8]? {
    let chunk = RecordChunk(byteCapacity: 64, recordLimit: 1)
    try read(key: key, of: keyspace, into: chunk)
    guard chunk.slices.count == 1 else {
      throw BackendError(.invalidArgument, "A read of one key answered \(chunk.slices.count) records.")
    }
    return chunk.values[0]
  }
}

extension StoreBackend {
  public var newest: NewestState { NewestState(backend: self) }

  /// Returns every row of a keyspace, by scanning a new snapshot.
  public func allRows(of keyspace: KeyspaceID) throws(BackendError) -> [RowID: [UInt8]] {
    try snapshot().scan(keyspace).remainingRows()
  }

  /// Returns every record of a keyspace with byte keys, by scanning a new snapshot.
  ///
  /// - Throws: An error of the scan, or `invalidArgument` if a key is delivered twice.
  public func allKeys(of keyspace: KeyspaceID) throws(BackendError) -> [[UInt8]: [UInt8]] {
    var found: [[UInt8]: [UInt8]] = [:]
    for (key, value) in try snapshot().scan(keyspace).remainingKeys() {
      guard found.updateValue(value, forKey: key) == nil else {
        throw BackendError(.invalidArgument, "A scan delivered the key \(key) twice.")
      }
    }
    return found
  }
}

extension BackendSnapshot {
  public var state: SnapshotState { SnapshotState(snapshot: self) }
}

extension BackendScan {
  /// Returns the rows up to the end of the scan, without damaged ones.
  ///
  /// - Throws: An error of the scan, or `invalidArgument` if a row is delivered twice.
  public func remainingRows(
    chunk: RecordChunk = RecordChunk(byteCapacity: 4096, recordLimit: 100)
  ) throws(BackendError) -> [RowID: [UInt8]] {
    var found: [RowID: [UInt8]] = [:]
    while true {
      try next(into: chunk)
      if chunk.slices.isEmpty { return found }
      for slice in chunk.slices {
        // The record extends onto a damaged page. The scan throws later, when it reads that page itself.
        if slice.status == .damaged { continue }
        guard slice.status == .found, found.updateValue(chunk.bytes(slice.value), forKey: slice.rowID) == nil else {
          throw BackendError(.invalidArgument, "A scan delivered row \(slice.rowID) twice or as \(slice.status).")
        }
      }
    }
  }

  /// Returns the records with byte keys up to the end of the scan, in the order of delivery.
  public func remainingKeys(
    chunk: RecordChunk = RecordChunk(byteCapacity: 4096, recordLimit: 100)
  ) throws(BackendError) -> [(key: [UInt8], value: [UInt8])] {
    var found: [(key: [UInt8], value: [UInt8])] = []
    while true {
      try next(into: chunk)
      if chunk.slices.isEmpty { return found }
      for slice in chunk.slices { found.append((chunk.bytes(slice.key), chunk.bytes(slice.value))) }
    }
  }
}

extension StoreBackend {
  /// The operations that a storage engine offers beyond the contract.
  ///
  /// - Throws: `notSupported` if the backend is not a storage engine.
  public var engine: any EngineOperations {
    get throws(BackendError) {
      guard let operations else { throw BackendError(.notSupported, "The backend is no storage engine.") }
      return operations
    }
  }
}
