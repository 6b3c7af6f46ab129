/// The loading of objects by their identities, in which records are read on another thread.
struct RowStream {
  private let store: Store
  private let snapshot: any BackendSnapshot
  private let onDamage: DamagePolicy
  private let saveCountAtStart: Int
  private let includingPending: Bool

  /// The number of records that are read and decoded in one step, which takes about a millisecond.
  private static let stepCount = 2048

  init(of store: Store, includingPending: Bool, onDamage: DamagePolicy) throws(StoreError) {
    self.store = store
    self.onDamage = onDamage
    self.includingPending = includingPending
    snapshot = try store.snapshotForReading()
    saveCountAtStart = store.saveCount
  }

  /// Returns the objects with the given identities, loaded, in the same order; nil for an identity without an object.
  nonisolated(nonsending) func objects<T: StoredObject>(
    _ ids: [ObjectID<T>]
  ) async throws(StoreError) -> [T?] {
    var objects = [T?](repeating: nil, count: ids.count)
    var waiting: [Int] = []
    var waitingTable: ClassTable?
    for index in ids.indices {
      let table = try store.table(of: ids[index])
      if let object = table.identity[ids[index].rowID] {
        guard store.includes(object, includingPending: includingPending) else { continue }
        if !object.isFault {
          // The table's class is T or a subclass of it.
          objects[index] = unsafe unsafeDowncast(object, to: T.self)
          continue
        }
      }
      if let waitingTable, waitingTable !== table || waiting.count == Self.stepCount {
        try await load(waiting, of: waitingTable, ids, into: &objects)
        waiting.removeAll(keepingCapacity: true)
      }
      waitingTable = table
      waiting.append(index)
    }
    if let waitingTable { try await load(waiting, of: waitingTable, ids, into: &objects) }
    return objects
  }

  /// Loads the faults among objects.
  nonisolated(nonsending) func load(_ objects: [StoredObject]) async throws(StoreError) {
    var ids: [ObjectID<StoredObject>] = []
    var kept: [StoredObject] = []
    for object in objects where object.isFault {
      let table = try store.table(of: object, to: "load")
      guard let classID = try table.classIDForReading() else {
        try onDamage.handle(store.rowNotFound(object.rowID, table))
        continue
      }
      ids.append(ObjectID(unchecked: AnyObjectID(classID: classID, rowID: object.rowID)))
      kept.append(object)
    }
    let loaded = try await self.objects(ids)
    for (index, object) in loaded.enumerated() where object == nil && kept[index].isFault {
      // An object whose record cannot be read was reported above.
      guard let table = kept[index].table, try !exists(kept[index], of: table) else { continue }
      try onDamage.handle(store.rowNotFound(kept[index].rowID, table))
    }
  }

  private func exists(_ object: StoredObject, of table: ClassTable) throws(StoreError) -> Bool {
    guard let classID = try table.classIDForReading() else { return false }
    let chunk = store.takeSmallChunk()
    defer { store.spareSmallChunk = chunk }
    do throws(BackendError) {
      try snapshot.read(rows: CollectionOfOne(object.rowID).span, of: classID, into: chunk)
    } catch {
      throw store.translate(error)
    }
    return chunk.slices.first.map { $0.status != .absent } ?? false
  }

  private nonisolated(nonsending) func load<T: StoredObject>(
    _ indexes: [Int], of table: ClassTable, _ ids: [ObjectID<T>], into objects: inout [T?]
  ) async throws(StoreError) {
    guard let classID = try table.classIDForReading() else { return }
    let rowIDs = indexes.map { ids[$0].rowID }
    let chunk = RecordChunk()
    var start = 0
    while start < rowIDs.count {
      try await read(Array(rowIDs[start...]), of: classID, into: chunk)
      try store.begin()
      var reader = store.makeReader()
      for (offset, slice) in chunk.slices.enumerated() {
        let index = indexes[start + offset]
        do throws(StoreError) {
          // The table's class is T or a subclass of it.
          objects[index] = try object(slice, rowIDs[start + offset], of: table, in: chunk, reader: &reader).map {
            unsafe unsafeDowncast($0, to: T.self)
          }
        } catch {
          try onDamage.handle(error)
        }
      }
      start += chunk.slices.count
    }
  }

  private func object(
    _ slice: RecordChunk.Slice, _ rowID: RowID, of table: ClassTable, in chunk: RecordChunk, reader: inout DataBuffer
  ) throws(StoreError) -> StoredObject? {
    if store.saveCount != saveCountAtStart {
      return try store.newestObject(rowID, of: table, includingPending: includingPending)
    }
    guard slice.status != .absent else { return nil }
    let object = table.objectOrFault(rowID)
    guard store.includes(object, includingPending: includingPending) else { return nil }
    store.noteReading(ofCommit: snapshot.commitNumber)
    if object.isFault { try store.fill(object, of: table, from: slice, in: chunk, reader: &reader) }
    return object
  }

  private nonisolated(nonsending) func read(
    _ rowIDs: [RowID], of classID: KeyspaceID, into chunk: RecordChunk
  ) async throws(StoreError) {
    try store.checkForCancellation()
    // No other code uses the chunk during the wait.
    nonisolated(unsafe) let lentChunk = chunk
    let snapshot = snapshot
    do throws(BackendError) {
      try await onWorker { () throws(BackendError) in
        try unsafe snapshot.read(rows: rowIDs.span, of: classID, into: lentChunk)
      }
    } catch {
      throw store.translate(error)
    }
    if chunk.slices.isEmpty {
      throw StoreError(.backend, "The backend returned no result for requested rows.")
    }
  }
}
