internal import Logging

extension Store {
  /// Begins to merge the rows of classes of which many are pending, when the store is opened.
  func beginMergingTexts(of tables: [ClassTable]) throws(StoreError) {
    guard configuration.indexBuilding != .manual else { return }
    for table in tables where table.textIndexes.contains(where: { $0.tree != nil }) {
      guard try mayHaveManyPendingTexts(table) else { continue }
      guard configuration.indexBuilding == .onOpening else {
        mergeTextsInBackground(of: table)
        continue
      }
      do {
        try mergeTexts(of: table, table.textIndexes, leaving: TextIndexMerge.pendingLimit)
      } catch {
        // The store is usable without the index.
        configuration.logger?.warning("A text index could not be built: \(error)")
      }
    }
  }

  /// Tests whether more rows than searches should test may be pending, by their numbers.
  private func mayHaveManyPendingTexts(_ table: ClassTable) throws(StoreError) -> Bool {
    guard let classID = table.classID else { return false }
    do throws(BackendError) {
      let snapshot = try sealing.snapshot()
      guard let bound = try snapshot.rowIDBound(of: classID) else { return true }
      for index in table.textIndexes {
        guard let tree = index.tree, let header = session.textIndexes.header(of: tree) else { continue }
        // All entries of the tree but a few are pending ones. Their records may be long, which the merge finds out.
        let pendingCount = try snapshot.count(of: tree) + Int(clamping: bound - min(bound, header.mergedRow + 1))
        if pendingCount > TextIndexMerge.pendingLimit / 16 { return true }
      }
    } catch {
      // A damaged index does not keep the store from opening.
      guard error.code == .damaged else { throw translate(error) }
    }
    return false
  }

  /// Merges the pending rows of text indexes.
  ///
  /// - Parameters:
  ///   - table: The class.
  ///   - indexes: Some of its text indexes.
  ///   - limit: The number of rows that may stay pending.
  ///   - progress: Called repeatedly; throws if the merging is to end.
  /// - Throws: The errors of `progress`; ``StoreError``.
  func mergeTexts(
    of table: ClassTable, _ indexes: [ClassTextIndex], leaving limit: Int,
    _ progress: (IndexBuildingProgress) throws -> Void = { _ in }
  ) throws {
    guard let classID = table.classID else { return }
    let total = try savedCount(of: classID)
    for index in indexes {
      try withoutActuallyEscaping(progress) { progress in
        var merge = TextIndexMerge(self, table, index) {
          let header = index.tree.flatMap { self.session.textIndexes.header(of: $0) }
          let done = header?.segments.reduce(0) { $0 + $1.info.rowCount } ?? 0
          try progress(
            IndexBuildingProgress(
              className: table.name, indexNames: [index.name], doneCount: min(done, total), totalCount: total))
          if self.isClosed { throw StoreError(.closed, "The store was closed while a text index was built.") }
        }
        try merge.run(leaving: limit)
      }
    }
  }

  /// Empties text indexes, so that all rows are pending.
  func emptyTextIndexes(_ indexes: [ClassTextIndex]) throws(StoreError) {
    if indexes.isEmpty { return }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    var emptying = TextIndexEmptying()
    for index in indexes {
      guard let tree = index.tree else { throw StoreError(.readOnly, "The store was opened for reading only.") }
      let header = TextIndexHeader(signature: index.signature)
      emptying.append(
        tree, header, TextKeyspaceName(className: index.className, indexName: index.name), keyspaces, self)
    }
    try commit(&emptying, durability: .relaxed)
  }

  /// Empties a text index, whose class the program may not know.
  func emptyStoredTextIndex(_ name: TextKeyspaceName, _ keyspaces: [Keyspace]) throws(StoreError) {
    guard let tree = keyspaces.first(where: { $0.textName == name })?.id else { return }
    // The next store that is opened with the class begins an index that has no header.
    var header: TextIndexHeader?
    do throws(StoreError) {
      let known = try onRecords { sealing throws(BackendError) in
        try TextIndexState.header(of: tree, in: try sealing.snapshot(), self)
      }
      header = known.map { TextIndexHeader(signature: $0.signature) }
    } catch {
      guard error.code == .damagedRecord else { throw error }
    }
    var emptying = TextIndexEmptying()
    emptying.append(tree, header, name, keyspaces, self)
    try commit(&emptying, durability: .full)
  }

  private func commit(_ emptying: inout TextIndexEmptying, durability: Durability) throws(StoreError) {
    emptying.batch.sort()
    do throws(BackendError) {
      noteCommit(try sealing.commit(emptying.batch, durability: durability), durability: durability)
    } catch {
      throw translate(error)
    }
    for (tree, header) in emptying.headers { session.textIndexes.note(header, of: tree) }
    session.textIndexes.forget(tablesOf: emptying.segments)
  }
}

/// The changes that empty text indexes.
private struct TextIndexEmptying: ~Copyable {
  var batch = WriteBatch()
  /// The new headers.
  private(set) var headers: [(KeyspaceID, TextIndexHeader?)] = []
  /// The segments that are dropped.
  private(set) var segments: [KeyspaceID] = []

  mutating func append(
    _ tree: KeyspaceID, _ header: TextIndexHeader?, _ name: TextKeyspaceName, _ keyspaces: [Keyspace], _ store: Store
  ) {
    batch.appendClear(of: tree)
    if let header { store.append(header, to: tree, &batch) }
    headers.append((tree, header))
    for keyspace in keyspaces {
      guard let found = keyspace.textName, found.segment != nil, found.index == name.index else { continue }
      batch.appendDrop(of: keyspace.id)
      segments.append(keyspace.id)
    }
  }
}
