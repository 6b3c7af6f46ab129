// Records that cannot be read do not keep an index from being built: it notes their rows instead.
extension IndexBuilding {
  /// A row whose record could not be read.
  struct SkippedRow {
    let rowID: RowID
    /// The token of the record; nil if that is damaged.
    let token: UInt64?
  }

  /// Notes rows in all of the indexes, but those that were changed since they were read.
  func note(_ rows: [SkippedRow]) throws {
    guard !rows.isEmpty, let classID = table.classID else { return }
    for index in indexes {
      // Before the commit: a save that comes after it has to know.
      if let keyspace = index.keyspace { store.session.indexes.setSkipsRows(true, keyspace) }
    }
    for start in stride(from: 0, to: rows.count, by: Self.entryLimit) {
      var rows = Array(rows[start..<min(start + Self.entryLimit, rows.count)])
      while !rows.isEmpty {
        let batch = noteBatch(rows, classID)
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
        }
      }
    }
  }

  private func noteBatch(_ rows: [SkippedRow], _ classID: KeyspaceID) -> WriteBatch {
    var batch = WriteBatch()
    for row in rows {
      guard let token = row.token else { continue }
      batch.append(
        .init(keyspace: classID, kind: .check, expectation: .token(token), key: .row(row.rowID), value: 0..<0))
    }
    for keyspace in indexes.compactMap(\.keyspace) {
      appendClaim(of: keyspace, to: &batch)
      for row in rows {
        let key = unsafe IndexHeader.skippedKey(of: row.rowID).withUnsafeBytes { unsafe batch.arena.append($0) }
        batch.append(
          .init(keyspace: keyspace, kind: .put, expectation: .anything, key: .bytes(key), value: 0..<0))
      }
    }
    batch.sort()
    return batch
  }

  /// Adds the entries of rows that were skipped and can be read by now, and removes the notes of rows that are gone.
  ///
  /// - Throws: ``UniqueViolation``; ``StoreError``.
  func retrySkippedRows() throws {
    for index in indexes {
      guard let keyspace = index.keyspace, store.session.indexes.skipsRows(keyspace) else { continue }
      let rowIDs = try store.skippedRows(of: keyspace)
      for start in stride(from: 0, to: rowIDs.count, by: Self.entryLimit) {
        try retry(Array(rowIDs[start..<min(start + Self.entryLimit, rowIDs.count)]), of: index, keyspace)
      }
    }
  }

  private func retry(_ rowIDs: [RowID], of index: ClassIndex, _ keyspace: KeyspaceID) throws {
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
    try commit(keys.entries, of: keys)
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

  /// Completes indexes that have all other rows, as far as that is possible now.
  mutating func completeSkippedRows() throws {
    _ = try claim()
    try retrySkippedRows()
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
