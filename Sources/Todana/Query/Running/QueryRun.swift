/// A query that is being carried out in one state of a store.
struct QueryRun {
  let store: Store
  let table: ClassTable
  private(set) var query: QuerySpecification
  let includingPending: Bool
  /// For this run: it reports each record once.
  let onDamage: DamagePolicy
  let snapshot: any BackendSnapshot
  /// nil where nothing of the class is saved, or anything may be.
  let classID: KeyspaceID?
  let plan: ExecutionPlan
  /// Loads what the query reads through references; nil where it reads nothing through any.
  let references: ReferenceLoader?

  init(
    _ query: QuerySpecification, of table: ClassTable, in store: Store, includingPending: Bool,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) {
    try query.check()
    let readsOwnProperties = query.readsOwnProperties
    let paths = readsOwnProperties ? [] : query.paths
    for path in paths {
      if let problem = path.problem { throw StoreError(.invalidQuery, problem, className: table.name) }
    }
    self.store = store
    self.table = table
    self.query = query
    self.includingPending = includingPending
    self.onDamage = onDamage.reportingOnce
    classID = try table.classIDForReading()
    let snapshot = try store.snapshotForReading()
    self.snapshot = snapshot
    store.noteReading(ofCommit: snapshot.commitNumber)
    var usable = table.indexes.filter { index in
      guard let keyspace = index.keyspace, case .complete(let since) = store.session.indexes[keyspace] else {
        return false
      }
      return since <= snapshot.commitNumber
    }
    let recordCount: Int
    do throws(BackendError) {
      recordCount = try classID.map { classID throws(BackendError) in try snapshot.count(of: classID) } ?? 0
    } catch {
      throw store.translate(error)
    }
    func makePlan() throws(StoreError) -> ExecutionPlan {
      let planner = Planner(query, of: table, indexes: usable, recordCount: recordCount) {
        tree, range throws(StoreError) in
        do throws(BackendError) {
          return try snapshot.estimatedCount(tree: tree, from: range.lower, to: range.upper)
        } catch {
          throw store.translate(error)
        }
      }
      return try planner.plan()
    }
    var plan = try makePlan()
    // An index that skipped a row which can be read by now is left aside until it is built on.
    while store.session.indexes.mayAnySkipRows,
      let gap = try store.firstGap(of: plan.indexes, of: table, in: snapshot, includingPending: includingPending)
    {
      usable.removeAll { $0 === gap }
      plan = try makePlan()
    }
    self.plan = plan
    references =
      readsOwnProperties ? nil : ReferenceLoader(query.condition, paths: paths, table, snapshot, self.onDamage)
  }

  /// Reports the rows that indexes of the plan do not have, as each may belong to the result.
  func reportSkippedRows() throws(StoreError) {
    guard store.session.indexes.mayAnySkipRows else { return }
    for index in plan.indexes {
      let reasons = try store.reasons(
        forRowsSkippedBy: index, of: table, in: snapshot, isLeftOut: isPending, stopsAtFirst: !onDamage.isReporting)
      for reason in reasons ?? [] { try onDamage.handle(reason) }
    }
  }

  // MARK: Results

  /// A row of the result, with its record where that was read just now.
  typealias RowBody = (RowID, RecordChunk.Slice?, RecordChunk?) throws(StoreError) -> Bool

  /// The number of objects.
  func count() throws(StoreError) -> Int {
    if query.start != nil { return try rowIDs().count }
    let needed = query.neededCount ?? .max
    var total = try matchingPendingObjects().count
    if total < needed {
      try forEachMatch { _, _, _ throws(StoreError) in
        total += 1
        return total < needed
      }
    }
    return max(0, min(total, needed) - query.offset)
  }

  /// The number of the commit whose state it is carried out in.
  var commitNumber: CommitNumber { snapshot.commitNumber }

  /// All that is saved of the result, with what it is sorted by.
  func sortedRows() throws(StoreError) -> SortedRows {
    var sorted = SortedRows(by: query.sortKeys, limit: nil, start: query.start)
    var scratch = ScratchObject(store, table, references: references)
    try forEachMatch(needsRecords: true) { rowID, slice, chunk throws(StoreError) in
      if let slice, let chunk { try append(slice, in: chunk, rowID: rowID, to: &sorted, &scratch) }
      return true
    }
    sorted.sort()
    return sorted
  }

  /// Adds a row with what it is sorted by, if its record can be read.
  private func append(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, rowID: RowID, to sorted: inout SortedRows,
    _ scratch: inout ScratchObject
  ) throws(StoreError) {
    do throws(StoreError) {
      try sorted.append(scratch.read(slice, in: chunk), rowID: rowID)
    } catch {
      try onDamage.handle(error)
    }
  }

  /// The rows, in order.
  func rowIDs() throws(StoreError) -> [RowID] {
    var rowIDs: [RowID] = []
    try forEachRow(wantsRecords: false) { rowID, _, _ throws(StoreError) in
      rowIDs.append(rowID)
      return true
    }
    return rowIDs
  }

  /// The objects, loaded, in order.
  func forEachObject(_ body: (StoredObject) throws(StoreError) -> Bool) throws(StoreError) {
    var reader = store.makeReader()
    var waiting: [RowID] = []
    try forEachRow(wantsRecords: true) { rowID, slice, chunk throws(StoreError) in
      guard let slice, let chunk else {
        waiting.append(rowID)
        return true
      }
      do throws(StoreError) {
        let object = try store.object(
          for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
        guard let object else { return true }
        return try body(object)
      } catch {
        try onDamage.handle(error)
        return true
      }
    }
    try load(waiting, body)
  }

  /// Gives the objects of rows, read together as far as they are not in memory.
  private func load(
    _ rowIDs: [RowID], _ body: (StoredObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let classID, !rowIDs.isEmpty else { return }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var reader = store.makeReader()
    var start = 0
    while start < rowIDs.count {
      // The next ones that have to be read, up to one that does not.
      var end = start
      while end < rowIDs.count, end - start < 4096, liveObject(rowIDs[end]) == nil { end += 1 }
      if end == start {
        if let object = liveObject(rowIDs[start]), try !body(object) { return }
        start += 1
        continue
      }
      try read(rowIDs[start..<end], of: classID, into: chunk)
      for slice in chunk.slices {
        do throws(StoreError) {
          if slice.status == .absent { throw store.rowNotFound(slice.rowID, table) }
          guard
            let object = try store.object(
              for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
          else { continue }
          if try !body(object) { return }
        } catch {
          try onDamage.handle(error)
        }
      }
      start += chunk.slices.count
    }
  }

  private func liveObject(_ rowID: RowID) -> StoredObject? {
    guard let object = table.identity[rowID], !object.isFault else { return nil }
    return object
  }

  // MARK: Order

  /// Calls back for each row of the result, in order: those with their records first, then those without.
  func forEachRow(wantsRecords: Bool, _ body: RowBody) throws(StoreError) {
    if query.limit == 0 { return }
    let pending = try matchingPendingObjects()
    var givenCount = 0
    if pending.isEmpty, let given = try giveInOrder(wantsRecords: wantsRecords, body) {
      // What is left stands in no order.
      givenCount = given.count
      if given.isWhole { return }
    }
    var sorted = SortedRows(by: query.sortKeys, limit: query.neededCount, start: query.start)
    for object in pending {
      do throws(StoreError) {
        try sorted.append(object, rowID: object.rowID)
      } catch {
        try onDamage.handle(error)
      }
    }
    if query.sortKeys.isEmpty {
      try forEachMatch(needsRecords: wantsRecords && countsReadableOnly) { rowID, _, _ throws(StoreError) in
        sorted.append(rowID: rowID)
        return true
      }
    } else {
      var scratch = ScratchObject(store, table, references: references)
      try forEachMatch(needsRecords: true) { rowID, slice, chunk throws(StoreError) in
        if let slice, let chunk { try append(slice, in: chunk, rowID: rowID, to: &sorted, &scratch) }
        return true
      }
    }
    sorted.sort()
    for row in sorted.rows.dropFirst(query.offset + givenCount).prefix((query.limit ?? .max) - givenCount) {
      if try !body(row.rowID, nil, nil) { return }
    }
  }

  /// Gives rows as they are found, where that is the order of the result.
  ///
  /// - Returns: How many were given, and whether that is all; nil where they are not found in order.
  private func giveInOrder(
    wantsRecords: Bool, _ body: RowBody
  ) throws(StoreError) -> (count: Int, isWhole: Bool)? {
    guard let classID else { return (0, true) }
    var left = query.offset
    var count = 0
    let limit = query.limit ?? .max
    // Where there are no sort keys the row id tells.
    let firstRow = query.sortKeys.isEmpty ? query.start.map { $0.rowID == .max ? .max : $0.rowID + 1 } ?? 0 : 0
    func give(
      _ rowID: RowID, _ slice: RecordChunk.Slice?, _ chunk: RecordChunk?
    ) throws(StoreError) -> Bool {
      if rowID < firstRow { return true }
      if left > 0 {
        left -= 1
        return true
      }
      count += 1
      return try body(rowID, slice, chunk) && count < limit
    }
    switch (plan.access, plan.order) {
    case (.nothing, _): return (0, true)
    case (_, .sorted): return nil
    case (.scan, _):
      // All of them are found faster in another order.
      guard query.limit != nil else { return nil }
      try scanInOrder(classID, from: max(firstRow, 1), needsRecords: wantsRecords, give)
    case (.index(let access), .given):
      guard let start = query.start, !query.sortKeys.isEmpty else {
        // The count is known once the stream has ended.
        let isInOrder = try stream(access, needsRecords: wantsRecords, classID, give)
        return (count, isInOrder)
      }
      var isBehind = false
      var scratch = ScratchObject(store, table, references: references)
      let isInOrder = try stream(access.beginning(with: start, of: query), needsRecords: true, classID) {
        rowID, slice, chunk throws(StoreError) in
        if !isBehind, let slice, let chunk {
          var place = SortedRows(by: query.sortKeys, limit: nil, start: start)
          try append(slice, in: chunk, rowID: rowID, to: &place, &scratch)
          isBehind = !place.rows.isEmpty
        }
        return isBehind ? try give(rowID, slice, chunk) : true
      }
      return (count, isInOrder)
    case (.index(let access), .rows):
      try forEach(try rowIDs(of: [access], in: .any), needsRecords: wantsRecords, classID, give)
    case (.union(let accesses), _):
      try forEach(try rowIDs(of: accesses, in: .any), needsRecords: wantsRecords, classID, give)
    case (.intersection(let accesses), _):
      try forEach(try rowIDs(of: accesses, in: .all), needsRecords: wantsRecords, classID, give)
    }
    return (count, true)
  }

  /// Whether a limit or an offset counts only objects whose records can be read, for which all of them are read.
  var countsReadableOnly: Bool { onDamage.isReporting && (query.limit != nil || query.offset > 0) }

  /// Objects of this store that meet the condition and are not saved as they are.
  func matchingPendingObjects() throws(StoreError) -> [StoredObject] {
    guard includingPending, !table.pending.isEmpty else { return [] }
    if let references { try references.prepare(table.pending.objects.filter { !$0.state.contains(.deleted) }) }
    var matching: [StoredObject] = []
    for object in table.pending.objects where !object.state.contains(.deleted) {
      do throws(StoreError) {
        if try query.condition.holds(for: object) { matching.append(object) }
      } catch {
        // Of an object that it refers to.
        try onDamage.handle(error)
      }
    }
    return matching
  }

  /// Whether a row is judged by what is pending, not by what is saved.
  @inline(__always)
  func isPending(_ rowID: RowID) -> Bool {
    includingPending && !table.pending.isEmpty && table.identity[rowID]?.state.isPending == true
  }
}
