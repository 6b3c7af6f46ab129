// The changes by which a save maintains text indexes.
extension Store {
  /// Adds the changes for a table's pending objects.
  ///
  /// A row that segments may have gets a pending entry if it is saved or deleted. A new row usually comes after all
  /// that were merged, and needs none. The commit expects the header on which this depends.
  func appendTextIndexChanges(of table: ClassTable, to batch: inout WriteBatch) throws(StoreError) {
    for index in table.textIndexes {
      let rowIDs = table.pending.objects.lazy.map(\.rowID)
      try appendPendingTexts(of: rowIDs, index, to: &batch)
    }
  }

  /// Adds the pending entries of rows, in ascending order, to a batch.
  func appendPendingTexts(
    of rowIDs: some Sequence<RowID>, _ index: ClassTextIndex, to batch: inout WriteBatch
  ) throws(StoreError) {
    guard let tree = index.tree, let header = try newestHeader(of: index) else { return }
    let key = batch.arena.append(TextIndexKey.header)
    batch.append(
      .init(keyspace: tree, kind: .check, expectation: .token(header.token), key: .bytes(key), value: 0..<0))
    for rowID in rowIDs {
      // They are in ascending order.
      if rowID > header.claimedRow { break }
      let key = batch.arena.append(TextIndexKey.pending(rowID))
      let value = batch.arena.append(PendingText(rowID).value)
      batch.append(.init(keyspace: tree, kind: .put, expectation: .anything, key: .bytes(key), value: value))
    }
  }

  /// Returns the newest known header of an index; nil if there is none, so that the index is not used.
  private func newestHeader(of index: ClassTextIndex) throws(StoreError) -> TextIndexHeader? {
    guard let tree = index.tree else { return nil }
    if let known = session.textIndexes.header(of: tree) { return known }
    let header = try onRecords { sealing throws(BackendError) in
      try TextIndexState.header(of: tree, in: try sealing.snapshot(), self)
    }
    session.textIndexes.note(header, of: tree)
    return header
  }

  /// Returns whether a change expects the header of a text index, which another store has replaced; if so, the header is
  /// read again.
  func isOfReplacedTextHeader(_ change: WriteBatch.Change) -> Bool {
    guard change.kind == .check, case .bytes = change.key, registry.textIndex(of: change.keyspace) != nil else {
      return false
    }
    session.textIndexes.note(nil, of: change.keyspace)
    return true
  }

  /// Begins to merge the texts of a table's rows in the background if many were saved.
  func noteSavedTexts(of table: ClassTable, weight: Int) {
    for index in table.textIndexes {
      guard let tree = index.tree, configuration.indexBuilding != .manual,
        session.textIndexes.countChanged(weight, of: tree, limit: TextIndexMerge.pendingLimit)
      else { continue }
      mergeTextsInBackground(of: table)
    }
  }

  func mergeTextsInBackground(of table: ClassTable) {
    let name = table.name
    session.worker.add(
      .init(name: "merging texts of \(name)", seed: workerSeed) { store throws in
        guard let table = store.registry[tableNamed: name] else { return }
        for index in table.textIndexes {
          var merge = TextIndexMerge(store, table, index) { try store.session.worker.checkForEnd() }
          try merge.run(leaving: TextIndexMerge.pendingLimit)
        }
      })
  }
}
