/// How far the building of indexes is.
public struct IndexBuildingProgress: Sendable {
  /// The stored name of the class.
  public var className: String
  /// The indexes that are built together.
  public var indexNames: [String]
  /// Of all rows; each is read first, then its entries are written.
  public var doneCount: Int
  public var totalCount: Int
}

/// An index and how far it is.
public struct IndexStatus: Sendable {
  public var className: String
  public var name: String
  public var isUnique: Bool
  /// Whether queries use it.
  public var isComplete: Bool
  /// The number of entries; 0 where it could not be completed.
  public var entryCount: Int
  /// Why it could not be completed; ``Store/buildIndexes(progress:)`` tries again.
  public var failure: (any Error)?
  /// Rows that are not in it, as their records could not be read when it was built: the first 1,000 of them.
  ///
  /// A query that uses the index reports them, or throws (``DamagePolicy``). A row leaves the list when a program that
  /// can read it saves or deletes it, and when such a program opens the store or calls ``Store/buildIndexes(progress:)``.
  /// A unique index does not refuse values that only a skipped row has; if such a row turns out to have the values of
  /// another one, the index cannot be completed, and ``failure`` is a ``UniqueViolation``.
  public var skippedRows: [RowID] = []
  /// The number of these rows.
  public var skippedRowCount = 0
}

extension Store {
  /// The indexes of the registered classes.
  public var indexes: [IndexStatus] {
    get throws(StoreError) {
      try begin()
      var found: [IndexStatus] = []
      for table in registry.tables {
        for index in table.indexes {
          let state = index.keyspace.flatMap { session.indexes[$0] }
          var status = IndexStatus(
            className: table.name, name: index.name, isUnique: index.isUnique, isComplete: false, entryCount: 0)
          if case .complete = state { status.isComplete = true }
          if case .failed(let error) = state { status.failure = error }
          if let keyspace = index.keyspace, status.failure == nil || status.failure is UniqueViolation,
            session.indexes.skipsRows(keyspace)
          {
            let rowIDs = try skippedRows(of: keyspace)
            (status.skippedRows, status.skippedRowCount) = (Array(rowIDs.prefix(1000)), rowIDs.count)
          }
          // One of them is the header.
          if let keyspace = index.keyspace, status.failure == nil {
            status.entryCount = max(0, try savedCount(of: keyspace) - 1 - status.skippedRowCount)
          }
          found.append(status)
        }
      }
      return found
    }
  }

  /// Builds the indexes that are new, or were not finished, now; returns at once where there are none.
  ///
  /// After opening that is done by itself, in the background where there are many objects
  /// (``StoreConfiguration/indexBuilding``). Saves by this and other stores go on meanwhile, queries look at all objects
  /// until an index is complete. What was done stays when the program ends.
  ///
  /// Records that cannot be read do not end the building: the index is built without them (``IndexStatus/skippedRows``).
  /// Rows that were skipped earlier are tried again.
  ///
  /// - Parameter progress: Called now and then; what it throws ends the building for now.
  /// - Throws: ``UniqueViolation`` where two objects have the same values in a unique index; what `progress` throws;
  ///   ``StoreError``.
  /// - Complexity: O(*n* log *n*); takes up to 200 MB of memory (20 where ``KyotoBackend/Options/limitsMemory`` is set), and
  ///   where the keys of up to 16 million objects are more, a temporary file for them in the directory `TMPDIR`.
  public func buildIndexes(progress: (IndexBuildingProgress) throws -> Void = { _ in }) throws {
    try beginChange()
    for table in registry.tables where hasIndexesToBuild(table) {
      try session.worker.pause()
      defer { session.worker.resume() }
      do {
        try buildIndexes(of: table, progress)
      } catch let error as IndexTakeover {
        throw StoreError(.indexTakenOver, "\(error)", className: table.name)
      }
    }
  }

  /// Empties indexes and builds them again: after damage to their files, or changes to code without a new version.
  ///
  /// If it throws after it has emptied them, the indexes stay unfinished, also for other stores and later openings:
  /// queries read all objects instead until ``buildIndexes(progress:)`` or the next opening has completed them.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - name: One of its indexes; nil: all.
  ///   - progress: As of ``buildIndexes(progress:)``.
  /// - Throws: ``StoreError/Code/invalidIndex`` where the class has no such index; else as
  ///   ``buildIndexes(progress:)``.
  public func rebuildIndexes(
    of type: StoredObject.Type, named name: String? = nil,
    progress: (IndexBuildingProgress) throws -> Void = { _ in }
  ) throws {
    try beginChange()
    let table = try registry.table(for: type)
    let chosen = table.indexes.filter { index in name.map { $0.utf8.elementsEqual(index.name.utf8) } ?? true }
    if chosen.isEmpty {
      throw StoreError(.invalidIndex, "\(table.name) has no index \(name.map { "\"\($0)\"" } ?? "at all").")
    }
    try session.worker.pause()
    defer { session.worker.resume() }
    var batch = WriteBatch()
    for index in chosen {
      guard let keyspace = index.keyspace else { throw StoreError(.readOnly, "The store cannot be written to.") }
      // Before the commit: from then on nobody may rely on it.
      session.indexes[keyspace] = .building
      session.indexes.setSkipsRows(false, keyspace)
      batch.appendClear(of: keyspace)
      append(IndexHeader(state: .building, nextRow: 1, signature: index.signature), to: keyspace, &batch)
    }
    batch.sort()
    do throws(BackendError) {
      noteCommit(try sealing.commit(batch, durability: .relaxed), durability: .relaxed)
    } catch {
      throw translate(error)
    }
    do {
      try buildIndexes(of: table, progress)
    } catch let error as IndexTakeover {
      throw StoreError(.indexTakenOver, "\(error)", className: table.name)
    }
  }

  /// Whether a class has indexes with entries to come.
  func hasIndexesToBuild(_ table: ClassTable) -> Bool {
    table.indexes.contains { isUnfinished($0) || skipsRows($0) }
  }

  /// Whether an index has entries to come.
  func isUnfinished(_ index: ClassIndex) -> Bool {
    guard let keyspace = index.keyspace else { return false }
    if case .complete = session.indexes[keyspace] { return false }
    return true
  }

  /// Whether an index may have rows to be tried again.
  func skipsRows(_ index: ClassIndex) -> Bool { index.keyspace.map(session.indexes.skipsRows) ?? false }

  /// Builds those of a class, while the worker pauses, or in one of its jobs.
  ///
  /// - Throws: ``IndexTakeover`` where somebody else has begun to build them.
  func buildIndexes(
    of table: ClassTable, _ progress: (IndexBuildingProgress) throws -> Void
  ) throws {
    let unfinished = table.indexes.filter(isUnfinished)
    let skipping = table.indexes.filter { !isUnfinished($0) && skipsRows($0) }
    if !unfinished.isEmpty {
      try noting(failureOf: unfinished) {
        var building = try IndexBuilding(self, table, unfinished)
        try building.run(progress)
      }
    }
    for index in skipping {
      try noting(failureOf: [index]) {
        var building = try IndexBuilding(self, table, [index])
        try building.completeSkippedRows()
      }
    }
  }

  /// Calls the closure, and keeps what it throws for ``indexes``.
  private func noting(failureOf indexes: [ClassIndex], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      // A store that is closed, and a caller that ends it, are no failures of an index.
      let isFailure = error is UniqueViolation || (error as? StoreError).map { $0.code != .closed } ?? false
      if error is IndexTakeover { try noteIndexesOfOthers(indexes) }
      for index in indexes where isFailure {
        guard let keyspace = index.keyspace, isUnfinished(index) || error is UniqueViolation else { continue }
        session.indexes[keyspace] = .failed(error)
      }
      throw error
    }
  }
}
