/// A record as it is stored, of a class that the program need not know.
public struct RawRecord: Sendable, Equatable {
  public let rowID: RowID
  /// The version of the class that wrote it.
  public let version: UInt8
  /// What `writeContent` wrote.
  public let content: [UInt8]

  public init(rowID: RowID, version: UInt8, content: [UInt8]) {
    self.rowID = rowID
    self.version = version
    self.content = content
  }
}

extension Store {
  /// Calls the closure with each saved record of a class, by the class's stored name, registered or not.
  ///
  /// - Parameters:
  ///   - name: As ``catalog`` lists it.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - body: Gets the record, and a flag that ends the loop when set.
  /// - Throws: What the closure throws; ``StoreError``: ``StoreError/Code/unknownClass`` if nothing was ever saved under
  ///   the name.
  public func rawRecords(
    ofClassNamed name: String, onDamage: DamagePolicy = .fail, _ body: (RawRecord, inout Bool) throws -> Void
  ) throws {
    let keyspace = try keyspace(ofClassNamed: name)
    try visit(try scan(keyspace), of: keyspace, named: name, onDamage: onDamage, body)
  }

  /// The same in the order of row ids, from behind one of them.
  ///
  /// For pages of a long list, and for output that is to be compared. Records that are missing are not noticed, as they
  /// are by the other one.
  ///
  /// - Parameters:
  ///   - name: As ``catalog`` lists it.
  ///   - rowID: Rows up to this one are left out; 0: none.
  ///   - onDamage: The policy for records that cannot be read. Where it is not known which row a damaged place belongs
  ///     to, rows that do not exist may be among those that are reported.
  ///   - body: Gets the record, and a flag that ends the loop when set.
  /// - Throws: As ``rawRecords(ofClassNamed:onDamage:_:)``.
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

  /// One saved record of a class, by the class's stored name, registered or not.
  ///
  /// - Returns: Nil where there is no such row.
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownClass``, ``StoreError/Code/damagedRecord``.
  public func rawRecord(ofClassNamed name: String, rowID: RowID) throws(StoreError) -> RawRecord? {
    let keyspace = try keyspace(ofClassNamed: name)
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try read(rows: [rowID].span, of: keyspace, into: chunk)
    guard let slice = chunk.slices.first, slice.status != .absent else { return nil }
    return try rawRecord(slice, in: chunk, envelope: envelope(of: keyspace), className: name)
  }

  /// The keyspace of a class that has, or had, records.
  func keyspace(ofClassNamed name: String) throws(StoreError) -> KeyspaceID {
    try begin()
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    guard let keyspace = keyspaces.first(where: { $0.kind == .rows && $0.name == Array(name.utf8) }) else {
      throw StoreError(.unknownClass, "Nothing was ever saved under this class name.", className: name)
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
        try body(record, &stop)
      }
    }
  }

  private func rawRecord(
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
