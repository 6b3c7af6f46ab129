/// The merging of the segments of a text index into larger ones, and the removal of rows that are no longer theirs.
///
/// It needs no declaration of the index: terms are copied. A new segment is written in a keyspace of its own, and takes
/// the place of the former ones in a small commit, which expects the header that was read.
struct TextSegmentMerge {
  private let store: Store
  private let name: TextKeyspaceName
  private let tree: KeyspaceID
  private let check: () throws -> Void

  /// The number of rows from which on a segment is no small one.
  private static let smallLimit = 32_768
  /// The number of small segments that are merged at once.
  private static let fanIn = 16

  /// Prepares a merge.
  ///
  /// - Parameters:
  ///   - store: A store.
  ///   - name: The name of the index's tree.
  ///   - tree: The tree.
  ///   - check: Called repeatedly; throws if the merge is to end.
  init(_ store: Store, _ name: TextKeyspaceName, _ tree: KeyspaceID, unlessEnded check: @escaping () throws -> Void) {
    (self.store, self.name, self.tree, self.check) = (store, name, tree, check)
  }

  /// Calls the closure again if the store's keys were renewed while it wrote a segment.
  static func repeating<Result>(_ check: () throws -> Void, _ body: () throws -> Result) throws -> Result {
    for _ in 0..<10 {
      do {
        return try body()
      } catch let error as BackendError where error.code == .interrupted {
        try check()
      }
    }
    return try body()
  }

  private func newestHeader() throws(BackendError) -> (any BackendSnapshot, TextIndexHeader)? {
    let snapshot = try store.sealing.snapshot()
    return try TextIndexState.header(of: tree, in: snapshot, store).map { (snapshot, $0) }
  }

  /// Merges segments of about the same size, or removes the stale rows of one.
  ///
  /// - Returns: Whether segments were merged.
  /// - Throws: The errors of `check`; ``BackendError``.
  func mergeSome() throws -> Bool {
    guard let (snapshot, header) = try newestHeader() else { return false }
    let chosen = Self.chosen(of: header.segments)
    if chosen.isEmpty { return false }
    var inputs: [Input] = []
    for segment in chosen {
      inputs.append((segment, try TextIndexState.staleRows(of: segment, tree, in: snapshot)))
    }
    return try replace(inputs, header, snapshot)
  }

  /// Removes the rows from all segments that were changed or deleted since they were merged.
  ///
  /// Rows that are pending stay so.
  ///
  /// - Throws: The errors of `check`; ``BackendError``.
  func removeFormerRows() throws {
    // Each round removes the rows of one segment. Between two rounds, another store may replace the header.
    for _ in 0..<100_000 {
      guard let (snapshot, header) = try newestHeader() else { return }
      let pending = try TextIndexState.pending(of: tree, in: snapshot).map(\.rowID)
      var former: Input?
      for segment in header.segments where former == nil {
        let stale = try TextIndexState.staleRows(of: segment, tree, in: snapshot)
        let within = pending.filter(segment.info.rowIDs.contains)
        let changed = within.isEmpty ? [] : try store.segment(segment, in: snapshot).tables.rows(among: within)
        let dropped = changed.isEmpty ? stale : Set(stale).union(changed).sorted()
        if !dropped.isEmpty { former = (segment, dropped) }
      }
      guard let former else { return }
      _ = try Self.repeating(check) { () throws in try replace([former], header, snapshot) }
      try check()
    }
  }

  /// A segment, with the rows that are left out.
  private typealias Input = (segment: TextIndexHeader.Segment, dropped: [RowID])

  /// Replaces segments by one with their rows.
  ///
  /// - Returns: false if another store has replaced the header.
  private func replace(
    _ inputs: [Input], _ former: TextIndexHeader, _ snapshot: any BackendSnapshot
  ) throws -> Bool {
    let keyspaces = inputs.map(\.segment.keyspace)
    try checkNames(of: keyspaces)
    var header = former
    header.segments.removeAll { keyspaces.contains($0.keyspace) }
    var written: KeyspaceID?
    var numbered = name
    numbered.segment = header.nextSegment
    let loading = try TextSegmentLoading(
      store, named: numbered.bytes, byteCount: inputs.reduce(0) { $0 + $1.segment.info.byteCount }, unlessEnded: check)
    if inputs.contains(where: { $0.dropped.count < $0.segment.info.rowCount }) {
      var opened: [(segment: TextSegment, dropped: [RowID])] = []
      for input in inputs { opened.append((try store.segment(input.segment, in: snapshot), input.dropped)) }
      let info = try loading.write { sink throws(BackendError) in try TextSegment.merge(opened, to: sink) }
      header.segments.append(.init(keyspace: loading.keyspace, info: info, staleCount: 0))
      header.nextSegment += 1
      written = loading.keyspace
    }
    let isDone = try store.commit(header, insteadOf: former, of: tree) { batch in
      if let written { batch.appendAdoption(of: written) }
      for keyspace in keyspaces {
        batch.appendDrop(of: keyspace)
        let key = batch.arena.append(TextIndexKey.stale(keyspace))
        batch.append(.init(keyspace: tree, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
      }
    }
    if isDone { store.session.textIndexes.forget(tablesOf: keyspaces) }
    return isDone
  }

  /// Throws an error if keyspaces that are to be dropped are no segments of the index, as a damaged header may say.
  private func checkNames(of segments: [KeyspaceID]) throws(BackendError) {
    let own = try store.sealing.keyspaces().filter { $0.textName?.segment != nil && $0.textName?.index == name }
    for segment in segments where !own.contains(where: { $0.id == segment }) {
      throw BackendError(
        .damaged, "The header of a text index has a wrong segment: rebuild the index.", keyspace: segment)
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

extension Store {
  /// Commits a header with further changes of the tree, and of segments.
  ///
  /// - Returns: false if another store has replaced the former header.
  /// - Throws: ``BackendError``.
  func commit(
    _ header: TextIndexHeader, insteadOf former: TextIndexHeader, of tree: KeyspaceID,
    _ append: (inout WriteBatch) -> Void
  ) throws(BackendError) -> Bool {
    var header = header
    header.renewToken()
    var batch = WriteBatch()
    self.append(header, to: tree, &batch, expecting: .token(former.token))
    append(&batch)
    batch.sort()
    do throws(BackendError) {
      noteCommit(try sealing.commit(batch, durability: .relaxed), durability: .relaxed)
    } catch {
      let isReplaced = error.conflicts.contains { position in
        batch.changes[position].keyspace == tree && batch.changes[position].expectation == .token(former.token)
      }
      guard error.code == .conflict, isReplaced else { throw error }
      session.textIndexes.note(nil, of: tree)
      return false
    }
    session.textIndexes.note(header, of: tree)
    return true
  }
}
