// Conversion between objects and records.
extension Store {
  /// The epoch in which records are sealed now; 0 in a store that is not encrypted.
  var epoch: UInt32 { sealing.keyRing?.epoch ?? 0 }

  /// Returns the envelope for records of a keyspace.
  func envelope(of keyspace: KeyspaceID) -> RecordEnvelope {
    RecordEnvelope(
      storeID: backend.storeID, keyspace: keyspace, epoch: epoch, padding: configuration.recordPadding)
  }

  /// Returns a buffer for reading records of this store, one after another.
  func makeReader() -> DataBuffer {
    unsafe DataBuffer(borrowing: UnsafeRawBufferPointer(start: nil, count: 0), resolver: self)
  }

  /// Decodes a record into the object of its row, which must be a fault or a new object.
  ///
  /// Afterwards the object is loaded. After an error it is a fault without content.
  func decode(
    _ object: StoredObject, of table: ClassTable, record: UnsafeRawBufferPointer, reader: inout DataBuffer
  ) throws(StoreError) {
    let opened = unsafe try open(record, rowID: object.rowID, of: table)
    unsafe reader.beginReading(opened.content, version: opened.version)
    object.state.insert(.decoding)
    do {
      try object.readContent(from: &reader)
      try reader.finishReading()
    } catch {
      object.state.formUnion(.fault)
      table.clearContent(of: object)
      object.state.remove(.decoding)
      throw unreadable(error, rowID: object.rowID, version: opened.version, of: table)
    }
    object.state.subtract([.decoding, .fault])
    object.token = opened.token
    try table.completeContent?(object)
    noteFingerprint(object, of: table)
  }

  /// Returns a new object with a record's content.
  ///
  /// Returns nil and changes nothing if the row's object is alive or the record cannot be read.
  @inline(__always)
  func freshObject(
    _ record: UnsafeRawBufferPointer, rowID: RowID, of table: ClassTable, reader: inout DataBuffer
  ) -> StoredObject? {
    guard !table.identity.contains(rowID), let opened = unsafe table.envelope.openIfSound(record, rowID),
      opened.version <= table.version
    else { return nil }
    let object = table.type.init()
    table.attach(object, at: rowID)
    unsafe reader.beginReading(opened.content, version: opened.version)
    object.state = .decoding
    do {
      try object.readContent(from: &reader)
      try reader.finishReading()
    } catch {
      // The caller reads the record again after nil, and reports the error.
      object.state = []
      return nil
    }
    object.state = []
    object.token = opened.token
    if let completeContent = table.completeContent {
      do throws(StoreError) {
        try completeContent(object)
      } catch {
        return nil
      }
    }
    noteFingerprint(object, of: table)
    return object
  }

  /// Decodes a record into an object outside the store, to inspect it or to write it again.
  ///
  /// - Returns: The record's version and token.
  @discardableResult
  func decodeDetached(
    _ object: StoredObject, rowID: RowID, of table: ClassTable, record: UnsafeRawBufferPointer
  ) throws(StoreError) -> (version: UInt8, token: UInt64) {
    let opened = unsafe try open(record, rowID: rowID, of: table)
    var reader = makeReader()
    unsafe reader.beginReading(opened.content, version: opened.version)
    do {
      try object.readContent(from: &reader)
      try reader.finishReading()
    } catch {
      throw unreadable(error, rowID: rowID, version: opened.version, of: table)
    }
    return (opened.version, opened.token)
  }

  /// Opens a record's envelope and checks that the class can read its version.
  @inline(__always)
  func open(
    _ record: UnsafeRawBufferPointer, rowID: RowID, of table: ClassTable
  ) throws(StoreError) -> RecordEnvelope.Opened {
    let opened: RecordEnvelope.Opened
    do throws(RecordEnvelopeError) {
      opened = try unsafe table.envelope.open(record, rowID)
    } catch {
      opened = try unsafe openAfterRenewal(record, rowID: rowID, of: table, error)
    }
    guard opened.version <= table.version else {
      throw newerVersion(opened.version, rowID: rowID, of: table)
    }
    return opened
  }

  /// Opens a record again with the current envelope, as the store may have been encrypted since the envelope was made.
  @inline(never)
  private func openAfterRenewal(
    _ record: UnsafeRawBufferPointer, rowID: RowID, of table: ClassTable, _ error: RecordEnvelopeError
  ) throws(StoreError) -> RecordEnvelope.Opened {
    let wasPlain = table.envelope.epoch == 0
    table.renewEnvelope()
    if wasPlain, table.envelope.epoch != 0, let opened = unsafe table.envelope.openIfSound(record, rowID) {
      return opened
    }
    throw StoreError(error, className: table.name, rowID: rowID)
  }

  func newerVersion(_ version: UInt8, rowID: RowID, of table: ClassTable) -> StoreError {
    StoreError(
      .newerVersion,
      "The record has version \(version); this program knows the class up to version \(table.version). "
        + "Use a newer program.",
      className: table.name, rowID: rowID)
  }

  func unreadable(_ error: any Error, rowID: RowID, version: UInt8, of table: ClassTable) -> StoreError {
    if let error = error as? DataBufferError, error.code == .referenceUnknownClass {
      return StoreError(
        .unreadableContent,
        "The object refers to an object of a class that the store was opened without: list that class in `classes`.",
        className: table.name, rowID: rowID, underlying: error)
    }
    return StoreError(
      .unreadableContent,
      "The record is intact, but readContent cannot read the content that version \(version) of the class wrote.",
      className: table.name, rowID: rowID, underlying: error)
  }

  /// Writes an object's record to the writer's arena.
  @inline(__always)
  func encode(
    _ object: StoredObject, rowID: RowID, of table: ClassTable, writer: inout DataBuffer
  ) throws(StoreError) -> RecordEnvelope.Written {
    let envelope = table.envelope
    envelope.begin(version: table.version, in: &writer)
    object.writeContent(to: &writer)
    do throws(DataBufferError) {
      return try envelope.finish(rowID, in: &writer)
    } catch {
      throw StoreError(
        .cannotEncode, "The object cannot be saved: \(error)", className: table.name, rowID: rowID,
        underlying: error)
    }
  }
}
