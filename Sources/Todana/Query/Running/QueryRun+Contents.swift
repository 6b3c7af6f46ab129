// Results that are read without making objects of the store.
extension QueryRun {
  /// Calls back with the content of each object of the result; in any order if `inOrder` is false and the query is
  /// unlimited.
  ///
  /// The callback gets a pending object, or a scratch object that is used again with the content of the next row. It
  /// must not keep the object.
  func forEachContent(inOrder: Bool, _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    guard inOrder || !query.isUnlimited else {
      for object in try matchingPendingObjects() { try give(object, body) }
      try forEachMatch(needsRecords: true) { _, slice, chunk throws(StoreError) in
        if let slice, let chunk { try give(slice, in: chunk, &scratch, body) }
        return true
      }
      return
    }
    var waiting: [RowID] = []
    try forEachRow(wantsRecords: true) { rowID, slice, chunk throws(StoreError) in
      if let slice, let chunk {
        try give(slice, in: chunk, &scratch, body)
      } else {
        waiting.append(rowID)
      }
      return true
    }
    try forEachContent(of: waiting, &scratch, body)
  }

  /// Calls back with the content of each object that the segments of a text index do not have, or not as it is now.
  ///
  /// The callback is that of ``forEachContent(inOrder:_:)``. The query must ask for all objects of the class.
  func forEachContent(
    notIn state: TextIndexState, _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let classID else { return }
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    for object in try matchingPendingObjects() { try give(object, body) }
    func giveRow(
      _ rowID: RowID, _ slice: RecordChunk.Slice?, _ chunk: RecordChunk?
    ) throws(StoreError) -> Bool {
      if let slice, let chunk { try give(slice, in: chunk, &scratch, body) }
      return true
    }
    try forEach(state.changedRows, needsRecords: true, mayBeAbsent: true, classID, giveRow)
    _ = try scanInOrder(classID, from: state.firstUnmergedRow, needsRecords: true, giveRow)
  }

  /// Calls back with a pending object, and handles errors of the callback.
  private func give(
    _ object: StoredObject, _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try body(object)
    } catch {
      try onDamage.handle(error)
    }
  }

  /// Calls back with the content of a record, if it can be read.
  private func give(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, _ scratch: inout ScratchObject,
    _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try body(try scratch.read(slice, in: chunk))
    } catch {
      try onDamage.handle(error.met(reading: slice.rowID, of: table))
    }
  }

  /// Calls back with the content of each of the rows, in their order.
  func forEachContent(of rowIDs: [RowID], _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    try forEachContent(of: rowIDs, &scratch, body)
  }

  /// Calls back with the content of each of the rows, in their order.
  ///
  /// Successive rows that are not pending are read together.
  private func forEachContent(
    of rowIDs: [RowID], _ scratch: inout ScratchObject, _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let classID, !rowIDs.isEmpty else { return }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      if isPending(rowIDs[start]), let object = table.identity[rowIDs[start]] {
        try give(object, body)
        start += 1
        continue
      }
      var end = start + 1
      while end < rowIDs.count, end - start < 4096, !isPending(rowIDs[end]) { end += 1 }
      try read(rowIDs[start..<end], of: classID, into: chunk)
      if let references { try testing { () throws(StoreError) in try references.prepare(chunk) } }
      for slice in chunk.slices { try give(slice, in: chunk, &scratch, body) }
      start += chunk.slices.count
    }
  }
}
