internal import Logging

extension Store {
  /// The largest number of objects of a class for which opening waits until their indexes are built, which takes about
  /// ten milliseconds.
  private static let fewObjects = 10_000

  /// Builds unfinished indexes, or starts to build them in the background.
  func beginBuildingIndexes(of tables: [ClassTable]) throws(StoreError) {
    let unfinished = tables.filter(hasIndexesToBuild)
    guard !unfinished.isEmpty, configuration.indexBuilding != .manual else { return }
    var isSmall = true
    for table in unfinished where isSmall {
      guard table.indexes.contains(where: isUnfinished) else {
        for index in table.indexes where try skipsManyRows(index) { isSmall = false }
        continue
      }
      let count = try table.classID.map { classID throws(StoreError) in try savedCount(of: classID) } ?? 0
      if count > Self.fewObjects { isSmall = false }
    }
    guard isSmall || configuration.indexBuilding == .onOpening else {
      for table in unfinished { buildIndexesInBackground(of: table) }
      return
    }
    do {
      try buildIndexes(of: tables) { _ in }
    } catch let error as StoreError where [.readOnly, .damagedRecord, .damagedIndex].contains(error.code) {
      // The store is usable without the indexes. ``indexes`` shows that they are not complete.
      configuration.logger?.warning("Indexes could not be built: \(error)")
    } catch let error as StoreError where error.code == .indexTakenOver {
      for table in unfinished where hasIndexesToBuild(table) { try awaitIndexes(ofTableNamed: table.name) }
    } catch let error as StoreError {
      throw error
    } catch {
      // The store is usable without the index. ``indexes`` has the error.
      configuration.logger?.warning("An index could not be built: \(error)")
    }
  }

  /// Returns whether an index skipped so many rows that opening does not wait for another try.
  private func skipsManyRows(_ index: ClassIndex) throws(StoreError) -> Bool {
    guard let keyspace = index.keyspace, skipsRows(index) else { return false }
    do throws(StoreError) {
      return try skippedRows(of: keyspace, limit: Self.fewObjects + 1).count > Self.fewObjects
    } catch {
      // A damaged note does not keep the store from opening: building in the background reports it.
      guard error.code == .damagedIndex || error.code == .damagedRecord else { throw error }
      return true
    }
  }

  private func buildIndexesInBackground(of table: ClassTable) {
    let name = table.name
    session.worker.add(
      .init(name: "building indexes of \(name)", seed: workerSeed) { store throws in
        guard let table = store.registry[tableNamed: name] else { return }
        do {
          try store.buildIndexes(of: table) { _ in try store.session.worker.checkForEnd() }
        } catch is IndexTakeover {
          try store.awaitIndexes(ofTableNamed: name)
        } catch let error as UniqueViolation {
          // Queries work without the index. ``Store/indexes`` has the error.
          store.configuration.logger?.warning("An index could not be built: \(error)")
        }
      })
  }

  /// Waits in the background until another session has completed the indexes of a class; if it has given them up,
  /// builds them.
  private func awaitIndexes(ofTableNamed name: String) throws(StoreError) {
    guard let table = registry[tableNamed: name] else { return }
    if try noteIndexesOfOthers(table.indexes) { return }
    session.worker.addWhenOthersCommit(
      .init(name: "awaiting indexes of \(table.name)", seed: workerSeed) { store throws in
        try store.awaitIndexes(ofTableNamed: name)
      })
    // Checked once more: a commit before the job was added gave it no hint.
    if try !noteIndexesOfOthers(table.indexes), try isAnyGivenUp(table.indexes) { buildIndexesInBackground(of: table) }
  }
}
