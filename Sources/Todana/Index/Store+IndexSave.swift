// What a save adds to its batch to keep indexes up.
extension Store {
  /// Adds the index entries of a table's pending objects, whose records are in the batch.
  ///
  /// Which entries go is read from the records as they are saved, not from what objects were like: whatever became of
  /// an object since, an index has an entry for each record and no other. The batch checks the records' tokens, so what
  /// is read here is what it finds, or it is refused. Of a record that is deleted by its identity and cannot be decoded,
  /// all entries are looked for in the trees.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - unknownRows: Rows deleted by their identities whose records cannot be read.
  ///   - batch: Gets the changes.
  /// - Throws: ``UniqueViolation`` where two pending objects have the same values; ``StoreError``.
  func appendIndexChanges(of table: ClassTable, _ unknownRows: Set<RowID>, to batch: inout WriteBatch) throws {
    guard !table.indexes.isEmpty else { return }
    var unknownRows = unknownRows
    // Read once for all indexes.
    let replaced = try replacedObjects(of: table, undecodable: &unknownRows)
    for index in table.indexes {
      guard let keyspace = index.keyspace else { continue }
      let skipped = try skippedRows(amongChangedOf: table, in: keyspace)
      appendErasingNotes(of: skipped.sorted(), in: keyspace, to: &batch)
      var added = IndexKeys(index, arena: batch.arena)
      added.reserveCapacity(table.pending.objects.count)
      for object in table.pending.objects where !object.state.contains(.deleted) {
        try added.append(object, rowID: object.rowID)
      }
      var removed = IndexKeys(index)
      for former in replaced where !skipped.contains(former.rowID) {
        try removed.append(former.object, rowID: former.rowID)
      }
      let unknown = unknownRows.subtracting(skipped)
      if !unknown.isEmpty { try appendEntries(of: unknown, in: keyspace, to: &removed) }
      added.sort()
      removed.sort()
      batch.reserveMore(added.entries.count + removed.entries.count)
      try append(added, insteadOf: removed, keyspace, to: &batch)
    }
  }

  /// What is saved now of the objects that are to be updated or deleted.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - undecodable: Rows that are left out; gets those that are deleted by their identities and cannot be decoded.
  /// - Returns: Objects in no store, with their rows.
  /// - Throws: ``StoreError`` for a record that cannot be decoded, unless it is deleted by its identity.
  private func replacedObjects(
    of table: ClassTable, undecodable: inout Set<RowID>
  ) throws(StoreError) -> [(rowID: RowID, object: StoredObject)] {
    var rowIDs: [RowID] = []
    var tokens: [UInt64] = []
    let deletedByID = table.pending.deletedByID
    for (index, object) in table.pending.objects.enumerated() where !object.state.contains(.inserted) {
      if !undecodable.isEmpty, undecodable.contains(object.rowID) { continue }
      rowIDs.append(object.rowID)
      tokens.append(table.pending.token(at: index))
    }
    guard !rowIDs.isEmpty, let classID = table.classID else { return [] }
    var replaced: [(rowID: RowID, object: StoredObject)] = []
    replaced.reserveCapacity(rowIDs.count)
    // Not through a snapshot that is held: others may have saved since.
    try readNewestRows(rowIDs, of: classID) { index, slice, chunk throws(StoreError) in
      // One that is gone, or another, makes the batch a conflict.
      guard slice.status != .absent else { return }
      guard slice.status == .found else { throw damaged(slice.rowID, table) }
      let record = unsafe chunk.value(of: slice)
      guard record.count >= RecordEnvelope.trailerByteCount, unsafe recordToken(record) == tokens[index] else {
        return
      }
      let object = table.type.init()
      do throws(StoreError) {
        try unsafe decodeDetached(object, rowID: rowIDs[index], of: table, record: record)
        replaced.append((rowIDs[index], object))
      } catch {
        guard error.isAboutRecords, deletedByID.contains(rowIDs[index]) else { throw error }
        undecodable.insert(rowIDs[index])
      }
    }
    return replaced
  }

  /// The rows that are updated or deleted and that an index has skipped.
  private func skippedRows(amongChangedOf table: ClassTable, in keyspace: KeyspaceID) throws(StoreError) -> Set<RowID> {
    guard session.indexes.skipsRows(keyspace) else { return [] }
    var changed: Set<RowID> = []
    for object in table.pending.objects where !object.state.contains(.inserted) { changed.insert(object.rowID) }
    guard let first = changed.min(), let last = changed.max() else { return [] }
    return changed.intersection(try skippedRows(of: keyspace, range: first...last))
  }

  /// Adds all entries that a tree has of some rows, which takes as long as it has entries.
  private func appendEntries(
    of rowIDs: Set<RowID>, in keyspace: KeyspaceID, to keys: inout IndexKeys
  ) throws(StoreError) {
    let scan: any BackendScan
    do throws(BackendError) {
      scan = try sealing.snapshot().scan(
        tree: keyspace, from: [IndexHeader.entryByte], to: [IndexHeader.entryByte + 1], descending: false)
    } catch {
      throw translate(error)
    }
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    while try next(of: scan, into: chunk) {
      for slice in chunk.slices {
        guard let rowID = IndexEntry.rowID(of: slice, in: chunk), rowIDs.contains(rowID) else { continue }
        let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
        unsafe keys.append(
          key, rowID: rowID, token: 0, endsInRow: slice.value.count < 8, isCut: IndexEntry.isCut(slice))
      }
    }
  }

  /// Adds the changes of one index, in the order of its keys.
  private func append(
    _ added: IndexKeys, insteadOf removed: IndexKeys, _ keyspace: KeyspaceID, to batch: inout WriteBatch
  ) throws {
    let isBuilding = session.indexes[keyspace].map { if case .complete = $0 { false } else { true } } ?? true
    let changes = IndexChanges(keyspace: keyspace, keys: added)
    var (position, removedPosition) = (0, 0)
    while position < added.entries.count || removedPosition < removed.entries.count {
      let order: Int
      if position == added.entries.count {
        order = 1
      } else if removedPosition == removed.entries.count {
        order = -1
      } else {
        order = IndexKeys.order(
          added.entries[position], removed.entries[removedPosition], added.arena, removed.arena)
      }
      // One that ends in the row id is no other's.
      if order <= 0, position > 0, !added.entries[position].endsInRow,
        IndexKeys.order(added.entries[position - 1], added.entries[position], added.arena, added.arena) == 0
      {
        throw uniqueViolation(
          of: added.index, added.entries[position - 1].rowID, added.entries[position].rowID)
      }
      if order < 0 {
        changes.put(added.entries[position], insteadOf: nil, into: &batch)
        position += 1
      } else if order > 0 {
        let former = removed.entries[removedPosition]
        let isThere = try !isBuilding || former.endsInRow || isInTree(former, of: removed, keyspace)
        changes.remove(former, of: removed, isThere: isThere, into: &batch)
        removedPosition += 1
      } else {
        let (entry, former) = (added.entries[position], removed.entries[removedPosition])
        if entry.rowID != former.rowID {
          // Two objects swap their values.
          let isThere = try !isBuilding || isInTree(former, of: removed, keyspace)
          changes.put(entry, insteadOf: isThere ? former.rowID : nil, into: &batch)
        } else if isBuilding {
          changes.keep(entry, into: &batch)
        }
        position += 1
        removedPosition += 1
      }
    }
  }

  /// Whether a unique index that is being built has a row's entry by now.
  private func isInTree(
    _ entry: IndexKeys.Entry, of keys: IndexKeys, _ keyspace: KeyspaceID
  ) throws(StoreError) -> Bool {
    try row(of: unsafe Array(keys.bytes(of: entry)), in: keyspace) == entry.rowID
  }

  // MARK: Refusals

  /// Whether a batch was refused only for entries of indexes that are being built, which were added meanwhile, or for rows
  /// that are deleted whatever they are: then it can be made again.
  func canBeEncodedAgain(_ batch: borrowing WriteBatch, after error: BackendError) -> Bool {
    guard error.code == .conflict, !error.conflicts.isEmpty else { return false }
    for position in error.conflicts {
      let change = batch.changes[position]
      guard isOfUnfinishedIndex(change) || isOfDeleteByID(change) else { return false }
    }
    return true
  }

  private func isOfUnfinishedIndex(_ change: WriteBatch.Change) -> Bool {
    guard change.kind != .put || change.expectation != .absent, let index = registry.index(of: change.keyspace) else {
      return false
    }
    return isUnfinished(index)
  }

  /// What a conflict is that indexes met alone; nil where records or named buffers are not what they were.
  func indexConflict(in batch: borrowing WriteBatch, _ conflicts: [Int]) throws(StoreError) -> (any Error)? {
    for position in conflicts where registry.index(of: batch.changes[position].keyspace) == nil { return nil }
    for position in conflicts {
      let change = batch.changes[position]
      guard case .bytes(let range) = change.key, let index = registry.index(of: change.keyspace) else { continue }
      let value = unsafe UnsafeRawBufferPointer(rebasing: batch.arena.bytes[change.value])
      if change.kind == .put, let rowID = unsafe IndexEntry.rowID(inValue: value),
        let other = try row(of: unsafe Array(batch.arena.bytes[range]), in: change.keyspace), other != rowID
      {
        return uniqueViolation(of: index, rowID, other)
      }
      return StoreError(
        .damagedIndex,
        "The index \"\(index.name)\" does not have the entries that the records call for: rebuild it.",
        className: index.className)
    }
    return nil
  }

  /// The row that a unique index has for a key.
  func row(of key: [UInt8], in tree: KeyspaceID) throws(StoreError) -> RowID? {
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    try onRecords { sealing throws(BackendError) in try sealing.read(key: key, of: tree, into: chunk) }
    guard let slice = chunk.slices.first, slice.status == .found else { return nil }
    return IndexEntry.rowID(of: slice, in: chunk)
  }

  func uniqueViolation(of index: ClassIndex, _ rowID: RowID, _ other: RowID) -> UniqueViolation {
    let table = registry.tables.first { $0.name.utf8.elementsEqual(index.className.utf8) }
    let classID = table?.classID ?? KeyspaceID(rawValue: 0)
    let object = table?.identity[rowID]
    return UniqueViolation(
      className: index.className, indexName: index.name,
      values: object.map { object in index.parts.map { $0.describe(object) } } ?? [],
      objectID: AnyObjectID(classID: classID, rowID: rowID),
      otherObjectID: AnyObjectID(classID: classID, rowID: other))
  }
}

/// The changes of one index as a batch has them.
private struct IndexChanges {
  let keyspace: KeyspaceID
  let keys: IndexKeys

  /// Puts an entry, in place of another row's where they swap values.
  func put(_ entry: IndexKeys.Entry, insteadOf former: RowID?, into batch: inout WriteBatch) {
    let value = IndexEntry.appendValue(of: entry, to: batch.arena)
    let expectation: WriteBatch.Expectation =
      entry.endsInRow ? .anything : former.map { .token($0) } ?? .absent
    batch.append(
      .init(
        keyspace: keyspace, kind: .put, expectation: expectation,
        key: .bytes(entry.offset..<entry.offset + entry.byteCount), value: value))
  }

  /// Keeps what is the same before and after, but may not be there yet.
  func keep(_ entry: IndexKeys.Entry, into batch: inout WriteBatch) {
    guard entry.endsInRow else { return }
    put(entry, insteadOf: nil, into: &batch)
  }

  func remove(_ entry: IndexKeys.Entry, of removed: IndexKeys, isThere: Bool, into batch: inout WriteBatch) {
    let key = unsafe batch.arena.append(removed.bytes(of: entry))
    let (kind, expectation): (WriteBatch.Kind, WriteBatch.Expectation) =
      if entry.endsInRow {
        (.erase, .anything)
      } else if isThere {
        (.remove, .token(entry.rowID))
      } else {
        (.check, .absent)
      }
    batch.append(.init(keyspace: keyspace, kind: kind, expectation: expectation, key: .bytes(key), value: 0..<0))
  }
}

/// An entry of an index as it stands in the tree.
enum IndexEntry {
  /// Writes the value of an entry: whether a text was too long, and the row id where the key does not end in it.
  static func appendValue(of entry: IndexKeys.Entry, to arena: ByteArena) -> Range<Int> {
    let start = arena.count
    if entry.endsInRow, !entry.isCut { return start..<start }
    var writer = KeyWriter(arena: arena)
    if entry.isCut { writer.append(1) }
    // The last eight bytes are a record's token, by which a save says which row it takes the entry from.
    if !entry.endsInRow { writer.append(bigEndian: entry.rowID.byteSwapped) }
    return start..<arena.count
  }

  /// The row of an entry whose key does not end in it.
  static func rowID(inValue value: UnsafeRawBufferPointer) -> RowID? {
    guard value.count >= 8 else { return nil }
    return unsafe RowID(littleEndian: value.loadUnaligned(fromByteOffset: value.count - 8, as: RowID.self))
  }

  /// The row of an entry.
  static func rowID(of slice: RecordChunk.Slice, in chunk: RecordChunk) -> RowID? {
    let value = unsafe chunk.value(of: slice)
    if value.count >= 8 { return unsafe rowID(inValue: value) }
    let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
    guard key.count > 8 else { return nil }
    return unsafe RowID(bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: RowID.self))
  }

  /// Whether a text in the entry was too long, so that its place does not tell all of its order.
  static func isCut(_ slice: RecordChunk.Slice) -> Bool { slice.value.count % 8 == 1 }
}
