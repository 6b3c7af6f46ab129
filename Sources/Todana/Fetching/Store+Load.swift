extension Store {
  /// Loads the content of a fault; does nothing for an object that is loaded.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/rowNotFound`` if the row no longer exists.
  public func load(_ object: StoredObject) throws(StoreError) {
    noteUse(of: object.anyID)
    guard object.isFault else { return }
    try begin()
    try load(object, of: table(of: object, to: "load"))
  }

  /// Loads a fault of a table of this store.
  func load(_ object: StoredObject, of table: ClassTable) throws(StoreError) {
    guard let classID = try table.classIDForReading() else { throw rowNotFound(object.rowID, table) }
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try read(rows: CollectionOfOne(object.rowID).span, of: classID, into: chunk)
    guard let slice = chunk.slices.first else { throw rowNotFound(object.rowID, table) }
    var reader = makeReader()
    try fill(object, of: table, from: slice, in: chunk, reader: &reader)
  }

  /// Loads the faults among the objects, with few reads.
  ///
  /// - Parameters:
  ///   - objects: Objects of this store.
  ///   - onDamage: The policy for objects that cannot be loaded, including those that no longer exist
  ///     (``StoreError/Code/rowNotFound``). They stay faults.
  /// - Throws: ``StoreError`` for the first object that cannot be loaded; the objects before it are loaded.
  public func load<Objects: Sequence>(
    _ objects: Objects, onDamage: DamagePolicy = .fail
  ) throws(StoreError) where Objects.Element: StoredObject {
    try begin()
    let onDamage = onDamage.reportingOnce
    // Objects usually come grouped by class, so a change of class starts another list.
    var faults: [StoredObject] = []
    var faultTable: ClassTable?
    for object in objects {
      noteUse(of: object.anyID)
      if !object.isFault { continue }
      let table = try table(of: object, to: "load")
      if table !== faultTable {
        if let faultTable { try load(faults, of: faultTable, onDamage) }
        faults.removeAll(keepingCapacity: true)
        faultTable = table
      }
      faults.append(object)
    }
    if let faultTable { try load(faults, of: faultTable, onDamage) }
  }

  private func load(
    _ faults: [StoredObject], of table: ClassTable, _ onDamage: DamagePolicy
  ) throws(StoreError) {
    guard let classID = try table.classIDForReading() else {
      for fault in faults { try onDamage.handle(rowNotFound(fault.rowID, table)) }
      return
    }
    let rowIDs = faults.map(\.rowID)
    var reader = makeReader()
    try readRows(rowIDs, of: classID) { index, slice, chunk throws(StoreError) in
      guard faults[index].isFault else { return }
      do throws(StoreError) {
        try fill(faults[index], of: table, from: slice, in: chunk, reader: &reader)
      } catch {
        try onDamage.handle(error)
      }
    }
  }

  /// Reads rows, and passes each to a closure with its index.
  func readRows(
    _ rowIDs: [RowID], of classID: KeyspaceID,
    _ body: (Int, RecordChunk.Slice, RecordChunk) throws(StoreError) -> Void
  ) throws(StoreError) {
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      try read(rows: rowIDs.span.extracting(start..<rowIDs.count), of: classID, into: chunk)
      let slices = chunk.slices
      if slices.isEmpty {
        throw StoreError(.backend, "The backend returned no result for requested rows.")
      }
      for index in slices.indices { try body(start + index, slices[index], chunk) }
      start += slices.count
    }
  }

  /// Reads rows of the newest committed state, even if a snapshot is held, and passes each to a closure with its index.
  func readNewestRows(
    _ rowIDs: [RowID], of classID: KeyspaceID,
    _ body: (Int, RecordChunk.Slice, RecordChunk) throws(StoreError) -> Void
  ) throws(StoreError) {
    let wasHolding = holdsSnapshot
    holdsSnapshot = false
    defer { holdsSnapshot = wasHolding }
    try readRows(rowIDs, of: classID, body)
  }

  /// Loads a fault from the record that was read for its row.
  func fill(
    _ object: StoredObject, of table: ClassTable, from slice: RecordChunk.Slice, in chunk: RecordChunk,
    reader: inout DataBuffer
  ) throws(StoreError) {
    switch slice.status {
    case .absent: throw rowNotFound(object.rowID, table)
    case .damaged: throw damaged(slice.rowID, table)
    case .found: try unsafe decode(object, of: table, record: chunk.value(of: slice), reader: &reader)
    }
  }

  func rowNotFound(_ rowID: RowID, _ table: ClassTable) -> StoreError {
    StoreError(
      .rowNotFound, "The object no longer exists; it was deleted, or never saved.", className: table.name, rowID: rowID)
  }

  func damaged(_ rowID: RowID, _ table: ClassTable) -> StoreError {
    StoreError(
      .damagedRecord, "The record is damaged. Restore a backup, or delete the object by its id.",
      className: table.name, rowID: rowID == 0 ? nil : rowID)
  }

  // A read may cause a nested one, so a chunk is taken, not shared.

  func takeChunk() -> RecordChunk {
    defer { spareChunk = nil }
    return spareChunk ?? RecordChunk()
  }

  func giveBack(_ chunk: RecordChunk) {
    chunk.arena.count = 0
    chunk.arena.shrink(to: 1 << 20)
    spareChunk = chunk
  }

  func takeSmallChunk() -> RecordChunk {
    defer { spareSmallChunk = nil }
    return spareSmallChunk ?? RecordChunk(byteCapacity: 4096, recordLimit: 1)
  }
}
