/// The progress of a build of indexes.
public struct IndexBuildingProgress: Sendable {
  /// The stored name of the class.
  public var className: String
  /// The names of the indexes that are built together.
  public var indexNames: [String]
  /// The number of rows that are done, out of ``totalCount``.
  ///
  /// Reading a row counts as one half, and writing its entries as the other.
  public var doneCount: Int
  public var totalCount: Int
}

/// The status of an index.
public struct IndexStatus: Sendable {
  public var className: String
  public var name: String
  public var isUnique: Bool
  /// Whether queries use the index.
  public var isComplete: Bool
  /// The number of entries; 0 if the build has failed.
  public var entryCount: Int
  /// The error of a failed build; ``Store/buildIndexes(progress:)`` tries again.
  public var failure: (any Error)?
  /// The first 1,000 rows without entries, as their records could not be read when the index was built.
  ///
  /// A query that uses the index reports these rows, or throws (``DamagePolicy``). A row leaves the list when a program
  /// that can read its record saves or deletes it. It also does when such a program opens the store or calls
  /// ``Store/buildIndexes(progress:)``. A unique index does not refuse values that only a skipped row has. If such a
  /// row turns out to have the values of another one, the index cannot be completed, and ``failure`` is a
  /// ``UniqueViolation``.
  public var skippedRows: [RowID] = []
  /// The total number of rows without entries.
  public var skippedRowCount = 0
}

extension Store {
  /// The status of all indexes of the registered classes.
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
          // One of the records is the header.
          if let keyspace = index.keyspace, status.failure == nil {
            status.entryCount = max(0, try savedCount(of: keyspace) - 1 - status.skippedRowCount)
          }
          found.append(status)
        }
      }
      return found
    }
  }

  /// Builds all new and unfinished indexes; returns immediately if there are none.
  ///
  /// The store does this automatically after opening, in the background if there are many objects
  /// (``StoreConfiguration/indexBuilding``). This and other stores can save concurrently. Queries read all objects
  /// until an index is complete. If the program ends, the finished part of the build is kept.
  ///
  /// Records that cannot be read do not end the build: the index is built without them (``IndexStatus/skippedRows``).
  /// Rows that were skipped earlier are tried again.
  ///
  /// - Parameter progress: Called repeatedly with the progress. If it throws, the build ends for now.
  /// - Throws: ``UniqueViolation`` if two objects have equal values in a unique index, after all other indexes were
  ///   built; the errors of `progress`; ``StoreError``.
  /// - Complexity: O(*n* log *n*). Takes up to 200 MB of memory, or 20 MB if ``StorageTuning/limitsMemory`` is
  ///   set. If the keys of up to 16 million objects need more, they go to a temporary file in the directory `TMPDIR`.
  public func buildIndexes(progress: (IndexBuildingProgress) throws -> Void = { _ in }) throws {
    try beginChange()
    try buildIndexes(of: registry.tables, progress)
  }

  /// Builds all new and unfinished indexes of tables, as ``buildIndexes(progress:)`` does.
  func buildIndexes(of tables: [ClassTable], _ progress: (IndexBuildingProgress) throws -> Void) throws {
    var firstViolation: UniqueViolation?
    for table in tables where hasIndexesToBuild(table) {
      try session.worker.pause()
      defer { session.worker.resume() }
      do {
        try buildIndexes(of: table, progress)
      } catch let error as IndexTakeover {
        throw StoreError(.indexTakenOver, "\(error)", className: table.name)
      } catch let violation as UniqueViolation {
        firstViolation = firstViolation ?? violation
      }
    }
    for table in tables where !table.textIndexes.isEmpty {
      try session.worker.pause()
      defer { session.worker.resume() }
      try mergeTexts(of: table, table.textIndexes, leaving: 0, progress)
    }
    if let firstViolation { throw firstViolation }
  }

  /// Builds the unfinished indexes of a collection, and returns when all of them are complete.
  ///
  /// - Parameters:
  ///   - collection: The name of the collection.
  ///   - type: The class of its objects.
  ///   - progress: As in ``buildIndexes(progress:)``.
  /// - Throws: ``StoreError/Code/unknownCollection``; the errors of ``buildIndexes(progress:)``, such as
  ///   ``UniqueViolation``.
  public func buildIndexes(
    ofCollection collection: String, of type: StoredObject.Type,
    progress: (IndexBuildingProgress) throws -> Void = { _ in }
  ) throws {
    try beginChange()
    try buildIndexes(of: [table(ofCollection: collection, type)], progress)
  }

  /// Empties indexes and builds them again, after damage to their files, or after a change to code without a new
  /// version.
  ///
  /// If an error is thrown after they were emptied, the indexes stay unfinished, for other stores and later openings as
  /// well. Queries then read all objects until ``buildIndexes(progress:)`` or the next opening has completed the
  /// indexes.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - name: The name of one of its indexes; nil for all.
  ///   - progress: As in ``buildIndexes(progress:)``.
  /// - Throws: ``StoreError/Code/invalidIndex`` if the class has no such index; else the errors of
  ///   ``buildIndexes(progress:)``.
  public func rebuildIndexes(
    of type: StoredObject.Type, named name: String? = nil,
    progress: (IndexBuildingProgress) throws -> Void = { _ in }
  ) throws {
    try beginChange()
    if registry[type] == nil { try registerAtFirstUse(type) }
    try rebuildIndexes(of: registry.table(for: type), named: name, progress: progress)
  }

  /// Builds the indexes of a collection again, as ``rebuildIndexes(of:named:progress:)`` does for a class.
  ///
  /// - Parameters:
  ///   - collection: The name of the collection.
  ///   - type: The class of its objects.
  ///   - name: The name of one of its indexes; nil for all.
  ///   - progress: As in ``buildIndexes(progress:)``.
  /// - Throws: ``StoreError/Code/unknownCollection``; the errors of ``rebuildIndexes(of:named:progress:)``.
  public func rebuildIndexes(
    ofCollection collection: String, of type: StoredObject.Type, named name: String? = nil,
    progress: (IndexBuildingProgress) throws -> Void = { _ in }
  ) throws {
    try beginChange()
    try rebuildIndexes(of: table(ofCollection: collection, type), named: name, progress: progress)
  }

  private func rebuildIndexes(
    of table: ClassTable, named name: String?, progress: (IndexBuildingProgress) throws -> Void
  ) throws {
    let chosen = table.indexes.filter { index in name.map { $0.utf8.elementsEqual(index.name.utf8) } ?? true }
    let texts = table.textIndexes.filter { index in name.map { $0.utf8.elementsEqual(index.name.utf8) } ?? true }
    if chosen.isEmpty, texts.isEmpty {
      throw StoreError(.invalidIndex, "\(table.name) has no index \(name.map { "\"\($0)\"" } ?? "at all").")
    }
    try session.worker.pause()
    defer { session.worker.resume() }
    try emptyTextIndexes(texts)
    var batch = WriteBatch()
    for index in chosen {
      guard let keyspace = index.keyspace else { throw StoreError(.readOnly, "The store was opened for reading only.") }
      // The state changes before the commit, as no query may use the index after it.
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
    try mergeTexts(of: table, texts, leaving: 0, progress)
  }

  /// Returns whether a class has indexes with missing entries.
  func hasIndexesToBuild(_ table: ClassTable) -> Bool {
    table.indexes.contains { isUnfinished($0) || skipsRows($0) }
  }

  /// Returns whether an index is not complete yet.
  func isUnfinished(_ index: ClassIndex) -> Bool {
    guard let keyspace = index.keyspace else { return false }
    if case .complete = session.indexes[keyspace] { return false }
    return true
  }

  /// Returns whether an index may have skipped rows to try again.
  func skipsRows(_ index: ClassIndex) -> Bool { index.keyspace.map(session.indexes.skipsRows) ?? false }

  /// Builds the unfinished indexes of a class.
  ///
  /// The caller has paused the worker, or runs in one of its jobs.
  ///
  /// - Throws: ``IndexTakeover`` if another session has started to build them.
  func buildIndexes(
    of table: ClassTable, _ progress: (IndexBuildingProgress) throws -> Void
  ) throws {
    var unfinished = table.indexes.filter(isUnfinished)
    let skipping = table.indexes.filter { !isUnfinished($0) && skipsRows($0) }
    var firstViolation: UniqueViolation?
    /// Builds indexes; returns those that are left to build, because another one turned out not to be unique.
    func build(
      _ indexes: [ClassIndex], _ run: (inout IndexBuilding) throws -> Void
    ) throws -> [ClassIndex] {
      do {
        try noting(failureOf: indexes) {
          var building = try IndexBuilding(self, table, indexes)
          try run(&building)
        }
        return []
      } catch let violation as UniqueViolation {
        firstViolation = firstViolation ?? violation
        return indexes.filter { $0.name != violation.indexName }
      }
    }
    while !unfinished.isEmpty { unfinished = try build(unfinished) { try $0.run(progress) } }
    for index in skipping { _ = try build([index]) { try $0.completeSkippedRows(progress) } }
    if let firstViolation { throw firstViolation }
  }

  /// Calls the closure, and keeps its error for ``indexes``.
  ///
  /// A violation concerns only its own index.
  private func noting(failureOf indexes: [ClassIndex], _ body: () throws -> Void) throws {
    do {
      try body()
    } catch {
      // Closing the store, or an error of the caller's closure, is not a failure of the index.
      let isFailure = error is UniqueViolation || (error as? StoreError).map { $0.code != .closed } ?? false
      if error is IndexTakeover { try noteIndexesOfOthers(indexes) }
      let violated = (error as? UniqueViolation)?.indexName
      for index in indexes where isFailure && violated.map({ $0 == index.name }) ?? true {
        guard let keyspace = index.keyspace, isUnfinished(index) || error is UniqueViolation else { continue }
        session.indexes[keyspace] = .failed(error)
      }
      throw error
    }
  }
}
