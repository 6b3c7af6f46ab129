// Unreadable records do not prevent an index from being built: the build notes their rows instead.
extension IndexBuilding {
  /// A row whose record could not be read.
  struct SkippedRow {
    let rowID: RowID
    /// The token of the record; nil if the record is damaged.
    let token: UInt64?

    init(_ slice: RecordChunk.Slice, in chunk: RecordChunk) {
      rowID = slice.rowID
      let record = unsafe chunk.value(of: slice)
      let hasToken = slice.status == .found && record.count >= RecordEnvelope.trailerByteCount
      token = hasToken ? unsafe recordToken(record) : nil
    }
  }

  /// Notes rows in an index, except rows that were changed since they were read.
  ///
  /// - Returns: The rows that were changed.
  func note(_ rows: [SkippedRow], in index: ClassIndex) throws -> Set<RowID> {
    guard !rows.isEmpty, let classID = table.classID, let keyspace = index.keyspace else { return [] }
    // The flag is set before the commit, as every save after the commit must know it.
    store.session.indexes.setSkipsRows(true, keyspace)
    var allChanged: Set<RowID> = []
    for start in stride(from: 0, to: rows.count, by: Self.entryLimit) {
      var rows = Array(rows[start..<min(start + Self.entryLimit, rows.count)])
      while !rows.isEmpty {
        let batch = noteBatch(rows, classID, keyspace)
        do throws(BackendError) {
          store.noteCommit(try store.sealing.commit(batch, durability: .bulk), durability: .bulk)
          break
        } catch {
          guard error.code == .conflict else { throw store.translate(error) }
          try checkClaims(in: batch, error)
          var changed: Set<RowID> = []
          for position in error.conflicts {
            if case .row(let rowID) = batch.changes[position].key { changed.insert(rowID) }
          }
          rows.removeAll { changed.contains($0.rowID) }
          allChanged.formUnion(changed)
        }
      }
    }
    return allChanged
  }

  private func noteBatch(_ rows: [SkippedRow], _ classID: KeyspaceID, _ keyspace: KeyspaceID) -> WriteBatch {
    var batch = WriteBatch()
    for row in rows {
      guard let token = row.token else { continue }
      batch.append(
        .init(keyspace: classID, kind: .check, expectation: .token(token), key: .row(row.rowID), value: 0..<0))
    }
    appendClaim(of: keyspace, to: &batch)
    for row in rows {
      let key = unsafe IndexHeader.skippedKey(of: row.rowID).withUnsafeBytes { unsafe batch.arena.append($0) }
      batch.append(
        .init(keyspace: keyspace, kind: .put, expectation: .anything, key: .bytes(key), value: 0..<0))
    }
    batch.sort()
    return batch
  }

  /// Adds the entries of skipped rows that can be read now, and removes the notes of rows that no longer exist.
  ///
  /// - Parameter check: Called before rows are read again; throws if the build is to end.
  /// - Throws: ``UniqueViolation``; ``StoreError``; the errors of `check`.
  func retrySkippedRows(unlessEnded check: () throws -> Void) throws {
    for index in indexes {
      guard let keyspace = index.keyspace, store.session.indexes.skipsRows(keyspace) else { continue }
      let rowIDs = try store.skippedRows(of: keyspace)
      for start in stride(from: 0, to: rowIDs.count, by: Self.entryLimit) {
        try retry(Array(rowIDs[start..<min(start + Self.entryLimit, rowIDs.count)]), of: index, keyspace, check)
      }
    }
  }

  private func retry(
    _ rowIDs: [RowID], of index: ClassIndex, _ keyspace: KeyspaceID, _ check: () throws -> Void
  ) throws {
    guard let classID = table.classID else { return }
    var keys = IndexKeys(index)
    var settled: [RowID] = []
    var scratch = ScratchObject(store, table)
    try store.readNewestRows(rowIDs, of: classID) { _, slice, chunk throws(StoreError) in
      do throws(StoreError) {
        if slice.status != .absent {
          try keys.append(try scratch.read(slice, in: chunk), rowID: slice.rowID, token: scratch.token)
        }
        settled.append(slice.rowID)
      } catch {
        guard error.isAboutRecords else { throw error }
      }
    }
    if settled.isEmpty { return }
    keys.sort()
    let noted = try add(keys.entries, of: keys, unlessEnded: check)
    settled.removeAll { noted.contains($0) }
    var batch = WriteBatch()
    appendClaim(of: keyspace, to: &batch)
    store.appendErasingNotes(of: settled, in: keyspace, to: &batch)
    do throws(BackendError) {
      store.noteCommit(try store.sealing.commit(batch, durability: .bulk), durability: .bulk)
    } catch {
      if error.code == .conflict { throw IndexTakeover() }
      throw store.translate(error)
    }
  }

  /// Tries the skipped rows of indexes that have all other rows; an index without skipped rows becomes complete.
  mutating func completeSkippedRows(_ progress: (IndexBuildingProgress) throws -> Void) throws {
    _ = try claim()
    try retrySkippedRows(unlessEnded: { try report(0, progress) })
    for index in indexes {
      guard let keyspace = index.keyspace, try store.skippedRows(of: keyspace, limit: 1).isEmpty,
        var header = try store.indexHeader(of: keyspace).0
      else { continue }
      header.state = .complete
      try commitHeaders([(keyspace, header)])
      store.session.indexes.setSkipsRows(false, keyspace)
    }
  }
}
