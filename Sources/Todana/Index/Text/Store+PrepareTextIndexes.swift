// The preparation of text indexes when a store is opened: the declared ones are compared with those that exist.
extension Store {
  /// Finds the trees of the text indexes of tables, begins those that are new or have changed, and drops those that are
  /// no longer declared.
  ///
  /// With `list`, nothing is written unless the list of collections is in this state.
  ///
  /// - Throws: The errors of reading and writing the trees.
  func prepareTextIndexes(
    of tables: [ClassTable], _ keyspaces: [Keyspace], ofCollectionsIn list: WriteBatch.Expectation? = nil
  ) throws(StoreError) {
    let existing = keyspaces.compactMap { keyspace in keyspace.textName.map { (id: keyspace.id, name: $0) } }
    guard !existing.isEmpty || tables.contains(where: { !$0.textIndexes.isEmpty }) else { return }
    try session.indexes.whilePreparing { () throws(StoreError) in
      var batch = WriteBatch()
      var begun: [(KeyspaceID, TextIndexHeader)] = []
      var allKept: Set<KeyspaceID> = []
      for table in tables {
        let own = existing.filter { $0.name.className.utf8.elementsEqual(table.name.utf8) }
        var kept: Set<KeyspaceID> = []
        for index in table.textIndexes {
          let ofIndex = own.filter { $0.name.indexName.utf8.elementsEqual(index.name.utf8) }
          let tree = ofIndex.first { $0.name.segment == nil }?.id
          try prepare(index, tree: tree, &batch, &begun, &kept)
        }
        for keyspace in own where !kept.contains(keyspace.id) { batch.appendDrop(of: keyspace.id) }
        allKept.formUnion(kept)
      }
      guard !batch.isEmpty else { return }
      if let list { try appendCollectionCheck(of: list, to: &batch) }
      batch.sort()
      do throws(BackendError) {
        noteCommit(try sealing.commit(batch, durability: .relaxed), durability: .relaxed)
        for (tree, header) in begun { session.textIndexes.note(header, of: tree) }
        session.textIndexes.forget(tablesOf: existing.map(\.id).filter { !allKept.contains($0) })
      } catch {
        // A read-only store uses the indexes that exist.
        guard error.code == .readOnly else { throw translate(error) }
        for table in tables {
          for index in table.textIndexes where begun.contains(where: { $0.0 == index.tree }) { index.tree = nil }
        }
      }
    }
  }

  private func prepare(
    _ index: ClassTextIndex, tree: KeyspaceID?, _ batch: inout WriteBatch,
    _ begun: inout [(KeyspaceID, TextIndexHeader)], _ kept: inout Set<KeyspaceID>
  ) throws(StoreError) {
    if let tree {
      index.tree = tree
      kept.insert(tree)
      let header: TextIndexHeader?
      do throws(StoreError) {
        header = try onRecords { sealing throws(BackendError) in
          try TextIndexState.header(of: tree, in: try sealing.snapshot(), self)
        }
      } catch {
        // Records are not affected; the index is built again.
        guard error.code == .damagedRecord else { throw error }
        header = nil
      }
      if let header, header.signature == index.signature {
        session.textIndexes.note(header, of: tree)
        for segment in header.segments { kept.insert(segment.keyspace) }
        return
      }
      batch.appendClear(of: tree)
    } else {
      do throws(StoreError) {
        index.tree = try onRecords { sealing throws(BackendError) in
          try sealing.keyspaceID(of: .tree, named: index.treeName)
        }
      } catch {
        if error.code == .readOnly { return }
        throw error
      }
    }
    guard let tree = index.tree else { return }
    let header = TextIndexHeader(signature: index.signature)
    append(header, to: tree, &batch)
    begun.append((tree, header))
  }

  /// Adds the write of a header to a batch.
  func append(
    _ header: TextIndexHeader, to tree: KeyspaceID, _ batch: inout WriteBatch,
    expecting expectation: WriteBatch.Expectation = .anything
  ) {
    let key = batch.arena.append(TextIndexKey.header)
    let value = batch.arena.append(header.bytes)
    batch.append(.init(keyspace: tree, kind: .put, expectation: expectation, key: .bytes(key), value: value))
  }
}
