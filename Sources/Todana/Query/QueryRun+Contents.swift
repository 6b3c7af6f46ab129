// Results that are looked at without becoming objects of the store.
extension QueryRun {
  /// Calls back with the content of each object of the result, in whatever order where that does not matter.
  ///
  /// What it gets is a pending object, or one object again and again with the content of another row, good for the call
  /// only.
  func forEachContent(inOrder: Bool, _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    var scratch = ScratchObject(store, table)
    guard inOrder || query.limit != nil || query.offset > 0 else {
      for object in try matchingPendingObjects() { try body(object) }
      try forEachMatch(needsRecords: true) { _, slice, chunk throws(StoreError) in
        if let slice, let chunk { try body(try scratch.read(slice, in: chunk)) }
        return true
      }
      return
    }
    var waiting: [RowID] = []
    try forEachRow(wantsRecords: true) { rowID, slice, chunk throws(StoreError) in
      if let slice, let chunk {
        try body(try scratch.read(slice, in: chunk))
      } else {
        waiting.append(rowID)
      }
      return true
    }
    try forEachContent(of: waiting, &scratch, body)
  }

  /// The same for rows that are not pending.
  func forEachContent(of rowIDs: [RowID], _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    var scratch = ScratchObject(store, table)
    try forEachContent(of: rowIDs, &scratch, body)
  }

  /// The same for rows, which are read together up to one that is pending.
  private func forEachContent(
    of rowIDs: [RowID], _ scratch: inout ScratchObject, _ body: (StoredObject) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard let classID, !rowIDs.isEmpty else { return }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var start = 0
    while start < rowIDs.count {
      if isPending(rowIDs[start]), let object = table.identity[rowIDs[start]] {
        try body(object)
        start += 1
        continue
      }
      var end = start + 1
      while end < rowIDs.count, end - start < 4096, !isPending(rowIDs[end]) { end += 1 }
      try read(rowIDs[start..<end], of: classID, into: chunk)
      try references?.prepare(chunk)
      for slice in chunk.slices { try body(try scratch.read(slice, in: chunk)) }
      start += chunk.slices.count
    }
  }
}
