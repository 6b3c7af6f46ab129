internal import Logging

extension Store {
  /// Objects up to which opening waits for their indexes: some ten milliseconds.
  private static let fewObjects = 10_000

  /// Builds what is unfinished, or sees to it.
  func beginBuildingIndexes() throws(StoreError) {
    let unfinished = registry.tables.filter(hasIndexesToBuild)
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
      try buildIndexes()
    } catch let error as StoreError where error.code == .readOnly || error.code == .damagedRecord {
      // The store is of use without the indexes; ``indexes`` says that they are not complete.
      configuration.logger?.warning("Indexes could not be built: \(error)")
    } catch let error as StoreError {
      throw error
    } catch {
      // The same; ``indexes`` has the error.
      configuration.logger?.warning("An index could not be built: \(error)")
    }
  }

  /// Whether so many rows are to be tried again that opening does not wait for them.
  private func skipsManyRows(_ index: ClassIndex) throws(StoreError) -> Bool {
    guard let keyspace = index.keyspace, skipsRows(index) else { return false }
    return try skippedRows(of: keyspace, limit: Self.fewObjects + 1).count > Self.fewObjects
  }

  private func buildIndexesInBackground(of table: ClassTable) {
    let type = table.type
    session.worker.add(
      .init(name: "building indexes of \(table.name)", seed: workerSeed) { store throws in
        let table = try store.registry.table(for: type)
        do {
          try store.buildIndexes(of: table) { _ in try store.session.worker.checkForEnd() }
        } catch is IndexTakeover {
          store.awaitIndexes(of: type)
        } catch let error as UniqueViolation {
          // Queries go on without the index; ``Store/indexes`` tells.
          store.configuration.logger?.warning("An index could not be built: \(error)")
        }
      })
  }

  /// Looks from time to time whether others have completed the indexes of a class.
  private func awaitIndexes(of type: StoredObject.Type) {
    guard let table = try? registry.table(for: type) else { return }
    session.worker.addWhenOthersCommit(
      .init(name: "awaiting indexes of \(table.name)", seed: workerSeed) { store throws in
        let table = try store.registry.table(for: type)
        if try !store.noteIndexesOfOthers(table.indexes) { store.awaitIndexes(of: type) }
      })
  }
}
