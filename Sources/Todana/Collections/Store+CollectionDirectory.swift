// The list of collections, as the store knows it and as the backend has it.
extension Store {
  /// Reads the list of collections again if a store has changed it, so that the collections of a class are known.
  ///
  /// A change by another process counts from the time at which its backend reports it.
  ///
  /// - Complexity: O(1) if no change is known; otherwise a read of one record.
  func updateCollections(of type: StoredObject.Type) throws(StoreError) {
    if collections.changeCount == session.collectionChangeCount, collections.include(type) { return }
    guard type.isInCollections else {
      throw StoreError(.invalidCollection, "The class \(type) is not in collections.")
    }
    let isNew = !collections.include(type)
    if isNew { collections.elementTypes.append(type) }
    do throws(StoreError) {
      try updateCollections(readingAlways: isNew)
    } catch {
      if isNew { collections.elementTypes.removeLast() }
      throw error
    }
  }

  /// The number of times that a call is tried again while other stores change collections.
  static let collectionRetryLimit = 20

  /// Reads the list of collections if its record has changed since it was read.
  func updateCollections(readingAlways: Bool = false) throws(StoreError) {
    guard !collections.elementTypes.isEmpty else { return }
    var attemptCount = 0
    while true {
      do throws(StoreError) {
        return try readCollections(readingAlways: readingAlways || attemptCount > 0)
      } catch {
        // The list was replaced while its indexes were prepared.
        attemptCount += 1
        let code = error.backendError?.code
        guard attemptCount < Self.collectionRetryLimit, code == .conflict || code == .noSuchKeyspace else {
          throw error
        }
      }
    }
  }

  /// Prepares a call on a collection for another try, if it failed because another store has dropped a tree.
  ///
  /// - Returns: Whether it is to be tried again.
  func canTryAgain(on table: ClassTable, after error: BackendError?, _ attemptCount: Int) -> Bool {
    guard table.collection != nil, error?.code == .noSuchKeyspace, attemptCount < Self.collectionRetryLimit else {
      return false
    }
    collections.forgetState()
    return true
  }

  /// Carries out a call that uses the indexes of a table; tries it again with the newest ones if another store has
  /// removed an index of the collection in the meantime.
  func withNewestIndexes<Result>(
    of table: ClassTable, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    var attemptCount = 0
    while true {
      do throws(StoreError) {
        return try body()
      } catch {
        attemptCount += 1
        if !canTryAgain(on: table, after: error.backendError, attemptCount) { throw error }
      }
      try updateCollections()
      if table.isDropped { throw table.droppedError }
    }
  }

  private func readCollections(readingAlways: Bool) throws(StoreError) {
    // Counted before the list is read: a change in between makes it be read again.
    let changeCount = session.collectionChangeCount
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    let isKnown = collections.state != nil && !readingAlways
    if isKnown, snapshot.commitNumber == collections.commitNumber {
      collections.changeCount = changeCount
      return
    }
    let (directory, state) = try readDirectory(in: snapshot, unless: isKnown ? collections.state : nil)
    if let directory { try adopt(directory, expecting: state) }
    collections.state = state
    collections.commitNumber = snapshot.commitNumber
    collections.changeCount = changeCount
  }

  /// Changes the list of collections in a commit of its own, and uses the new list.
  ///
  /// - Parameters:
  ///   - type: The class of the collections that are changed.
  ///   - change: Changes the list; it is called again if another store has changed the list at the same time.
  ///   - also: Adds further changes to the commit.
  /// - Throws: The errors of the closures; ``StoreError``.
  func changeDirectory(
    of type: StoredObject.Type, _ change: (inout CollectionDirectory) throws -> Void,
    also: (inout WriteBatch) throws(StoreError) -> Void = { (_: inout WriteBatch) throws(StoreError) in }
  ) throws {
    try beginChange()
    try refuseWithinSavepoint("change a collection")
    try updateCollections(of: type)
    while true {
      let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
      let (current, state) = try readDirectory(in: snapshot, unless: nil)
      var directory = current ?? CollectionDirectory()
      try change(&directory)
      try refusePendingChanges(changedFrom: current ?? CollectionDirectory(), to: directory)
      let batch = try batch(writing: directory, expecting: state, also)
      do throws(BackendError) {
        // Counted even if the commit fails, as its outcome may be unknown.
        defer { session.noteCollectionChange() }
        noteCommit(try sealing.commit(batch, durability: .full), durability: .full)
        break
      } catch {
        if error.code != .conflict { throw translate(error) }
      }
    }
    try updateCollections()
  }

  /// Throws if a collection that a change of the list concerns has pending changes.
  private func refusePendingChanges(
    changedFrom former: CollectionDirectory, to directory: CollectionDirectory
  ) throws(StoreError) {
    for table in registry.tablesWithChanges {
      guard let name = table.collection?.name, let position = former.position(of: name) else { continue }
      let entry = former.entries[position]
      let isSame = directory.position(of: name).map { position in
        let other = directory.entries[position]
        return String.isEqual(other.tableName, entry.tableName)
          && other.collection.description == entry.collection.description
      }
      if isSame == true { continue }
      throw StoreError(
        .unsavedChanges, "The collection \"\(entry.collection.name)\" has unsaved changes: save or discard them first.",
        className: table.name)
    }
  }

  private func batch(
    writing directory: CollectionDirectory, expecting state: WriteBatch.Expectation,
    _ also: (inout WriteBatch) throws(StoreError) -> Void
  ) throws(StoreError) -> WriteBatch {
    var buffer = DataBuffer()
    directory.write(to: &buffer)
    let name = NamedBuffers.Name(string: CollectionDirectory.bufferName)
    let keyspace = try namedBufferKeyspace()
    let envelope = try namedBufferEnvelope()
    var batch = WriteBatch()
    let key = unsafe name.withBytes { unsafe batch.arena.append($0) }
    let value = try encode(
      buffer.bytes, version: CollectionDirectory.version, name: name, in: envelope, into: batch.arena)
    batch.append(.init(keyspace: keyspace, kind: .put, expectation: state, key: .bytes(key), value: value))
    try also(&batch)
    batch.sort()
    return batch
  }

  /// Reads the list of collections.
  ///
  /// - Parameters:
  ///   - snapshot: The state to read.
  ///   - known: A state of the record, for which the list is not read.
  /// - Returns: The list, nil if it was not read; and the state of its record.
  /// - Throws: ``StoreError/Code/damagedRecord``; the errors of reading the record.
  private func readDirectory(
    in snapshot: any BackendSnapshot, unless known: WriteBatch.Expectation?
  ) throws(StoreError) -> (CollectionDirectory?, WriteBatch.Expectation) {
    guard let keyspace = try knownBufferKeyspace() else { return (CollectionDirectory(), .absent) }
    let chunk = takeSmallChunk()
    defer { spareSmallChunk = chunk }
    let key = Array(CollectionDirectory.bufferName.utf8)
    do throws(BackendError) {
      try snapshot.read(key: key, of: keyspace, into: chunk)
    } catch {
      throw translate(error)
    }
    guard let slice = chunk.slices.first, slice.status != .absent else { return (CollectionDirectory(), .absent) }
    func damaged(_ cause: (any Error)?) -> StoreError {
      StoreError(.damagedRecord, "The list of collections cannot be read.", underlying: cause)
    }
    guard slice.status == .found else { throw damaged(nil) }
    let record = unsafe chunk.value(of: slice)
    let state = WriteBatch.Expectation.token(unsafe recordToken(record))
    if state == known { return (nil, state) }
    do {
      let opened = try unsafe namedBufferEnvelope().open(record, key)
      var buffer = makeReader()
      unsafe buffer.beginReading(opened.content, version: opened.version)
      let directory = try CollectionDirectory(reading: &buffer)
      try buffer.finishReading()
      return (directory, state)
    } catch {
      throw damaged(error)
    }
  }

  /// Throws if a class has the stored name of a collection's table, when the store is opened.
  ///
  /// - Throws: ``StoreError/Code/duplicateClassName``; the errors of reading the list of collections, unless it is
  ///   damaged.
  func refuseClassesNamedAsCollections() throws(StoreError) {
    guard namedBuffers.keyspace != nil, !registry.tables.isEmpty else { return }
    let snapshot = try onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    var directory: CollectionDirectory?
    do throws(StoreError) {
      directory = try readDirectory(in: snapshot, unless: nil).0
    } catch {
      // The store is usable without its collections, whose use reports the damage.
      guard error.code == .damagedRecord || error.code == .unknownKeyEpoch else { throw error }
    }
    for entry in directory?.entries ?? [] {
      guard let table = registry[tableNamed: entry.tableName], table.collection == nil else { continue }
      throw StoreError(
        .duplicateClassName,
        "The class \(table.type) is stored as \"\(table.name)\", which is the table of the collection "
          + "\"\(entry.collection.name)\"; override storedName.", className: table.name)
    }
  }

  // MARK: Adoption

  /// Makes the tables those of a list of collections: adds and renames tables, and declares their indexes.
  ///
  /// - Throws: ``StoreError`` with the backend's `conflict` if the list is no longer in the state that it was read in,
  ///   so that no tree of a newer list is dropped; the errors of reading and writing trees.
  private func adopt(_ directory: CollectionDirectory, expecting state: WriteBatch.Expectation) throws(StoreError) {
    var changed: [ClassTable] = []
    var kept: Set<ObjectIdentifier> = []
    var tablesByName = SmallMap<[UInt8], ClassTable>()
    for table in registry.tables where !table.isDropped { tablesByName[Array(table.name.utf8)] = table }
    for entry in directory.entries {
      guard
        let type = tablesByName[Array(entry.tableName.utf8)].flatMap({ $0.collection == nil ? nil : $0.type })
          ?? collections.type(ofCollection: entry.collection.name, elementName: entry.elementName)
      else { continue }
      let table: ClassTable
      if let known = tablesByName[Array(entry.tableName.utf8)], known.collection != nil {
        table = known
        let isChanged =
          known.collection?.revision != entry.collection.revision || known.collection?.isPrepared != true
        var collection = entry.collection
        if !isChanged { collection.problem = known.collection?.problem }
        collection.isPrepared = !isChanged
        registry.update(table, to: collection)
        kept.insert(ObjectIdentifier(table))
        if !isChanged { continue }
      } else {
        registry.register(entry.collection, type, tableName: entry.tableName, store: self)
        guard let added = registry[collection: entry.collection.name] else { continue }
        table = added
        kept.insert(ObjectIdentifier(table))
      }
      do throws(StoreError) {
        let former = table.indexes
        try table.declareIndexes()
        forgetStates(of: former, otherThanOf: table)
        changed.append(table)
      } catch {
        // Another program may have written a description that this one cannot read. Other collections stay usable.
        table.collection?.problem = error
        table.collection?.isPrepared = true
      }
    }
    for table in registry.tables
    where table.collection != nil && !table.isDropped && !kept.contains(ObjectIdentifier(table)) {
      registry.drop(table)
    }
    guard !changed.isEmpty else { return }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    registry.adopt(keyspaces)
    connectRelationships(keyspaces)
    try prepareTrees(of: changed, keyspaces, ofCollectionsIn: state)
    try prepareTextIndexes(of: changed, keyspaces, ofCollectionsIn: state)
    // If building them fails, the collections are usable without the indexes.
    for table in changed { table.collection?.isPrepared = true }
    try beginBuildingIndexes(of: changed)
    try beginMergingTexts(of: changed)
  }
}

extension Store {
  /// Forgets the states of former indexes whose trees now belong to other declarations, so that their headers are
  /// compared again.
  private func forgetStates(of former: [ClassIndex], otherThanOf table: ClassTable) {
    for index in former {
      guard let tree = index.keyspace, !table.indexes.contains(where: { $0.signature == index.signature }) else {
        continue
      }
      session.indexes[tree] = nil
    }
  }
}

// Saves of objects in collections.
extension Store {
  /// Reads the list of collections again if it has changed, before the changes of collections are encoded.
  ///
  /// - Throws: ``StoreError/Code/unknownCollection`` if a collection with pending changes was dropped; its
  ///   ``StoredCollection/problem``.
  func prepareCollectionsForSaving() throws(StoreError) {
    try updateCollections()
    for table in registry.tables where !table.pending.isEmpty {
      if let problem = table.collection?.problem { throw problem }
      if table.isDropped { throw table.droppedError }
    }
  }

  /// Adds the check that the list of collections is in a state: that of the list with which the batch was encoded.
  func appendCollectionCheck(of state: WriteBatch.Expectation?, to batch: inout WriteBatch) throws(StoreError) {
    let name = NamedBuffers.Name(string: CollectionDirectory.bufferName)
    let key = unsafe name.withBytes { unsafe batch.arena.append($0) }
    batch.append(
      .init(
        keyspace: try namedBufferKeyspace(), kind: .check, expectation: state ?? .absent, key: .bytes(key),
        value: 0..<0))
  }

  /// Returns whether a change expects the list of collections that another store has replaced; if so, the next save
  /// reads it again.
  func isOfReplacedCollections(_ change: WriteBatch.Change, in batch: borrowing WriteBatch) -> Bool {
    guard change.kind == .check, change.keyspace == namedBuffers.keyspace, case .bytes(let key) = change.key else {
      return false
    }
    return unsafe Array(batch.arena.bytes[key]).elementsEqual(CollectionDirectory.bufferName.utf8)
  }
}
