/// The merging of pending texts into new segments, and of segments into larger ones.
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

  /// The weight of pending rows up to which a search tests their texts: 4,096 rows, or 16 MB in long records.
  static let pendingLimit = 4096

  /// Returns the weight of rows with so many bytes together.
  static func weight(rowCount: Int, byteCount: Int) -> Int { rowCount + byteCount / 4096 }

  /// The most rows of a segment that is made of records.
  private static let rowLimit = 131_072

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

  /// Merges rows until the weight of pending ones is no more than `limit`.
  ///
  /// - Throws: The errors of `check`; ``StoreError``.
  mutating func run(leaving limit: Int) throws {
    guard let tree = index.tree, let classID = table.classID else { return }
    do {
      while try isAbove(limit, tree, classID) {
        guard try TextSegmentMerge.repeating(check, { () throws in try mergeRows(tree, classID) }) else { return }
      }
      let segments = TextSegmentMerge(store, index.keyspaceName, tree, unlessEnded: check)
      while try TextSegmentMerge.repeating(check, { () throws in try segments.mergeSome() }) {}
    } catch let error as BackendError {
      throw store.translateTextError(error, of: index)
    }
  }

  /// The approximate number of bytes in memory at which a segment ends.
  private var byteLimit: Int { store.configuration.tuning.limitsMemory ? 8 << 20 : 96 << 20 }

  private func newestState() throws -> (any BackendSnapshot, TextIndexState)? {
    let snapshot = try store.sealing.snapshot()
    return try TextIndexState(index, in: snapshot, of: store).map { (snapshot, $0) }
  }

  // MARK: Pending rows

  /// Tests whether the weight of pending rows is above a limit.
  ///
  /// A row that cannot be read is no reason for a merge; it is noted by the next one.
  private func isAbove(_ limit: Int, _ tree: KeyspaceID, _ classID: KeyspaceID) throws -> Bool {
    guard let (snapshot, state) = try newestState() else { return false }
    let changed = state.pending.filter { !$0.isUnreadable && $0.rowID <= state.header.mergedRow }.map(\.rowID)
    var weight = changed.count
    if weight > limit { return true }
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var rest = changed[...]
    while !rest.isEmpty {
      try snapshot.read(rows: rest.span, of: classID, into: chunk)
      if chunk.slices.isEmpty { throw BackendError(wrongAnswer: "no result for requested rows") }
      weight += Self.weight(rowCount: 0, byteCount: chunk.arena.count)
      if weight > limit { return true }
      rest = rest.dropFirst(chunk.slices.count)
    }
    let bound = try snapshot.rowIDBound(of: classID)
    if let bound, bound <= state.firstUnmergedRow { return false }
    let scan = OrderedRowScan(of: classID, in: snapshot, from: state.firstUnmergedRow, bound: bound)
    while weight <= limit, try store.next(of: scan, into: chunk, onDamage: .report { _ in }) {
      weight += Self.weight(rowCount: chunk.slices.count, byteCount: chunk.arena.count)
    }
    return weight > limit
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
    return try store.commit(header, insteadOf: state.header, of: tree) { _ in }
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
        _ = try store.commit(header, insteadOf: state.header, of: state.tree) { batch in
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
}
