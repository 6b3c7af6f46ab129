// Finding the rows of a plan, and testing their records.
extension QueryRun {
  /// Calls back for each saved row that meets the condition, in any order.
  func forEachMatch(needsRecords: Bool = false, _ body: RowBody) throws(StoreError) {
    guard let classID else { return }
    // The order does not matter here, so that the fallback ends as early.
    if case .scan = plan.access, let rest = continuing(after: 0) {
      return try rest.forEachMatch(needsRecords: needsRecords, body)
    }
    switch plan.access {
    case .nothing: return
    case .scan: try scan(classID, needsRecords: needsRecords, body)
    case .rows(let rowIDs): try forEach(rowIDs, needsRecords: needsRecords, mayBeAbsent: true, classID, body)
    case .index(let access):
      if access.mayRepeat {
        try forEach(try rowIDs(of: [access], in: .any), needsRecords: needsRecords, classID, body)
      } else {
        _ = try stream(access, needsRecords: needsRecords, classID, ignoringOrder: true, body)
      }
    case .union(let accesses):
      try forEach(try rowIDs(of: accesses, in: .any), needsRecords: needsRecords, classID, body)
    case .intersection(let accesses):
      try forEach(try rowIDs(of: accesses, in: .all), needsRecords: needsRecords, classID, body)
    case .text(let access): try forEachTextMatch(access, needsRecords: needsRecords, classID, body)
    }
  }

  private func scan(_ classID: KeyspaceID, needsRecords: Bool, _ body: RowBody) throws(StoreError) {
    let scan: any BackendScan
    do throws(BackendError) { scan = try snapshot.scan(classID) } catch { throw store.translate(error) }
    _ = try forEachRecord(of: scan, needsRecords: needsRecords, body)
  }

  /// Calls back for each row that meets the condition in the order of the row ids, until the callback returns false.
  ///
  /// - Returns: false if the plan's fallback has to continue.
  func scanInOrder(
    _ classID: KeyspaceID, from first: RowID, needsRecords: Bool, _ body: RowBody
  ) throws(StoreError) -> Bool {
    let bound: RowID?
    do throws(BackendError) { bound = try snapshot.rowIDBound(of: classID) } catch { throw store.translate(error) }
    return try forEachRecord(
      of: OrderedRowScan(of: classID, in: snapshot, from: first, bound: bound), needsRecords: needsRecords, body)
  }

  /// Calls back for each record that meets the condition.
  ///
  /// - Returns: false if the plan's fallback has to continue.
  private func forEachRecord(
    of scan: any BackendScan, needsRecords: Bool, _ body: RowBody
  ) throws(StoreError) -> Bool {
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var filter = RecordFilter(self, needsRecords: needsRecords)
    var count = 0
    // The count at which other threads help from then on. If they help others, this thread tests further records first.
    var helpedCount = scansInParallel ? ParallelScan.beginning : .max
    let testedLimit = plan.fallback?.testedCount ?? .max
    while true {
      if count >= testedLimit { return false }
      if count >= helpedCount {
        if let rest = ParallelScan(scan, of: table, in: store, condition: plan.residual) {
          try rest.forEachMatch(translatedBy: store, onDamage: onDamage, isLeftOut: isPending) {
            slice, chunk throws(StoreError) in try body(slice.rowID, slice, chunk)
          }
          return true
        }
        helpedCount = count + ParallelScan.beginning
      }
      guard try store.next(of: scan, into: chunk, onDamage: onDamage) else { return true }
      if let references { try testing { () throws(StoreError) in try references.prepare(chunk) } }
      for slice in chunk.slices where !isPending(slice.rowID) {
        if try filter.passes(slice, in: chunk), try !body(slice.rowID, slice, chunk) { return true }
      }
      count += chunk.slices.count
    }
  }

  /// Whether several threads test the records of a scan, because there are many.
  var scansInParallel: Bool {
    if ThreadPool.usefulCount == 1 || plan.expectedCount < Double(2 * ParallelScan.beginning) { return false }
    if case .always = plan.residual { return false }
    if table.completeContent != nil { return false }
    return references == nil && !plan.residual.looksAtOtherObjects
  }

  /// Reads the rows of an index access until the callback returns false.
  ///
  /// - Returns: false if reading stopped because a text in an entry is cut, so that the index does not determine the
  ///   order, or because the plan's fallback has to continue. The rows given before are in order.
  func stream(
    _ access: IndexAccess, needsRecords: Bool, _ classID: KeyspaceID, ignoringOrder: Bool = false, _ body: RowBody
  ) throws(StoreError) -> Bool {
    var reader = IndexReader(access, store, snapshot)
    defer { reader.finish() }
    var rowIDs: [RowID] = []
    var testedCount = 0
    let testedLimit = ignoringOrder ? .max : plan.fallback?.testedCount ?? .max
    while try reader.read(into: &rowIDs) {
      if testedCount >= testedLimit { return false }
      testedCount += rowIDs.count
      if reader.metCutEntry, !ignoringOrder, !query.sortKeys.isEmpty { return false }
      var isWanted = true
      try forEach(rowIDs, needsRecords: needsRecords, classID) { rowID, slice, chunk throws(StoreError) in
        isWanted = try body(rowID, slice, chunk)
        return isWanted
      }
      if !isWanted { return true }
      rowIDs.removeAll(keepingCapacity: true)
    }
    return true
  }

  enum Combination { case any, all }

  /// Returns the rows that any or all of the accesses lead to, in ascending order without duplicates.
  func rowIDs(of accesses: [IndexAccess], in combination: Combination) throws(StoreError) -> [RowID] {
    var combined: [RowID] = []
    for (position, access) in accesses.enumerated() {
      var reader = IndexReader(access, store, snapshot)
      defer { reader.finish() }
      var rowIDs: [RowID] = []
      while try reader.read(into: &rowIDs) {}
      if position == 0 || combination == .any {
        combined += rowIDs
      } else {
        let others = Set(rowIDs)
        combined = combined.filter { others.contains($0) }
      }
    }
    combined.sort()
    var count = 0
    for rowID in combined where count == 0 || combined[count - 1] != rowID {
      combined[count] = rowID
      count += 1
    }
    combined.removeSubrange(count...)
    return combined
  }

  /// Calls back for each of the rows that meets the residual condition and is not pending.
  ///
  /// With `mayBeAbsent`, rows that do not exist are left out; otherwise an index is damaged.
  func forEach(
    _ rowIDs: [RowID], needsRecords: Bool, mayBeAbsent: Bool = false, _ classID: KeyspaceID, _ body: RowBody
  ) throws(StoreError) {
    let rowIDs = includingPending && !table.pending.isEmpty ? rowIDs.filter { !isPending($0) } : rowIDs
    var filter = RecordFilter(self, needsRecords: needsRecords)
    if !needsRecords, !mayBeAbsent, filter.passesAll {
      for rowID in rowIDs where try !body(rowID, nil, nil) { return }
      return
    }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    // The first batch has as many rows as may be enough.
    var batchCount = max(16, min(query.neededCount ?? 4096, 4096))
    var start = 0
    while start < rowIDs.count {
      let end = min(start + batchCount, rowIDs.count)
      try read(rowIDs[start..<end], of: classID, into: chunk)
      if let references { try testing { () throws(StoreError) in try references.prepare(chunk) } }
      for slice in chunk.slices {
        // The index and the records are read in the same state.
        guard slice.status != .absent else {
          if mayBeAbsent { continue }
          throw StoreError(
            .damagedIndex, "An index has an entry for a row that does not exist: rebuild the index.",
            className: table.name, rowID: slice.rowID)
        }
        if try filter.passes(slice, in: chunk), try !body(slice.rowID, slice, chunk) { return }
      }
      start += chunk.slices.count
      batchCount = 4096
    }
  }

  func read(
    _ rowIDs: ArraySlice<RowID>, of classID: KeyspaceID, into chunk: RecordChunk
  ) throws(StoreError) {
    try store.checkForCancellationOfReader()
    do throws(BackendError) {
      try snapshot.read(rows: rowIDs.span, of: classID, into: chunk)
    } catch {
      throw store.translate(error)
    }
    if chunk.slices.isEmpty {
      throw StoreError(.backend, "The backend returned no result for requested rows.")
    }
  }
}
