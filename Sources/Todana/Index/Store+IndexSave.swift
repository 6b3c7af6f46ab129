// The changes by which a save maintains indexes.
extension Store {
  /// Adds the index changes for a table's pending objects, whose records are already in the batch.
  ///
  /// The entries to remove are computed from the saved records, not from the earlier state of the objects. An index
  /// thus has entries for each record and no others, however the objects were changed. The batch checks the tokens of
  /// these records, so it is refused if a record changes in between. If a row is deleted by its identity and its record
  /// cannot be decoded, its entries are searched for in the entire tree.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - unknownRows: Rows deleted by their identities whose records cannot be read.
  ///   - batch: Receives the changes.
  ///   - checks: The checks of references; receives those of targets.
  /// - Throws: ``UniqueViolation`` if two pending objects have equal values; ``SaveConflict`` if another store has added a
  ///   reference to a deleted object; ``StoreError``.
  func appendIndexChanges(
    of table: ClassTable, _ unknownRows: Set<RowID>, to batch: inout WriteBatch, _ checks: inout ReferenceChecks
  ) throws {
    guard !table.indexes.isEmpty else { return }
    var unknownRows = unknownRows
    // The records are read once for all indexes.
    let replaced = try replacedObjects(of: table, undecodable: &unknownRows)
    for index in table.indexes {
      guard let keyspace = index.keyspace else { continue }
      let skipped = try skippedRows(amongChangedOf: table, in: keyspace)
      appendErasingNotes(of: skipped.sorted(), in: keyspace, to: &batch)
      var added = IndexKeys(index, arena: batch.arena)
      for object in table.pending.objects where !object.state.contains(.deleted) {
        try added.append(object, rowID: object.rowID, expectedCount: table.pending.objects.count)
      }
      var removed = IndexKeys(index)
      for former in replaced where !skipped.contains(former.rowID) {
        try removed.append(former.object, rowID: former.rowID, expectedCount: replaced.count)
      }
      let unknown = unknownRows.subtracting(skipped)
      if !unknown.isEmpty { try appendEntries(of: unknown, in: keyspace, to: &removed) }
      added.sort()
      removed.sort()
      batch.reserveMore(added.entries.count + removed.entries.count)
      let relationship = table.relationships.first { $0.index === index }
      var expected: [Range<Int>] = []
      if let relationship {
        expected = try appendRangeChecks(
          of: relationship, &removed, keyspace, checks, knowsOwners: unknown.isEmpty, to: &batch)
      }
      try append(added, insteadOf: removed, keyspace, relationship, expected, to: &batch, &checks)
    }
  }

  /// Adds the changes that remove the entries of references to deleted objects, and expect that there are no others.
  ///
  /// Takes these entries out of those that are removed one by one: the owners' records, whose tokens the batch checks,
  /// have them all. They stay if the index is not complete, and may lack some, or if an owner's record is not known.
  ///
  /// - Returns: The entries that the index must have, among those that are removed one by one.
  private func appendRangeChecks(
    of relationship: ClassRelationship, _ removed: inout IndexKeys, _ keyspace: KeyspaceID, _ checks: ReferenceChecks,
    knowsOwners: Bool, to batch: inout WriteBatch
  ) throws -> [Range<Int>] {
    let runs = checks.deletedRuns(for: relationship)
    if runs.isEmpty { return [] }
    var deleted = DeletedReferences(among: removed, of: relationship, runs)
    let isUnfinished = isUnfinished(relationship.index)
    if isUnfinished, let target = try deleted.count(in: keyspace, removed, of: relationship, self) {
      throw SaveConflict(objectIDs: [target], bufferNames: [])
    }
    let areRangesRemoved = knowsOwners && !isUnfinished
    // In a batch, the checks of a tree come before the removals.
    for check in deleted.checks where !areRangesRemoved || check.count == 0 {
      batch.appendRangeCheck(of: keyspace, from: check.lower, to: check.upper, atMost: check.count)
    }
    for check in deleted.checks where areRangesRemoved && check.count > 0 {
      batch.appendRangeRemoval(of: keyspace, from: check.lower, to: check.upper, exactly: check.count)
    }
    guard areRangesRemoved else { return deleted.expected }
    removed.remove(deleted.expected)
    return []
  }

  /// Returns the saved versions of the objects that are to be updated or deleted.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - undecodable: Rows to leave out; receives the rows that are deleted by their identities and cannot be decoded.
  /// - Returns: Objects outside any store, with their rows.
  /// - Throws: ``StoreError`` for a record that cannot be decoded, unless its row is deleted by its identity.
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
    // Reads the newest state and not a held snapshot, as other stores may have saved since.
    try readNewestRows(rowIDs, of: classID) { index, slice, chunk throws(StoreError) in
      // A record that is missing or has changed makes the commit a conflict.
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

  /// Returns the rows that are updated or deleted and that an index has skipped.
  private func skippedRows(amongChangedOf table: ClassTable, in keyspace: KeyspaceID) throws(StoreError) -> Set<RowID> {
    guard session.indexes.skipsRows(keyspace) else { return [] }
    var changed: Set<RowID> = []
    for object in table.pending.objects where !object.state.contains(.inserted) { changed.insert(object.rowID) }
    guard let first = changed.min(), let last = changed.max() else { return [] }
    return changed.intersection(try skippedRows(of: keyspace, range: first...last))
  }

  /// Adds all entries that a tree has for some rows.
  ///
  /// - Complexity: O(*n*) in all entries of the tree.
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

  /// Adds the changes of one index to the batch, in the order of its keys.
  private func append(
    _ added: IndexKeys, insteadOf removed: IndexKeys, _ keyspace: KeyspaceID, _ relationship: ClassRelationship?,
    _ expected: [Range<Int>], to batch: inout WriteBatch, _ checks: inout ReferenceChecks
  ) throws {
    var expectedRanges = expected[...]
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
      // A key that ends in the row id belongs to one row only.
      if order <= 0, position > 0, !added.entries[position].endsInRow,
        IndexKeys.order(added.entries[position - 1], added.entries[position], added.arena, added.arena) == 0
      {
        throw uniqueViolation(
          of: added.index, added.entries[position - 1].rowID, added.entries[position].rowID)
      }
      if order < 0 {
        changes.put(added.entries[position], insteadOf: nil, into: &batch)
        if let relationship, relationship.isRuledByTargets,
          let target = unsafe relationship.target(of: added.bytes(of: added.entries[position]))
        {
          checks.add(target: target, in: self)
        }
        position += 1
        continue
      }
      let former = removed.entries[removedPosition]
      if isBuilding, !former.endsInRow {
        let rowIDs = rows(of: removed, from: removedPosition)
        try append(
          order == 0 ? added.entries[position] : nil, insteadOf: former, of: removed, rowIDs, changes, to: &batch)
        removedPosition += rowIDs.count
      } else {
        if order > 0 {
          while let range = expectedRanges.first, range.upperBound <= removedPosition { expectedRanges.removeFirst() }
          let isExpected = expectedRanges.first?.contains(removedPosition) ?? false
          changes.remove(
            former, of: removed, owner: former.rowID, isOwned: true, isExpected: isExpected, into: &batch)
        } else if added.entries[position].rowID != former.rowID {
          // The key moves from one object to another, for example because two objects swap their values.
          changes.put(added.entries[position], insteadOf: former.rowID, into: &batch)
        }
        removedPosition += 1
      }
      if order == 0 { position += 1 }
    }
  }

  /// Adds the change of one key of an unfinished unique index, which may not have all entries yet.
  ///
  /// - Parameters:
  ///   - entry: The entry with the key after the save; nil if no object will have the key.
  ///   - former: The first entry with the key before the save.
  ///   - removed: The keys of the former entries.
  ///   - rowIDs: The changed rows that have the key before the save. Several have it if values are repeated, which the
  ///     builder has not noticed yet.
  ///   - changes: The builder of the index's changes.
  ///   - batch: Receives the change.
  /// - Throws: ``StoreError`` if the index cannot be read.
  private func append(
    _ entry: IndexKeys.Entry?, insteadOf former: IndexKeys.Entry, of removed: IndexKeys, _ rowIDs: [RowID],
    _ changes: IndexChanges, to batch: inout WriteBatch
  ) throws(StoreError) {
    let owner = try row(of: unsafe Array(removed.bytes(of: former)), in: changes.keyspace)
    let isOwned = owner.map(rowIDs.contains) ?? false
    guard let entry else {
      changes.remove(former, of: removed, owner: owner, isOwned: isOwned, into: &batch)
      return
    }
    if isOwned {
      if owner != entry.rowID { changes.put(entry, insteadOf: owner, into: &batch) }
    } else if !rowIDs.contains(entry.rowID) {
      changes.put(entry, insteadOf: nil, into: &batch)
    }
    // Otherwise the row keeps its key. If the entry is missing, the builder adds it.
  }

  /// Returns the rows that have the key at a position; several only if a unique index is not complete.
  private func rows(of keys: IndexKeys, from start: Int) -> [RowID] {
    let end = keys.entries[start...].dropFirst().firstIndex { entry in
      IndexKeys.order(entry, keys.entries[start], keys.arena, keys.arena) != 0
    }
    return keys.entries[start..<(end ?? keys.entries.count)].map(\.rowID)
  }

  // MARK: Refusals

  /// Returns whether a refused batch can be encoded and committed again.
  ///
  /// This is possible if all conflicts concern unfinished indexes, whose entries were added concurrently, or rows that
  /// are deleted regardless of their records; or if a collection has changed.
  func canBeEncodedAgain(_ batch: borrowing WriteBatch, after error: BackendError) -> Bool {
    // Another store has removed an index of a collection, or the collection, since the batch was encoded.
    if error.code == .noSuchKeyspace, registry.tablesWithChanges.contains(where: { $0.collection != nil }) {
      collections.forgetState()
      return true
    }
    guard error.code == .conflict, !error.conflicts.isEmpty else { return false }
    for position in error.conflicts {
      let change = batch.changes[position]
      guard
        isOfUnfinishedIndex(change) || isOfReplacedTextHeader(change) || isOfDeleteByID(change)
          || isOfReferences(change) || isOfReplacedCollections(change, in: batch)
      else {
        return false
      }
    }
    return true
  }

  private func isOfUnfinishedIndex(_ change: WriteBatch.Change) -> Bool {
    guard change.kind != .put || change.expectation != .absent, let index = registry.index(of: change.keyspace) else {
      return false
    }
    return isUnfinished(index)
  }

  /// Returns the error for a conflict that affects only indexes.
  ///
  /// - Returns: Nil if a record or a named buffer has changed, too.
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
        "The index \"\(index.name)\" does not match the records: rebuild it.",
        className: index.className)
    }
    return nil
  }

  /// Returns the row that a unique index has for a key.
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

/// A builder of the changes of one index in a batch.
private struct IndexChanges {
  let keyspace: KeyspaceID
  let keys: IndexKeys

  /// Puts an entry; `former` is the row that has the key now, if the entry replaces another row's.
  func put(_ entry: IndexKeys.Entry, insteadOf former: RowID?, into batch: inout WriteBatch) {
    let value = IndexEntry.appendValue(of: entry, to: batch.arena)
    let expectation: WriteBatch.Expectation =
      entry.endsInRow ? .anything : former.map { .token($0) } ?? .absent
    batch.append(
      .init(
        keyspace: keyspace, kind: .put, expectation: expectation,
        key: .bytes(entry.range), value: value))
  }

  /// Removes an entry.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - removed: Its keys.
  ///   - owner: The row that has the key in the index; nil if there is none.
  ///   - isOwned: Whether the owner is one of the rows whose entries are removed.
  ///   - isExpected: Whether the save depends on the presence of the entry.
  ///   - batch: Receives the change.
  func remove(
    _ entry: IndexKeys.Entry, of removed: IndexKeys, owner: RowID?, isOwned: Bool, isExpected: Bool = false,
    into batch: inout WriteBatch
  ) {
    let key = unsafe batch.arena.append(removed.bytes(of: entry))
    let (kind, expectation): (WriteBatch.Kind, WriteBatch.Expectation) =
      if isExpected {
        (.remove, .present)
      } else if entry.endsInRow {
        (.erase, .anything)
      } else if let owner {
        (isOwned ? .remove : .check, .token(owner))
      } else {
        (.check, .absent)
      }
    batch.append(
      .init(keyspace: keyspace, kind: kind, expectation: expectation, key: .bytes(key), value: 0..<0))
  }
}

/// The format of an index entry in the tree.
enum IndexEntry {
  /// Writes the value of an entry: whether a text was cut, and the row id if the key does not end in it.
  static func appendValue(of entry: IndexKeys.Entry, to arena: ByteArena) -> Range<Int> {
    let start = arena.count
    if entry.endsInRow, !entry.isCut { return start..<start }
    var writer = KeyWriter(arena: arena)
    if entry.isCut { writer.append(1) }
    // The last 8 bytes are the record's token. A save thus states which row it takes the entry from.
    if !entry.endsInRow { writer.append(bigEndian: entry.rowID.byteSwapped) }
    return start..<arena.count
  }

  /// Returns the row of an entry whose key does not end in the row id.
  static func rowID(inValue value: UnsafeRawBufferPointer) -> RowID? {
    guard value.count >= 8 else { return nil }
    return unsafe RowID(littleEndian: value.loadUnaligned(fromByteOffset: value.count - 8, as: RowID.self))
  }

  /// Returns the row of an entry.
  static func rowID(of slice: RecordChunk.Slice, in chunk: RecordChunk) -> RowID? {
    let value = unsafe chunk.value(of: slice)
    if value.count >= 8 { return unsafe rowID(inValue: value) }
    let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
    guard key.count > 8 else { return nil }
    return unsafe RowID(bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: RowID.self))
  }

  /// Returns whether a text in the entry was cut, so that the key does not determine the full order.
  static func isCut(_ slice: RecordChunk.Slice) -> Bool { slice.value.count % 8 == 1 }
}
