/// The merging of pending texts into a new segment, and of segments into larger ones.
///
/// It takes place in steps, while the store is in use:
///
/// 1. A commit claims all rows that there are: from now on, a save that changes one of them writes a pending entry.
/// 2. The rows of a state after that commit are read, and a segment is written in a keyspace of its own.
/// 3. A commit adopts the segment, and removes the pending entries of its rows. A row that was saved since has a newer
///    entry, which stays.
///
/// Both commits expect the header that was read, so that no two merges of several stores meet. A commit of a save never
/// waits for more than the second of these commits.
struct TextIndexMerge {
  private let store: Store
  private let table: ClassTable
  private let index: ClassTextIndex
  private let check: () throws -> Void

  /// The number of pending rows up to which a search tests their texts.
  static let pendingLimit = 4096
  /// The most rows of a segment that is made of records.
  private static let rowLimit = 131_072
  /// The number of rows from which on a segment is no small one.
  private static let smallLimit = 32_768
  /// The number of small segments that are merged at once.
  private static let fanIn = 16

  /// Prepares a merge.
  ///
  /// - Parameters:
  ///   - store: A store.
  ///   - table: Its table of the class.
  ///   - index: The text index.
  ///   - check: Called repeatedly; throws if the merge is to end.
  init(
    _ store: Store, _ table: ClassTable, _ index: ClassTextIndex, unlessEnded check: @escaping () throws -> Void
  ) {
    (self.store, self.table, self.index, self.check) = (store, table, index, check)
  }

  /// Merges rows until no more than `limit` are pending.
  ///
  /// - Throws: The errors of `check`; ``StoreError``.
  mutating func run(leaving limit: Int) throws {
    guard let tree = index.tree, let classID = table.classID else { return }
    do {
      while try isAbove(limit, tree, classID) {
        guard try repeating({ () throws in try mergeRows(tree, classID) }) else { return }
      }
      while try repeating({ () throws in try mergeSegments(tree) }) {}
    } catch let error as BackendError {
      throw store.translateTextError(error, of: index)
    }
  }

  /// Calls the closure again if the store's keys were renewed while it wrote a segment.
  private func repeating(_ body: () throws -> Bool) throws -> Bool {
    for _ in 0..<10 {
      do {
        return try body()
      } catch let error as BackendError where error.code == .interrupted {
        try check()
      }
    }
    return try body()
  }

  /// The approximate number of bytes in memory at which a segment ends.
  private var byteLimit: Int { store.configuration.tuning.limitsMemory ? 8 << 20 : 96 << 20 }

  private func newestState() throws -> (any BackendSnapshot, TextIndexState)? {
    let snapshot = try store.sealing.snapshot()
    return try TextIndexState(index, in: snapshot, of: store).map { (snapshot, $0) }
  }

  // MARK: Pending rows

  /// Tests whether more rows than a limit are pending.
  private func isAbove(_ limit: Int, _ tree: KeyspaceID, _ classID: KeyspaceID) throws -> Bool {
    guard let (snapshot, state) = try newestState() else { return false }
    var count = state.pending.lazy.filter { !$0.isUnreadable && $0.rowID <= state.header.mergedRow }.count
    if count > limit { return true }
    let bound = try snapshot.rowIDBound(of: classID)
    if let bound, bound <= state.header.mergedRow + 1 { return false }
    let scan = OrderedRowScan(of: classID, in: snapshot, from: state.header.mergedRow + 1, bound: bound)
    let chunk = RecordChunk(byteCapacity: 1 << 10, recordLimit: 4096, leavesOutValues: true)
    // A row that cannot be read is no reason for a merge; it is noted by the next one.
    while count <= limit, try store.next(of: scan, into: chunk, onDamage: .report { _ in }) {
      count += chunk.slices.count
    }
    return count > limit
  }

  /// Merges the next pending rows into a segment.
  ///
  /// - Returns: false if another store merges.
  private func mergeRows(_ tree: KeyspaceID, _ classID: KeyspaceID) throws -> Bool {
    guard try claim(tree, classID), let (snapshot, state) = try newestState(),
      state.header.token == store.session.textIndexes.header(of: tree)?.token
    else { return false }
    var rows = try MergedRows(store, table, index)
    let merged = state.header.mergedRow
    let changed = state.pending.prefix { $0.rowID <= merged }.filter { !$0.isUnreadable }.prefix(Self.rowLimit)
    var nextChanged = 0
    while nextChanged < changed.count, rows.byteCount < byteLimit {
      let part = changed[nextChanged..<min(nextChanged + 1024, changed.count)]
      try rows.add(part.map(\.rowID), in: snapshot, classID)
      nextChanged += part.count
      try check()
    }
    // Row ids of a segment ascend, so that the rows above follow those that have changed.
    var last = merged
    if nextChanged == changed.count {
      last = try rows.addRows(
        of: classID, in: snapshot, after: merged, through: state.header.claimedRow, limit: Self.rowLimit, byteLimit,
        unlessEnded: check)
    }
    var taken = Array(changed.prefix(nextChanged))
    taken += state.pending.filter { $0.rowID > merged && $0.rowID <= last && !$0.isUnreadable }
    try adopt(rows, through: last, taken, state, snapshot)
    return true
  }

  /// Claims all rows that there are.
  ///
  /// - Returns: false if another store merges.
  private func claim(_ tree: KeyspaceID, _ classID: KeyspaceID) throws -> Bool {
    guard let (snapshot, state) = try newestState() else { return false }
    var header = state.header
    header.claimedRow = max(header.mergedRow, try snapshot.rowIDBound(of: classID).map { max($0, 1) - 1 } ?? .max)
    return try commit(header, insteadOf: state.header, tree) { _ in }
  }

  /// Commits a header with further changes of the tree, and of segments.
  ///
  /// - Returns: false if another store has replaced the header.
  private func commit(
    _ header: TextIndexHeader, insteadOf former: TextIndexHeader, _ tree: KeyspaceID,
    _ append: (inout WriteBatch) -> Void
  ) throws(BackendError) -> Bool {
    var header = header
    header.renewToken()
    var batch = WriteBatch()
    store.append(header, to: tree, &batch, expecting: .token(former.token))
    append(&batch)
    batch.sort()
    do throws(BackendError) {
      store.noteCommit(try store.sealing.commit(batch, durability: .relaxed), durability: .relaxed)
    } catch {
      let isReplaced = error.conflicts.contains { position in
        batch.changes[position].keyspace == tree && batch.changes[position].expectation == .token(former.token)
      }
      guard error.code == .conflict, isReplaced else { throw error }
      store.session.textIndexes.note(nil, of: tree)
      return false
    }
    store.session.textIndexes.note(header, of: tree)
    return true
  }

  /// Writes the segment of rows, and adds it to the index.
  private func adopt(
    _ rows: borrowing MergedRows, through last: RowID, _ taken: [PendingText], _ state: TextIndexState,
    _ snapshot: any BackendSnapshot
  ) throws {
    var header = state.header
    (header.mergedRow, header.claimedRow) = (last, last)
    var written: KeyspaceID?
    // The keyspace exists as long as its loader, until it is adopted.
    let loading = try TextSegmentLoading(
      store, named: index.segmentName(header.nextSegment), byteCount: 2 * rows.byteCount, unlessEnded: check)
    if rows.rowCount > 0 {
      let info = try loading.write { sink throws(BackendError) in try rows.write(to: sink) }
      header.segments.append(.init(keyspace: loading.keyspace, info: info, staleCount: 0))
      header.nextSegment += 1
      written = loading.keyspace
    }
    let stale = try staleLists(of: taken.map(\.rowID), &header, state, snapshot)
    // A row that cannot be read gets an entry in place of its former one, or a first one.
    let allUnreadable = Set(rows.unreadable)
    var (taken, unreadable) = (taken, allUnreadable.subtracting(taken.map(\.rowID)))
    while true {
      do throws(BackendError) {
        _ = try commit(header, insteadOf: state.header, state.tree) { batch in
          if let written { batch.appendAdoption(of: written) }
          for (keyspace, list) in stale { append(.put, TextIndexKey.stale(keyspace), list, .anything, &batch) }
          for entry in taken where !allUnreadable.contains(entry.rowID) {
            append(.remove, TextIndexKey.pending(entry.rowID), [], .token(entry.token), &batch)
          }
          for entry in taken where allUnreadable.contains(entry.rowID) {
            note(entry.rowID, .token(entry.token), &batch)
          }
          for rowID in unreadable { note(rowID, .absent, &batch) }
        }
        return
      } catch {
        guard error.code == .conflict else { throw error }
        // Rows that were saved since have new entries, which stay. The newest state tells which.
        let newest = try TextIndexState(index, in: try store.sealing.snapshot(), of: store)?.pending ?? []
        let tokens = Dictionary(newest.map { ($0.rowID, $0.token) }, uniquingKeysWith: { first, _ in first })
        let count = taken.count + unreadable.count
        taken.removeAll { tokens[$0.rowID] != $0.token }
        unreadable = unreadable.filter { tokens[$0] == nil }
        if taken.count + unreadable.count == count { throw error }
      }
    }

    func note(_ rowID: RowID, _ expectation: WriteBatch.Expectation, _ batch: inout WriteBatch) {
      let entry = PendingText(rowID, isUnreadable: true)
      append(.put, TextIndexKey.pending(rowID), entry.value, expectation, &batch)
    }

    func append(
      _ kind: WriteBatch.Kind, _ key: [UInt8], _ value: [UInt8], _ expectation: WriteBatch.Expectation,
      _ batch: inout WriteBatch
    ) {
      let key = batch.arena.append(key)
      let value = batch.arena.append(value)
      batch.append(.init(keyspace: state.tree, kind: kind, expectation: expectation, key: .bytes(key), value: value))
    }
  }

  /// Returns the new lists of stale rows of the segments that have some of the rows.
  private func staleLists(
    of rowIDs: [RowID], _ header: inout TextIndexHeader, _ state: TextIndexState, _ snapshot: any BackendSnapshot
  ) throws -> [(KeyspaceID, [UInt8])] {
    var lists: [(KeyspaceID, [UInt8])] = []
    for (number, segment) in state.header.segments.enumerated() {
      let rows = rowIDs.filter(segment.info.rowIDs.contains)
      if rows.isEmpty { continue }
      let found = try store.segment(segment, in: snapshot).tables.rows(among: rows)
      let known = try state.staleRows(of: segment)
      let stale = Set(known).union(found).sorted()
      if stale.count == known.count { continue }
      header.segments[number].staleCount = stale.count
      lists.append((segment.keyspace, StaleRows.bytes(of: stale)))
    }
    return lists
  }

  // MARK: Segments

  /// Merges segments of about the same size, or removes the stale rows of one.
  ///
  /// - Returns: Whether segments were merged.
  private func mergeSegments(_ tree: KeyspaceID) throws -> Bool {
    guard let (snapshot, state) = try newestState() else { return false }
    let chosen = Self.chosen(of: state.header.segments)
    if chosen.isEmpty { return false }
    try checkNames(of: chosen)
    var header = state.header
    header.segments.removeAll { segment in chosen.contains { $0.keyspace == segment.keyspace } }
    var written: KeyspaceID?
    let loading = try TextSegmentLoading(
      store, named: index.segmentName(header.nextSegment),
      byteCount: chosen.reduce(0) { $0 + $1.info.byteCount }, unlessEnded: check)
    if chosen.contains(where: { $0.staleCount < $0.info.rowCount }) {
      var inputs: [(segment: TextSegment, dropped: [RowID])] = []
      for segment in chosen {
        inputs.append(
          (try store.segment(segment, in: snapshot), try state.staleRows(of: segment)))
      }
      let info = try loading.write { sink throws(BackendError) in try TextSegment.merge(inputs, to: sink) }
      header.segments.append(.init(keyspace: loading.keyspace, info: info, staleCount: 0))
      header.nextSegment += 1
      written = loading.keyspace
    }
    let isDone = try commit(header, insteadOf: state.header, tree) { batch in
      if let written { batch.appendAdoption(of: written) }
      for segment in chosen {
        batch.appendDrop(of: segment.keyspace)
        let key = batch.arena.append(TextIndexKey.stale(segment.keyspace))
        batch.append(.init(keyspace: tree, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
      }
    }
    if isDone { store.session.textIndexes.forget(tablesOf: chosen.map(\.keyspace)) }
    return isDone
  }

  /// Throws an error if keyspaces that are to be dropped are no segments of the index, as a damaged header may say.
  private func checkNames(of segments: [TextIndexHeader.Segment]) throws(BackendError) {
    let name = TextKeyspaceName(className: index.className, indexName: index.name)
    let own = try store.sealing.keyspaces().filter { $0.textName?.segment != nil && $0.textName?.index == name }
    for segment in segments where !own.contains(where: { $0.id == segment.keyspace }) {
      throw BackendError(
        .damaged, "The header of a text index has a wrong segment: rebuild the index.", keyspace: segment.keyspace)
    }
  }

  /// Returns the segments to merge: sixteen of a size class, or one with many stale rows.
  ///
  /// Small segments are merged when there are sixteen. Larger ones are merged when there are twice as many, because a
  /// search of many rows takes as long in several segments.
  static func chosen(of segments: [TextIndexHeader.Segment]) -> [TextIndexHeader.Segment] {
    if let worn = segments.first(where: { 4 * $0.staleCount > $0.info.rowCount }) { return [worn] }
    var classes: [Int: [TextIndexHeader.Segment]] = [:]
    for segment in segments { classes[sizeClass(segment.info.rowCount), default: []].append(segment) }
    for (number, members) in classes.sorted(by: { $0.key < $1.key }) {
      guard members.count >= (number == 0 ? fanIn : 2 * fanIn) else { continue }
      // Neighbours, so that most segments have rows of their own.
      return Array(members.sorted { $0.info.rowIDs.lowerBound < $1.info.rowIDs.lowerBound }.prefix(fanIn))
    }
    return []
  }

  /// Returns the class of a size: each has sixteen times as many rows as the one before.
  private static func sizeClass(_ rowCount: Int) -> Int {
    var (number, limit) = (0, smallLimit)
    while rowCount >= limit {
      (number, limit) = (number + 1, limit * fanIn)
    }
    return number
  }
}
