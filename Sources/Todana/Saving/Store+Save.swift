extension Store {
  /// Saves all pending changes in one atomic commit.
  ///
  /// If it throws, nothing was saved and all changes stay pending, so that the save can be tried again. After
  /// ``StoreError/Code/mustReopen``, however, it is unknown whether the save counts.
  ///
  /// - Parameter durability: The durability of the commit; nil for the configured durability.
  /// - Throws: ``SaveConflict`` if another store changed an object or named buffer that this save changes;
  ///   ``StoreError``: ``StoreError/Code/cannotEncode`` with class, row and field;
  ///   ``StoreError/Code/changedWithoutWillUpdate``; ``StoreError/Code/mustReopen`` if the flush failed, so that only
  ///   ``reopen()`` can find out whether the save counts; ``StoreError/Code/withinSavepoint``; or the backend's error.
  /// - Complexity: O(*n*) in the pending changes. A save temporarily takes at most about 300 bytes for each change.
  public func saveChanges(durability: Durability? = nil) throws {
    try beginChange()
    try refuseWithinSavepoint("save")
    let durability = durability ?? configuration.durability
    try checkForUnannouncedChanges()
    guard pendingCount > 0 else {
      undoStack?.endLevelWithSave()
      return try flush(durability)
    }
    try callWillSave()
    var saved = SavedObjects(pendingIn: self)
    try commitChanges(durability: durability)
    saved.callHooks(in: self)
  }

  /// Encodes all pending changes and applies them in one commit; nothing is pending afterwards.
  ///
  /// - Parameters:
  ///   - durability: The durability of the commit.
  ///   - isAwaited: Whether a flush follows, before which the save does not count.
  /// - Returns: The data needed if that flush fails; nil if none is awaited.
  /// - Throws: The errors of ``saveChanges(durability:)``.
  @discardableResult
  func commitChanges(durability: Durability, isAwaited: Bool = false) throws -> SaveInFlight? {
    isSaving = true
    defer {
      isSaving = false
      // They were kept so that releasing the saved objects has released no others.
      var references: [StoredObject] = []
      swap(&references, &savedReferences)
      ChainRelease.release(&references)
    }
    var attemptCount = 0
    while true {
      savedReferences.removeAll(keepingCapacity: true)
      var buffers = BatchBuffers([], from: 0)
      let batch: WriteBatch
      do {
        batch = try encodePendingChanges(&buffers)
      } catch let error as StoreError {
        attemptCount += 1
        let table = registry.tablesWithChanges.first { $0.collection != nil }
        if let table, canTryAgain(on: table, after: error.backendError, attemptCount) { continue }
        throw error
      }
      let commitNumber: CommitNumber
      do throws(BackendError) {
        commitNumber = try sealing.commit(batch, durability: durability)
        noteCommit(commitNumber, durability: durability)
      } catch {
        attemptCount += 1
        if attemptCount < Self.collectionRetryLimit, canBeEncodedAgain(batch, after: error) { continue }
        throw failure(of: batch, error, buffers)
      }
      for table in registry.tablesWithChanges {
        let weight = TextIndexMerge.weight(rowCount: table.pending.objects.count, byteCount: batch.arena.count)
        noteSavedTexts(of: table, weight: weight)
      }
      let flight = isAwaited ? SaveInFlight(batch, registry: registry, buffers: namedBuffers) : nil
      if session.changes.hasListeners { publish(batch, commitNumber) }
      finishSave(batch)
      undoStack?.endLevelWithSave()
      namedBuffers.didSave(buffers.saved(by: batch))
      adjustPendingCount(by: -namedBuffers.removePending())
      return flight
    }
  }

  /// Publishes the changes of a commit to the listeners; called while its objects are still pending.
  private func publish(_ batch: borrowing WriteBatch, _ number: CommitNumber) {
    let tables = registry.tablesWithChanges
    let observed = session.changes.observedPart(
      of: tables.compactMap(\.classID), hasNamedBuffers: !namedBuffers.pending.isEmpty)
    guard observed != ObservedScope() else { return }
    var changes = CommitChanges(commitNumber: number)
    if observed.isWhole || observed.includesNamedBuffers {
      changes.namedBuffers = namedBuffers.pending.keys.map(\.string).sorted()
    }
    for table in tables {
      guard let classID = table.classID, observed.isWhole || observed.classes.contains(classID) else { continue }
      for object in table.pending.objects {
        let id = AnyObjectID(classID: classID, rowID: object.rowID)
        if object.state.contains(.inserted) {
          changes.inserted.append(id)
        } else if object.state.contains(.updated) {
          changes.updated.append(id)
        } else {
          changes.deleted.append(id)
        }
      }
    }
    session.changes.publish(changes)
  }

  /// Encodes all pending changes.
  ///
  /// - Parameter buffers: Receives the named buffers among them.
  /// - Returns: A batch of the changes.
  /// - Throws: ``StoreError``; errors of index keys.
  private func encodePendingChanges(_ buffers: inout BatchBuffers) throws -> WriteBatch {
    var batch = WriteBatch()
    let tables = registry.tablesWithChanges
    let checksCollections = tables.contains { $0.collection != nil }
    if checksCollections { try prepareCollectionsForSaving() }
    batch.reserveCapacity(probableChangeCount(of: tables))
    var checks = ReferenceChecks(in: self)
    for table in tables {
      let unknownRows = try noteRecordsDeletedByID(of: table)
      try encodeChanges(of: table, unknownRows, into: &batch)
      try appendIndexChanges(of: table, unknownRows, to: &batch, &checks)
      try appendTextIndexChanges(of: table, to: &batch)
    }
    checks.append(to: &batch, of: self)
    if namedBuffers.pending.isEmpty, !checksCollections { return batch }
    var pending: [(name: NamedBuffers.Name, change: NamedBuffers.PendingBuffer?)] =
      namedBuffers.pendingInOrder.map { ($0.name, $0.change) }
    if checksCollections {
      let name = NamedBuffers.Name(string: NamedBuffers.reservedName)
      pending.insert((name, nil), at: pending.firstIndex { name.precedes($0.name) } ?? pending.count)
    }
    buffers = BatchBuffers(pending.map(\.name), from: batch.changes.count)
    batch.arena.reserve(batch.arena.count + namedBuffers.pendingByteCount)
    for (name, change) in pending {
      if let change {
        try append(change, name: name, to: &batch)
      } else {
        try appendCollectionCheck(of: collections.state, to: &batch)
      }
    }
    return batch
  }

  /// Returns the number of changes for which a batch needs room, so that it is probably not moved when it grows.
  ///
  /// The system provides memory only for those that are used.
  private func probableChangeCount(of tables: [ClassTable]) -> Int {
    var count = pendingCount
    for table in tables {
      count += table.pending.objects.count * table.indexes.count
      // An object may have several references.
      if !table.relationships.isEmpty { count += pendingCount }
    }
    return count
  }

  /// Flushes the commits that were made with relaxed durability, if `durability` is full.
  private func flush(_ durability: Durability) throws(StoreError) {
    guard hasRelaxedCommits, durability == .full else { return }
    let batch = WriteBatch()
    do throws(BackendError) {
      // An empty batch does not count as a commit, so the returned number may belong to another store's commit.
      _ = try backend.commit(batch, durability: .full)
      hasRelaxedCommits = false
    } catch {
      throw translate(error)
    }
  }

  private func encodeChanges(
    of table: ClassTable, _ unknownRows: Set<RowID>, into batch: inout WriteBatch
  ) throws(StoreError) {
    let classID = try table.resolveClassID()
    table.renewEnvelope()
    table.pending.sort()
    if table.completeContent != nil { removeDeletedTargets(ofPendingObjectsOf: table) }
    var writer = DataBuffer(arena: batch.arena, encoder: self)
    let objects = table.pending.objects
    let arenaStart = batch.arena.count
    for (index, object) in objects.enumerated() {
      if index == 1024 {
        // Reserving the memory in one step, estimated from the first 1,024 objects, avoids copying it repeatedly as it
        // grows.
        batch.arena.reserve(arenaStart + (batch.arena.count - arenaStart) / 1024 * objects.count / 16 * 17)
      }
      if object.state.contains(.deleted) {
        let isUnknown = !unknownRows.isEmpty && unknownRows.contains(object.rowID)
        batch.append(
          .init(
            keyspace: classID, kind: isUnknown ? .erase : .remove,
            expectation: isUnknown ? .anything : .token(table.pending.token(at: index)), key: .row(object.rowID),
            value: 0..<0)
        )
        continue
      }
      guard !object.isFault else { throw savingFault(object, of: table) }
      if index == 0, configuration.checksDeclarations { checkDeclarations(of: table, with: object) }
      let written = try encode(object, rowID: object.rowID, of: table, writer: &writer)
      batch.append(
        .init(
          keyspace: classID, kind: .put,
          expectation: object.state.contains(.inserted) ? .absent : .token(table.pending.token(at: index)),
          key: .row(object.rowID), value: written.range))
    }
  }

  private func savingFault(_ object: StoredObject, of table: ClassTable) -> StoreError {
    let message =
      "Saving \(table.name) row \(object.rowID), which is a fault: its properties are defaults, not its content. "
      + "Call loadContent() before willUpdate(), or change it within Store.update."
    assertionFailure(message)
    return StoreError(.savingFault, message, className: table.name, rowID: object.rowID)
  }

  private func append(
    _ change: NamedBuffers.PendingBuffer, name: NamedBuffers.Name, to batch: inout WriteBatch
  ) throws(StoreError) {
    let keyspace = try namedBufferKeyspace()
    let key = unsafe name.withBytes { unsafe batch.arena.append($0) }
    let expectation = namedBuffers.expectation(of: name)
    switch change {
    case .put(let content, let version):
      let value = try encode(
        content, version: version, name: name, in: try namedBufferEnvelope(), into: batch.arena)
      batch.append(
        .init(keyspace: keyspace, kind: .put, expectation: expectation, key: .bytes(key), value: value))
    case .remove:
      batch.append(
        .init(keyspace: keyspace, kind: .remove, expectation: expectation, key: .bytes(key), value: 0..<0))
    }
  }

  /// Saves one named buffer in a commit of its own.
  func saveBuffer(_ change: NamedBuffers.PendingBuffer, name: String) throws {
    var batch = WriteBatch()
    let key = NamedBuffers.Name(string: name)
    try append(change, name: key, to: &batch)
    let buffers = BatchBuffers([key], from: 0)
    do throws(BackendError) {
      let number = try sealing.commit(batch, durability: configuration.durability)
      noteCommit(number, durability: configuration.durability)
      if session.changes.hasListeners {
        var changes = CommitChanges(commitNumber: number)
        changes.namedBuffers = [name]
        session.changes.publish(changes)
      }
    } catch {
      if error.code == .conflict { throw conflict(in: batch, error, buffers) }
      throw translate(error)
    }
    namedBuffers.didSave(buffers.saved(by: batch))
  }

  /// Records a commit of this store: the last known commit, the number of saves, and whether a flush is due.
  func noteCommit(_ number: CommitNumber, durability: Durability) {
    if number == lastKnownCommit + 1 { lastKnownCommit = number }
    hasRelaxedCommits = durability != .full
    saveCount += 1
    heldSnapshot = nil
  }

  /// Clears the saved changes, and gives every object the token of its new record.
  ///
  /// The batch's rows are in the order of the tables' pending objects, with checks of other rows between them.
  private func finishSave(_ batch: borrowing WriteBatch) {
    let changes = batch.changes
    let hasChecks = batch.hasPresenceChecks
    var index = 0
    while index < changes.count {
      // There may be many entries of indexes.
      if batch.packedChanges[index].keyLength > 0 {
        index += 1
        continue
      }
      guard case .row = changes[index].key, !changes[index].kind.isCheck, let table = registry[changes[index].keyspace]
      else {
        index += 1
        continue
      }
      // Faults refer to nothing, so that Swift may release them.
      var hasLoadedDeletes = false
      var objects = table.pending.takeObjects()
      for object in objects {
        while hasChecks, changes[index].kind.isCheck { index += 1 }
        if changes[index].kind != .put, !object.isFault { hasLoadedDeletes = true }
        finishSave(object, of: table, changes[index], in: batch.arena)
        index += 1
      }
      adjustPendingCount(by: -objects.count)
      // Objects without references are released without recursion.
      guard hasLoadedDeletes, ReferenceFreeClasses.shared.mayRefer(table.type) else { continue }
      var deleted: [StoredObject] = []
      while var object = objects.popLast() {
        guard object.table == nil else { continue }
        release(deleted: &object, of: table)
        deleted.append(object)
      }
      ChainRelease.release(&deleted)
    }
  }

  @inline(__always)
  private func finishSave(
    _ object: StoredObject, of table: ClassTable, _ change: WriteBatch.Change, in arena: ByteArena
  ) {
    guard change.kind == .put else { return table.detachDeleted(object) }
    object.state.subtract(.pending)
    object.token = unsafe recordToken(UnsafeRawBufferPointer(rebasing: arena.bytes[change.value]))
    if hasUndoStack { undoStack?.noteSave(of: object) }
    noteFingerprint(object, of: table)
  }

  private func failure(
    of batch: borrowing WriteBatch, _ error: BackendError, _ buffers: BatchBuffers
  ) -> any Error {
    switch error.code {
    case .conflict:
      do {
        let targets = try targetsOfUnseenReferences(in: batch, error)
        if targets.isEmpty, let conflict = try indexConflict(in: batch, error.conflicts) { return conflict }
        return conflict(in: batch, error, buffers, deleting: targets)
      } catch {
        return error
      }
    case .mustReopen:
      undoStack?.removeAll()
      unresolvedSave = UnresolvedSave(batch, registry: registry, buffers: buffers.saved(by: batch))
      return translate(error)
    default: return translate(error)
    }
  }

  /// Returns a conflict that names the objects and named buffers whose expectations failed.
  ///
  /// - Parameters:
  ///   - batch: The refused batch.
  ///   - error: The refusal.
  ///   - buffers: The named buffers in the batch.
  ///   - targets: Objects that cannot be deleted because of new references.
  /// - Returns: The conflict.
  func conflict(
    in batch: borrowing WriteBatch, _ error: BackendError, _ buffers: BatchBuffers,
    deleting targets: Set<AnyObjectID> = []
  ) -> SaveConflict {
    var objectIDs = targets
    var bufferNames: [String] = []
    for index in error.conflicts where batch.changes.indices.contains(index) {
      let change = batch.changes[index]
      switch change.key {
      case .row(let rowID): objectIDs.insert(AnyObjectID(classID: change.keyspace, rowID: rowID))
      case .bytes:
        if let name = buffers.name(ofChange: index) { bufferNames.append(name.string) }
      }
    }
    return SaveConflict(objectIDs: objectIDs.sorted(), bufferNames: bufferNames.sorted())
  }
}
