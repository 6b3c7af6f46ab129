internal import Dispatch
internal import Logging

extension Store {
  /// Objects up to which opening waits for their indexes: some ten milliseconds.
  private static let fewObjects = 10_000

  /// Builds what is unfinished, or sees to it.
  func beginBuildingIndexes() throws(StoreError) {
    let unfinished = registry.tables.filter { $0.indexes.contains { isUnfinished($0) || skipsRows($0) } }
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
    guard isSmall || configuration.indexBuilding == .onOpening else { return buildIndexesInBackground() }
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

  private func buildIndexesInBackground() {
    let seed = workerSeed
    DispatchQueue(label: "todana.indexes", qos: .utility).async {
      do {
        let store = try Store(beside: seed)
        try store.buildIndexes()
      } catch let error as StoreError where error.code == .closed {
        // The next opening goes on.
      } catch {
        // Queries go on without the index; ``Store/indexes`` tells.
        seed.configuration.logger?.warning("An index could not be built: \(error)")
      }
    }
  }
}
