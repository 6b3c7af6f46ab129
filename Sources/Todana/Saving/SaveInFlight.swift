/// A save that was applied and whose flush is awaited, with all data needed to make it pending again if the flush
/// fails.
final class SaveInFlight {
  let batchID: BatchID
  private(set) var objects: [SavedObject]
  let buffers: [SavedBuffer]
  /// The arena with the records, sealed if the store is encrypted.
  ///
  /// It is the batch's own arena, which is no longer written to.
  let arena: ByteArena
  /// The outcome of the save; nil until it is known.
  var outcome: Outcome?

  enum Outcome {
    case counts
    /// The save is not in the store; its changes are pending again.
    case lost
  }

  struct SavedObject {
    /// The saved object, kept alive because it may have to be saved again.
    let object: StoredObject
    let table: ClassTable
    let rowID: RowID
    /// The kind of change: inserted, updated or deleted.
    let change: ObjectState
    let isDeletedByID: Bool
    /// The token of the record that the save expected to replace.
    let token: UInt64
    let record: Range<Int>
  }

  /// Releases the objects that the save deleted; called once the save is known to count.
  func releaseDeletedObjects(in store: Store) {
    while let saved = objects.popLast() {
      guard saved.change == .deleted else { continue }
      let table = saved.table
      var object = (consume saved).object
      store.release(deleted: &object, of: table)
    }
  }

  struct SavedBuffer {
    let name: String
    let change: NamedBuffers.PendingBuffer
    let expectation: WriteBatch.Expectation
  }

  /// Collects the changes of a batch while its objects are still pending.
  init(_ batch: borrowing WriteBatch, registry: ClassRegistry, buffers: NamedBuffers) {
    batchID = batch.id
    arena = batch.arena
    var objects: [SavedObject] = []
    for change in batch.changes {
      guard case .row(let rowID) = change.key, !change.kind.isCheck, let table = registry[change.keyspace],
        let object = table.identity[rowID]
      else { continue }
      objects.append(
        SavedObject(
          object: object, table: table, rowID: rowID,
          change: object.state.intersection(.pending), isDeletedByID: table.pending.deletedByID.contains(rowID),
          token: object.token, record: change.value))
    }
    self.objects = objects
    self.buffers = buffers.pending.map { name, change in
      SavedBuffer(name: name.string, change: change, expectation: buffers.expectation(of: name))
    }
  }
}

extension Store {
  /// Records the outcomes of the saves in flight, and makes the lost ones pending again.
  ///
  /// Called once the backend works again after a failed flush.
  ///
  /// - Parameter counts: Whether each save counts, in the order of ``flights``.
  func settleFlights(_ counts: [Bool]) {
    // The newest is undone first, so that the tokens of the oldest lost save remain.
    for (flight, counts) in zip(flights, counts).reversed() {
      flight.outcome = counts ? .counts : .lost
      if !counts { takeBack(flight) }
    }
    flights = []
  }

  private func takeBack(_ flight: SaveInFlight) {
    for saved in flight.objects { takeBack(saved, in: flight.arena) }
    for buffer in flight.buffers {
      namedBuffers.note(buffer.expectation, for: buffer.name)
      guard namedBuffers.pendingChange(of: buffer.name) == nil else { continue }
      adjustPendingCount(by: namedBuffers.setPending(buffer.change, for: buffer.name))
    }
  }

  /// Makes one object's change pending again; changes made since the save are kept.
  private func takeBack(_ saved: SaveInFlight.SavedObject, in arena: ByteArena) {
    let table = saved.table
    let object = objectOfRow(of: saved)
    if object.isFault { restore(object, of: table, from: saved.record, in: arena) }
    if saved.change == .inserted, object.state.contains(.deleted) {
      // The row was never saved, so there is nothing to delete.
      forget(object, of: table)
    } else {
      makePending(object, of: table, as: saved.change)
      object.token = saved.token
      if saved.isDeletedByID, object.state.contains(.deleted) { table.pending.disregardRecord(of: object) }
    }
    if hasDelegate { delegate?.store(self, didChange: object) }
  }

  /// Returns the object that now represents the row.
  private func objectOfRow(of saved: SaveInFlight.SavedObject) -> StoredObject {
    if let object = saved.table.identity[saved.rowID] { return object }
    // The object was deleted by this save or a later one. It may have been inserted into another store since.
    guard saved.object.table == nil else { return saved.table.objectOrFault(saved.rowID) }
    saved.table.attach(saved.object, at: saved.rowID)
    return saved.object
  }

  private func restore(_ object: StoredObject, of table: ClassTable, from record: Range<Int>, in arena: ByteArena) {
    guard !record.isEmpty, let classID = table.classID else { return }
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    // The commit sealed the record in place, so it is opened like a record read from a file.
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: arena.bytes[record])
    let isSealed = unsafe bytes.first != RecordEnvelope.Format.plain.rawValue
    unsafe chunk.hold(bytes, rowID: object.rowID, isSealed: isSealed)
    // The record was just written. If the class cannot read it, the object stays a fault, which the next save refuses.
    try? sealing.open(chunk, of: classID)
    guard let slice = chunk.slices.first else { return }
    var reader = makeReader()
    try? unsafe decode(object, of: table, record: chunk.value(of: slice), reader: &reader)
  }

  private func makePending(_ object: StoredObject, of table: ClassTable, as change: ObjectState) {
    if !object.state.isPending {
      table.pending.add(object, as: change)
      adjustPendingCount(by: 1)
    } else if change == .inserted || change == .deleted {
      table.pending.change(object, to: change)
    }
  }
}
