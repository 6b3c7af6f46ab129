// Skipped rows: rows without entries in an index, as their records could not be read when it was built.
//
// Each row is noted in the index's tree, under a key of its own, so every snapshot has the notes that match its
// entries. A save that changes or deletes a row removes its note. Each build tries all noted rows again.
extension Store {
  /// Returns the skipped rows of an index.
  ///
  /// - Parameters:
  ///   - keyspace: The tree.
  ///   - snapshot: The state to read; nil for the newest one.
  ///   - range: The rows to search.
  ///   - limit: The maximum number of rows to return.
  /// - Returns: The rows, ascending.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(*n*) in the returned rows.
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
          throw StoreError(.damagedIndex, "The index's list of skipped rows is damaged: rebuild the index.")
        }
        rowIDs.append(rowID)
      }
    }
    return rowIDs
  }

  /// Returns the first index that skipped a row which can be read now; nil if there is none.
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

  /// Returns the errors that prevent the rows skipped by an index from being read.
  ///
  /// - Parameters:
  ///   - index: One of the class's indexes.
  ///   - table: The class.
  ///   - snapshot: The state to read.
  ///   - isLeftOut: Returns whether to leave out a row, because its pending state counts instead.
  ///   - stopsAtFirst: Whether to return after the first error.
  /// - Returns: An error for each row that cannot be read. Nil if one of the rows can be read now, which means that the
  ///   index is not complete.
  /// - Throws: ``StoreError`` that does not concern single records.
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
        throw StoreError(.backend, "The backend returned no result for requested rows.")
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

  /// Adds the removal of an index's notes about rows to a batch.
  ///
  /// - Parameters:
  ///   - rowIDs: The rows, ascending.
  ///   - keyspace: The tree, of which the batch has no other changes yet.
  ///   - batch: Receives the changes.
  func appendErasingNotes(of rowIDs: [RowID], in keyspace: KeyspaceID, to batch: inout WriteBatch) {
    for rowID in rowIDs {
      let key = unsafe IndexHeader.skippedKey(of: rowID).withUnsafeBytes { unsafe batch.arena.append($0) }
      batch.append(
        .init(keyspace: keyspace, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
    }
  }
}
