/// A saved record with its content as bytes, for a program that may lack the class.
public struct RawRecord: Sendable, Equatable {
  public let rowID: RowID
  /// The version of the class that wrote it.
  public let version: UInt8
  /// The bytes that `writeContent` wrote.
  public let content: [UInt8]

  public init(rowID: RowID, version: UInt8, content: [UInt8]) {
    self.rowID = rowID
    self.version = version
    self.content = content
  }
}

extension Store {
  /// Calls the closure with each saved record of a class, which is given by its stored name and need not be registered.
  ///
  /// - Parameters:
  ///   - name: The stored name of the class, as in ``catalog``.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Receives the record, and a flag that ends the loop when set.
  /// - Throws: The errors of the closure; ``StoreError``: ``StoreError/Code/unknownClass`` if nothing was ever saved
  ///   under the name.
  public func rawRecords(
    ofClassNamed name: String, onDamage: DamagePolicy = .fail, _ body: (RawRecord, inout Bool) throws -> Void
  ) throws {
    let keyspace = try keyspace(ofClassNamed: name)
    try visit(try scan(keyspace), of: keyspace, named: name, onDamage: onDamage, body)
  }

  /// Calls the closure with the saved records of a class after a given row, in the order of row ids.
  ///
  /// Use it for pages of a long list, or for output that is to be compared. Unlike
  /// ``rawRecords(ofClassNamed:onDamage:_:)``, it does not notice missing records.
  ///
  /// - Parameters:
  ///   - name: The stored name of the class, as in ``catalog``.
  ///   - rowID: The row after which to begin; 0 for the first row.
  ///   - onDamage: The policy for records that cannot be read. If the row of a damaged place is unknown, the reported
  ///     rows may include some that do not exist.
  ///   - body: Receives the record, and a flag that ends the loop when set.
  /// - Throws: The errors of ``rawRecords(ofClassNamed:onDamage:_:)``.
  /// - Complexity: O(*n*) single reads.
  public func rawRecords(
    ofClassNamed name: String, after rowID: RowID, onDamage: DamagePolicy = .fail,
    _ body: (RawRecord, inout Bool) throws -> Void
  ) throws {
    let keyspace = try keyspace(ofClassNamed: name)
    let snapshot = try snapshotForReading()
    let scan = try onBackend { _ throws(BackendError) in
      try snapshot.scan(rows: keyspace, after: rowID == 0 ? nil : ScanToken(after: rowID, of: keyspace))
    }
    try visit(scan, of: keyspace, named: name, onDamage: onDamage, body)
  }

  /// Returns one saved record of a class, which is given by its stored name and need not be registered.
  ///
  /// - Returns: Nil if the row does not exist.
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownClass``, ``StoreError/Code/damagedRecord``.
  public func rawRecord(ofClassNamed name: String, rowID: RowID) throws(StoreError) -> RawRecord? {
    let keyspace = try keyspace(ofClassNamed: name)
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try read(rows: [rowID].span, of: keyspace, into: chunk)
    guard let slice = chunk.slices.first, slice.status != .absent else { return nil }
    return try rawRecord(slice, in: chunk, envelope: envelope(of: keyspace), className: name)
  }

  /// Returns the keyspace of a class that has, or once had, records.
  func keyspace(ofClassNamed name: String) throws(StoreError) -> KeyspaceID {
    try begin()
    if isTracking { tracker.noteWhole() }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    guard let keyspace = keyspaces.first(where: { $0.kind == .rows && $0.name == Array(name.utf8) }) else {
      throw StoreError(.unknownClass, "The store has no class of this name.", className: name)
    }
    return keyspace.id
  }

  private func visit(
    _ scan: any BackendScan, of keyspace: KeyspaceID, named name: String, onDamage: DamagePolicy,
    _ body: (RawRecord, inout Bool) throws -> Void
  ) throws {
    let envelope = envelope(of: keyspace)
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    var stop = false
    while !stop, try next(of: scan, into: chunk, onDamage: onDamage) {
      for slice in chunk.slices where !stop {
        let record: RawRecord
        do throws(StoreError) {
          record = try rawRecord(slice, in: chunk, envelope: envelope, className: name)
        } catch {
          try onDamage.handle(error)
          continue
        }
        try checkNotClosed()
        try body(record, &stop)
      }
    }
  }

  func rawRecord(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, envelope: RecordEnvelope, className: String
  ) throws(StoreError) -> RawRecord {
    guard slice.status == .found else {
      throw StoreError(.damagedRecord, "The record is damaged.", className: className, rowID: slice.rowID)
    }
    do throws(RecordEnvelopeError) {
      let opened = try unsafe envelope.open(chunk.value(of: slice), slice.rowID)
      return unsafe RawRecord(rowID: slice.rowID, version: opened.version, content: Array(opened.content))
    } catch {
      throw StoreError(error, className: className, rowID: slice.rowID)
    }
  }
}
