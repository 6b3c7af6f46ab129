/// A writer that puts records of one store into a new one.
///
/// Keyspace numbers and row ids stay the same; the envelopes are those of the new store.
final class RecordWriter {
  private static let batchByteCount = 4 << 20

  let backend: KyotoBackend
  /// The sealing layer of the new store, through which records are written.
  private let sealing: RecordSealing
  private var arena = ByteArena()
  private var changes: [WriteBatch.Change] = []
  /// The highest row id of the rows in `changes`, all of which are in one keyspace.
  private var highestRow: (id: RowID, keyspace: KeyspaceID)?
  /// The next row ids of the new store's keyspaces, for those in which ids were reserved here.
  private var nextRowIDs = SmallMap<KeyspaceID, RowID>()

  /// The padding of sealed records (``StoreConfiguration/recordPadding``).
  private let padding: Int

  init(_ backend: KyotoBackend, padding: Int = 0) {
    self.backend = backend
    self.padding = padding
    sealing = RecordSealing(backend)
  }

  /// Creates a store, calls a closure with its writer, and closes the store, even if the closure throws.
  ///
  /// Only the configuration's settings for encryption are used.
  static func makeStore(
    at path: String, secret: StoreSecret?, _ configuration: StoreConfiguration, _ body: (RecordWriter) throws -> Void
  ) throws {
    let writer: RecordWriter
    do throws(BackendError) {
      var options = KyotoBackend.Options()
      options.cipher = configuration.cipher
      options.passphraseCost = configuration.passphraseCost
      writer = RecordWriter(
        try KyotoBackend(.directory(path), secret: secret, options: options), padding: configuration.recordPadding)
    } catch {
      throw StoreError(error)
    }
    do {
      try body(writer)
    } catch {
      // The caller removes the files of the unfinished store, so an error of closing it does not matter.
      try? writer.backend.close()
      throw error
    }
    do throws(BackendError) { try writer.backend.close() } catch { throw StoreError(error) }
  }

  // MARK: Keyspaces

  /// Creates a keyspace with a number chosen by the caller.
  func makeKeyspace(_ id: KeyspaceID, _ kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) {
    try backend.makeKeyspace(id, kind, named: name)
    if kind == .tree { sealing.noteTree(id) }
  }

  /// Returns the number of the keyspace with a name, which is created if there is none.
  func keyspaceID(of kind: KeyspaceKind, named name: [UInt8]) throws(BackendError) -> KeyspaceID {
    try sealing.keyspaceID(of: kind, named: name)
  }

  // MARK: Putting

  func putRow(
    _ rowID: RowID, version: UInt8, content: UnsafeRawBufferPointer, in keyspace: KeyspaceID
  ) throws(BackendError) {
    if let highestRow, highestRow.keyspace != keyspace { try commit() }
    let envelope = envelope(of: keyspace)
    var writer = DataBuffer(arena: arena, encoder: UncheckedReferences())
    envelope.begin(version: version, in: &writer)
    unsafe writer.writeRawBytes(content.bytes)
    let written: RecordEnvelope.Written
    do throws(DataBufferError) {
      written = try envelope.finish(rowID, in: &writer)
    } catch {
      throw Self.cannotWrite(error)
    }
    highestRow = (max(highestRow?.id ?? 0, rowID), keyspace)
    try put(.row(rowID), written.range, in: keyspace)
  }

  func putBuffer(
    named name: String, version: UInt8, content: UnsafeRawBufferPointer, in keyspace: KeyspaceID
  ) throws(BackendError) {
    let envelope = envelope(of: keyspace)
    let key = Array(name.utf8)
    var writer = DataBuffer(arena: arena, encoder: UncheckedReferences())
    envelope.begin(version: version, in: &writer)
    if envelope.epoch != 0 { writer.writeString(name) }
    unsafe writer.writeRawBytes(content.bytes)
    let written: RecordEnvelope.Written
    do throws(DataBufferError) {
      written = try envelope.finish(key, in: &writer)
    } catch {
      throw Self.cannotWrite(error)
    }
    try put(.bytes(unsafe key.withUnsafeBytes { unsafe arena.append($0) }), written.range, in: keyspace)
  }

  /// Puts a record of a tree, which has no envelope: the backend seals the nodes of trees.
  func putEntry(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, in keyspace: KeyspaceID
  ) throws(BackendError) {
    try put(.bytes(unsafe arena.append(key)), unsafe arena.append(value), in: keyspace)
  }

  private func put(_ key: WriteBatch.Key, _ value: Range<Int>, in keyspace: KeyspaceID) throws(BackendError) {
    changes.append(.init(keyspace: keyspace, kind: .put, expectation: .absent, key: key, value: value))
    if arena.count >= Self.batchByteCount { try commit() }
  }

  private func envelope(of keyspace: KeyspaceID) -> RecordEnvelope {
    RecordEnvelope(
      storeID: backend.storeID, keyspace: keyspace, epoch: backend.keyRing?.epoch ?? 0, padding: padding)
  }

  private static func cannotWrite(_ error: DataBufferError) -> BackendError {
    BackendError(.limitExceeded, "A record cannot be written to the new store: \(error)")
  }

  /// Creates a class without objects, with the row ids through `lastRowID` used up.
  ///
  /// A keyspace exists from its first commit, and counts its rows. Therefore a row is put and removed again.
  func putNoRows(through lastRowID: RowID, in keyspace: KeyspaceID) throws(BackendError) {
    try commit()
    try unsafe putRow(lastRowID, version: 0, content: UnsafeRawBufferPointer(start: nil, count: 0), in: keyspace)
    try commit()
    changes.append(
      .init(keyspace: keyspace, kind: .remove, expectation: .anything, key: .row(lastRowID), value: 0..<0))
    try commit()
  }

  // MARK: Committing

  /// Reserves row ids of the new store through a given one, so that none is used twice.
  func reserveRows(through rowID: RowID, of keyspace: KeyspaceID) throws(BackendError) {
    if let next = nextRowIDs[keyspace], rowID < next { return }
    let next = try backend.reserveRowIDs(1, in: keyspace).lowerBound
    nextRowIDs[keyspace] = max(next, rowID) &+ 1
    guard rowID > next else { return }
    // A damaged header may contain any number. Ids beyond the clamped range belong to no row.
    _ = try backend.reserveRowIDs(Int(clamping: rowID - next), in: keyspace)
  }

  /// Commits the collected records, without waiting for the disk.
  func commit() throws(BackendError) {
    guard !changes.isEmpty else { return }
    if let highestRow { try reserveRows(through: highestRow.id, of: highestRow.keyspace) }
    var batch = WriteBatch(arena: arena)
    batch.reserveCapacity(changes.count)
    for change in changes { batch.append(change) }
    batch.sort()
    _ = try sealing.commit(batch, durability: .bulk)
    changes.removeAll(keepingCapacity: true)
    highestRow = nil
    arena.count = 0
  }
}
