// The preparation of indexes when a store is opened: the declared indexes are compared with the existing trees.
extension Store {
  /// Prepares the declared indexes of classes, so that every save maintains them, and checks the text indexes.
  ///
  /// Finds their trees, starts those that are new or have changed, and drops trees that are no longer declared.
  ///
  /// - Throws: ``StoreError/Code/invalidIndex``; ``StoreError/Code/indexesDiffer`` if another open store of the backend
  ///   declares different indexes; the errors of reading and writing the trees.
  func prepareIndexes(of tables: [ClassTable], _ keyspaces: [Keyspace]) throws(StoreError) {
    for table in tables { try table.declareIndexes() }
    try prepareRelationships(of: tables, keyspaces)
    try declareIndexes(of: tables)
    try prepareTrees(of: tables, keyspaces)
  }

  /// Finds the trees of the indexes of tables, begins those that are new or have changed, and drops those that are no
  /// longer declared.
  ///
  /// With `list`, nothing is written unless the list of collections is in this state.
  func prepareTrees(
    of tables: [ClassTable], _ keyspaces: [Keyspace], ofCollectionsIn list: WriteBatch.Expectation? = nil
  ) throws(StoreError) {
    let trees = keyspaces.filter { $0.kind == .tree }
    guard !trees.isEmpty || tables.contains(where: { !$0.indexes.isEmpty }) else { return }
    try session.indexes.whilePreparing { () throws(StoreError) in
      var batch = WriteBatch()
      var begun: [(KeyspaceID, IndexStates.State)] = []
      for table in tables {
        let prefix = ClassIndex.keyspacePrefix(ofClass: table.name)
        let ownTrees = trees.filter { $0.name.starts(with: prefix) }
        for index in table.indexes {
          let tree = ownTrees.first { $0.name == index.keyspaceName }
          try prepare(index, of: table, tree: tree?.id, &batch, &begun)
        }
        for tree in ownTrees where !table.indexes.contains(where: { $0.keyspace == tree.id }) {
          session.indexes[tree.id] = nil
          batch.appendDrop(of: tree.id)
        }
      }
      guard !batch.isEmpty else { return }
      if let list { try appendCollectionCheck(of: list, to: &batch) }
      batch.sort()
      do throws(BackendError) {
        let number = try sealing.commit(batch, durability: .relaxed)
        noteCommit(number, durability: .relaxed)
        for (keyspace, state) in begun {
          session.indexes[keyspace] = if case .complete = state { .complete(since: number) } else { state }
        }
      } catch {
        // A read-only store leaves the trees unchanged, and uses the complete ones.
        guard error.code == .readOnly else { throw translate(error) }
        for table in tables {
          for index in table.indexes where begun.contains(where: { $0.0 == index.keyspace }) { index.keyspace = nil }
        }
      }
    }
  }

  private func declareIndexes(of tables: [ClassTable]) throws(StoreError) {
    // The indexes of a collection are in its description, which all stores read.
    for table in tables where table.collection == nil {
      let signatures =
        table.indexes.map { "\($0.name)\n\($0.signature)" }
        + table.textIndexes.map { "text \($0.name)\n\($0.signature)" }
      guard session.indexes.declare(signatures, forClass: table.name) else {
        throw StoreError(
          .indexesDiffer,
          "Another open store of the same backend declares other indexes for the class. Declare the same in both.",
          className: table.name)
      }
      table.hasDeclaredIndexes = true
    }
  }

  /// Withdraws the declarations of a closing store, so that other stores may declare different indexes.
  func withdrawIndexes() {
    for table in registry.tables { withdrawIndexes(of: table) }
  }

  func withdrawIndexes(of table: ClassTable) {
    guard table.hasDeclaredIndexes else { return }
    session.indexes.withdraw(class: table.name)
    table.hasDeclaredIndexes = false
  }

  private func prepare(
    _ index: ClassIndex, of table: ClassTable, tree: KeyspaceID?, _ batch: inout WriteBatch,
    _ begun: inout [(KeyspaceID, IndexStates.State)]
  ) throws(StoreError) {
    if let tree {
      index.keyspace = tree
      if session.indexes[tree] != nil { return }
      let (header, commit): (IndexHeader?, CommitNumber)
      do throws(StoreError) {
        (header, commit) = try indexHeader(of: tree)
      } catch {
        // Records are not affected: queries work without the index until it is rebuilt.
        guard error.code == .damagedRecord else { throw error }
        session.indexes[tree] = .failed(error)
        return
      }
      if let header, header.signature == index.signature {
        // An index that is being built may have skipped rows already.
        if header.state != .complete { session.indexes.setSkipsRows(true, tree) }
        session.indexes[tree] = header.state == .building ? .building : .complete(since: commit)
        return
      }
    } else {
      do throws(StoreError) {
        index.keyspace = try onRecords { sealing throws(BackendError) in
          try sealing.keyspaceID(of: .tree, named: index.keyspaceName)
        }
      } catch {
        if error.code == .readOnly { return }
        throw error
      }
    }
    guard let keyspace = index.keyspace else { return }
    if tree != nil {
      session.indexes.setSkipsRows(false, keyspace)
      batch.appendClear(of: keyspace)
    }
    let isEmpty = try table.classID.map { classID throws(StoreError) in try savedCount(of: classID) == 0 } ?? true
    append(
      IndexHeader(state: isEmpty ? .complete : .building, nextRow: 1, signature: index.signature), to: keyspace,
      &batch)
    begun.append((keyspace, isEmpty ? .complete(since: 0) : .building))
  }

  /// Returns the header of a tree, and the commit of the snapshot that it was read from.
  func indexHeader(of tree: KeyspaceID) throws(StoreError) -> (IndexHeader?, CommitNumber) {
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    do throws(BackendError) {
      try snapshot.read(key: IndexHeader.key, of: tree, into: chunk)
    } catch {
      throw translate(error)
    }
    guard let slice = chunk.slices.first, slice.status == .found else { return (nil, snapshot.commitNumber) }
    return (unsafe IndexHeader(chunk.value(of: slice)), snapshot.commitNumber)
  }

  /// Adds the write of a header to a batch.
  func append(
    _ header: IndexHeader, to keyspace: KeyspaceID, _ batch: inout WriteBatch,
    expecting expectation: WriteBatch.Expectation = .anything
  ) {
    let key = unsafe IndexHeader.key.withUnsafeBytes { unsafe batch.arena.append($0) }
    let value = unsafe header.bytes.withUnsafeBytes { unsafe batch.arena.append($0) }
    batch.append(.init(keyspace: keyspace, kind: .put, expectation: expectation, key: .bytes(key), value: value))
  }
}
