// Rows that an index does not have, as their records could not be read when it was built.
//
// Each is noted in the index's tree, under a key of its own, so that every snapshot has the notes that belong to its
// entries. A save that changes or deletes a row removes its note; a building tries all of them again.
extension Store {
  /// The skipped rows of an index, in a state of the store.
  ///
  /// - Parameters:
  ///   - keyspace: The tree.
  ///   - snapshot: The state; nil: the newest one.
  ///   - range: The rows that are asked for.
  ///   - limit: How many are given at most.
  /// - Returns: The rows, ascending.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(*n*) in the rows that are given.
  func skippedRows(
    of keyspace: KeyspaceID, in snapshot: (any BackendSnapshot)? = nil, range: ClosedRange<RowID> = 0...RowID.max,
    limit: Int = .max
  ) throws(StoreError) -> [RowID] {
    let end = range.upperBound == .max ? [IndexHeader.entryByte] : IndexHeader.skippedKey(of: range.upperBound + 1)
    let scan = try onRecords { sealing throws(BackendError) in
      let snapshot = if let snapshot { snapshot } else { try sealing.snapshot() }
      return try snapshot.scan(
        tree: keyspace, from: IndexHeader.skippedKey(of: range.lowerBound), to: end, descending: false)
    }
    let chunk = takeIndexChunk()
    defer { giveBackIndexChunk(chunk) }
    var rowIDs: [RowID] = []
    while rowIDs.count < limit, try next(of: scan, into: chunk) {
      for slice in chunk.slices where rowIDs.count < limit {
        let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
        guard slice.status == .found, let rowID = unsafe IndexHeader.skippedRow(of: key) else {
          throw StoreError(.damagedIndex, "A note of the index about a row is damaged: rebuild it.")
        }
        rowIDs.append(rowID)
      }
    }
    return rowIDs
  }

  /// The first of the indexes that skipped a row which can be read by now; nil if there is none.
  func firstGap(
    of indexes: [ClassIndex], of table: ClassTable, in snapshot: any BackendSnapshot, includingPending: Bool
  ) throws(StoreError) -> ClassIndex? {
    for index in indexes {
      let reasons = try reasons(
        forRowsSkippedBy: index, of: table, in: snapshot,
        isLeftOut: { includingPending && table.identity[$0]?.state.isPending == true }, stopsAtFirst: false)
      if reasons == nil { return index }
    }
    return nil
  }

  /// Why the rows that an index skipped cannot be read.
  ///
  /// - Parameters:
  ///   - index: One of the class's.
  ///   - table: The class.
  ///   - snapshot: The state that is read.
  ///   - isLeftOut: Whether a row is judged by what is pending.
  ///   - stopsAtFirst: Whether one error is enough.
  /// - Returns: An error for each row; nil if one of them can be read by now, so that the index is not complete.
  /// - Throws: ``StoreError`` that is not about single records.
  func reasons(
    forRowsSkippedBy index: ClassIndex, of table: ClassTable, in snapshot: any BackendSnapshot,
    isLeftOut: (RowID) -> Bool, stopsAtFirst: Bool
  ) throws(StoreError) -> [StoreError]? {
    guard let keyspace = index.keyspace, session.indexes.skipsRows(keyspace), let classID = table.classID else {
      return []
    }
    let rowIDs = try skippedRows(of: keyspace, in: snapshot).filter { !isLeftOut($0) }
    if rowIDs.isEmpty { return [] }
    var reasons: [StoreError] = []
    var scratch = ScratchObject(self, table)
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      do throws(BackendError) {
        try snapshot.read(rows: rowIDs.span.extracting(start..<rowIDs.count), of: classID, into: chunk)
      } catch {
        throw translate(error)
      }
      if chunk.slices.isEmpty {
        throw StoreError(.backend, "The backend gave no answer for rows that were asked for.")
      }
      for slice in chunk.slices where slice.status != .absent {
        do throws(StoreError) {
          _ = try scratch.read(slice, in: chunk)
          return nil
        } catch {
          guard error.isAboutRecords else { throw error }
          reasons.append(error)
          if stopsAtFirst { return reasons }
        }
      }
      start += chunk.slices.count
    }
    return reasons
  }

  /// Removes the notes of rows from an index in a batch.
  ///
  /// - Parameters:
  ///   - rowIDs: Ascending.
  ///   - keyspace: The tree, of which the batch has no other changes yet.
  ///   - batch: Gets the changes.
  func appendErasingNotes(of rowIDs: [RowID], in keyspace: KeyspaceID, to batch: inout WriteBatch) {
    for rowID in rowIDs {
      let key = unsafe IndexHeader.skippedKey(of: rowID).withUnsafeBytes { unsafe batch.arena.append($0) }
      batch.append(
        .init(keyspace: keyspace, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
    }
  }
}
