/// A query that is being carried out in one state of a store.
struct QueryRun {
  let store: Store
  let table: ClassTable
  var query: QuerySpecification
  let includingPending: Bool
  /// The policy of this run, which reports each record only once.
  let onDamage: DamagePolicy
  let snapshot: any BackendSnapshot
  /// The number of the class; nil in a read-only store that does not know the class.
  let classID: KeyspaceID?
  var plan: ExecutionPlan
  /// The number of the store's saves when the run began; a callback may save.
  private let saveCountAtStart: Int
  /// The loader of objects that the query reads through references; nil if it reads none.
  let references: ReferenceLoader?
  /// The reader of the objects that refer to those of the class; nil if the condition reads no inverse.
  let inverses: InverseSources?
  /// The text indexes in the state of the snapshot.
  let texts: TextIndexStates
  /// Whether the sort by relevance has the numbers that it depends on.
  var isRanked = false

  init(
    _ query: QuerySpecification, of table: ClassTable, in store: Store, includingPending: Bool,
    onDamage: DamagePolicy = .fail, readingRecords: Bool = true
  ) throws(StoreError) {
    try query.check(in: store)
    var query = query
    if query.condition.testsIdentities {
      query.condition = query.condition.resolvingIdentities(of: try table.classIDForReading())
      query.testsRows = true
    }
    let readsOwnProperties = query.readsOwnProperties
    let paths = readsOwnProperties ? [] : query.paths
    for path in paths {
      if let problem = path.problem { throw StoreError(.invalidQuery, problem, className: table.name) }
    }
    self.store = store
    self.table = table
    saveCountAtStart = store.saveCount
    self.query = query
    self.includingPending = includingPending
    self.onDamage = onDamage.reportingOnce
    classID = try table.classIDForReading()
    let snapshot = try store.snapshotForReading()
    self.snapshot = snapshot
    store.noteReading(ofCommit: snapshot.commitNumber)
    let usesKept = query.usesKeptReferences
    var usable = table.indexes.filter { index in
      if index.hasKeptReferences, !usesKept { return false }
      guard let keyspace = index.keyspace, case .complete(let since) = store.session.indexes[keyspace] else {
        return false
      }
      return since <= snapshot.commitNumber
    }
    let recordCount = try Self.recordCount(of: classID, in: snapshot, store)
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
    // An index that skipped a row which can now be read is not used until its building has continued.
    while store.session.indexes.mayAnySkipRows,
      let gap = try store.firstGap(of: plan.indexes, of: table, in: snapshot, includingPending: includingPending)
    {
      usable.removeAll { $0 === gap }
      plan = try makePlan()
    }
    inverses =
      paths.contains(where: \.readsInverse)
      ? InverseSources(table, in: snapshot, includingPending: includingPending) : nil
    texts = TextIndexStates(in: snapshot, of: store)
    self.plan = try Self.searchingTexts(
      insteadOf: plan, query, of: table, recordCount: recordCount, readingRecords: readingRecords, in: texts, store)
    references =
      readsOwnProperties ? nil : ReferenceLoader(query.condition, paths: paths, table, snapshot, self.onDamage)
    if query.startsAfterPending, !includingPending { try startAfterSavedValues() }
  }

  /// Whether all objects of the class are read.
  var isUnboundedScan: Bool {
    if case .scan = plan.access { return plan.fallback == nil }
    return false
  }

  /// The number of records of the class.
  var recordCount: Int { get throws(StoreError) { try Self.recordCount(of: classID, in: snapshot, store) } }

  private static func recordCount(
    of classID: KeyspaceID?, in snapshot: any BackendSnapshot, _ store: Store
  ) throws(StoreError) -> Int {
    guard let classID else { return 0 }
    do throws(BackendError) { return try snapshot.count(of: classID) } catch { throw store.translate(error) }
  }

  /// Takes the saved values of the object after which the result begins, because pending ones do not count.
  ///
  /// If the object is not saved, its position stays.
  private mutating func startAfterSavedValues() throws(StoreError) {
    guard let start = query.start, let classID, start.classNumber == classID.rawValue else { return }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    try read([start.rowID][...], of: classID, into: chunk)
    guard let slice = chunk.slices.first, slice.status == .found else { return }
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    let object = try scratch.read(slice, in: chunk)
    guard let keys = query.keys(of: object) else { return }
    query.start?.keys = keys
  }

  /// Reports the rows that the plan's indexes skipped, because each may belong to the result.
  func reportSkippedRows() throws(StoreError) {
    guard store.session.indexes.mayAnySkipRows else { return }
    for index in plan.indexes {
      let reasons = try store.reasons(
        forRowsSkippedBy: index, of: table, in: snapshot, isLeftOut: isPending, stopsAtFirst: !onDamage.isReporting)
      for reason in reasons ?? [] { try onDamage.handle(reason) }
    }
  }

  // MARK: Results

  /// A closure that receives a row of the result, and its record if that was just read.
  ///
  /// It returns false to stop.
  typealias RowBody = (RowID, RecordChunk.Slice?, RecordChunk?) throws(StoreError) -> Bool

  /// Returns the number of objects.
  func count() throws(StoreError) -> Int {
    if query.start != nil { return try rowIDs().count }
    // The order does not count, so that nothing is ranked.
    if isUnboundedScan, isRankedByIndex { try store.check(scan: self) }
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

  /// The position after which the result begins; nil for the beginning.
  var start: QueryPosition? { query.start }

  /// The number of the commit whose state is read.
  var commitNumber: CommitNumber { snapshot.commitNumber }

  /// Returns the saved rows of the result, with the keys that they are sorted by.
  func sortedRows() throws(StoreError) -> SortedRows {
    var sorted = SortedRows(by: query.sortKeys, limit: nil, start: query.start)
    try appendMatches(to: &sorted)
    sorted.sort()
    return sorted
  }

  /// Adds the saved rows that meet the condition, with their sort keys.
  func appendMatches(to sorted: inout SortedRows) throws(StoreError) {
    var scratch = ScratchObject(store, table, references: references, isForQuery: true)
    try forEachMatch(needsRecords: true) { rowID, slice, chunk throws(StoreError) in
      if let slice, let chunk { try append(slice, in: chunk, rowID: rowID, to: &sorted, &scratch) }
      return true
    }
  }

  /// Adds a row with its sort keys, if its record can be read.
  func append(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, rowID: RowID, to sorted: inout SortedRows,
    _ scratch: inout ScratchObject
  ) throws(StoreError) {
    do throws(StoreError) {
      try sorted.append(scratch.read(slice, in: chunk), rowID: rowID)
    } catch {
      try onDamage.handle(error)
    }
  }

  /// Returns the rows in the order of the query.
  ///
  /// - Parameter readableOnly: Whether the limit and the offset count only objects whose records can be read, if
  ///   unreadable records are reported.
  /// - Returns: The rows.
  /// - Throws: ``StoreError``.
  func rowIDs(readableOnly: Bool = false) throws(StoreError) -> [RowID] {
    var rowIDs: [RowID] = []
    try forEachRow(wantsRecords: readableOnly) { rowID, _, _ throws(StoreError) in
      rowIDs.append(rowID)
      return true
    }
    return rowIDs
  }

  /// Calls back with each object, loaded, in the order of the query.
  func forEachObject(_ body: (StoredObject) throws(StoreError) -> Bool) throws(StoreError) {
    var reader = store.makeReader()
    var waiting: [RowID] = []
    try forEachRow(wantsRecords: true) { rowID, slice, chunk throws(StoreError) in
      guard let slice, let chunk else {
        waiting.append(rowID)
        return true
      }
      do throws(StoreError) {
        guard let object = try object(slice, in: chunk, &reader) else { return true }
        return try body(object)
      } catch {
        try onDamage.handle(error)
        return true
      }
    }
    try forEachObject(of: waiting, body)
  }

  /// Calls back with the objects of rows.
  ///
  /// Rows of objects that are not in memory are read together.
  func forEachObject(
    of rowIDs: [RowID], _ body: (StoredObject) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let classID, !rowIDs.isEmpty else { return }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var reader = store.makeReader()
    var start = 0
    while start < rowIDs.count {
      // The next rows that have to be read, up to one whose object is loaded.
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
          guard let object = try object(slice, in: chunk, &reader) else { continue }
          if try !body(object) { return }
        } catch {
          try onDamage.handle(error)
        }
      }
      start += chunk.slices.count
    }
  }

  private func liveObject(_ rowID: RowID) -> StoredObject? {
    guard let object = table.identity[rowID], object.state.isDisjoint(with: [.fault, .deleted]) else { return nil }
    return object
  }

  /// Returns the object of a row that was read; nil if it was deleted since the run began.
  private func object(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, _ reader: inout DataBuffer
  ) throws(StoreError) -> StoredObject? {
    guard store.saveCount == saveCountAtStart else {
      return try store.newestObject(slice.rowID, of: table, includingPending: includingPending)
    }
    return try store.object(
      for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
  }

  /// Whether a limit or an offset counts only objects whose records can be read, so that all of these have to be read.
  var countsReadableOnly: Bool { onDamage.isReporting && (query.limit != nil || query.offset > 0) }

  /// Returns the pending objects of this store that meet the condition and are not deleted.
  func matchingPendingObjects() throws(StoreError) -> [StoredObject] {
    guard includingPending, !table.pending.isEmpty else { return [] }
    if let references {
      try testing { () throws(StoreError) in
        try references.prepare(table.pending.objects.filter { !$0.state.contains(.deleted) })
      }
    }
    var matching: [StoredObject] = []
    for object in table.pending.objects where !object.state.contains(.deleted) {
      do throws(StoreError) {
        if try testing({ () throws(StoreError) in try query.condition.holds(for: object) }) { matching.append(object) }
      } catch {
        // The error concerns an object that this object refers to.
        try onDamage.handle(error)
      }
    }
    return matching
  }

  /// Carries out tests of objects, which may read inverses.
  @inline(__always)
  func testing<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
    guard let inverses else { return try body() }
    return try inverses.whileTesting(body)
  }

  /// Tests whether a row is judged by its pending object, and not by its saved record.
  @inline(__always)
  func isPending(_ rowID: RowID) -> Bool {
    includingPending && !table.pending.isEmpty && table.identity[rowID]?.state.isPending == true
  }
}
