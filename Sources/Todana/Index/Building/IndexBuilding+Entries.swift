// The entries of rows, each of which is added only if its row is unchanged.
extension IndexBuilding {
  /// Adds the entries of rows.
  ///
  /// Rows that were changed since they were read are read again.
  ///
  /// - Parameters:
  ///   - entries: The entries, sorted.
  ///   - keys: The keys of the entries.
  ///   - check: Called before rows are read again; throws if the build is to end.
  /// - Returns: The rows that were changed and cannot be read now; they are noted.
  /// - Throws: ``UniqueViolation``; ``IndexTakeover``; ``StoreError``; the errors of `check`.
  @discardableResult
  func add(
    _ entries: [IndexKeys.Entry], of keys: IndexKeys, unlessEnded check: () throws -> Void
  ) throws -> Set<RowID> {
    try addNewest(try commit(entries, of: keys), of: keys.index, unlessEnded: check)
  }

  /// Reads rows in the newest state and adds their entries, or notes the rows that cannot be read.
  ///
  /// Repeats this for rows that are changed between the reading and the commit.
  ///
  /// - Returns: The rows that were noted.
  @discardableResult
  func addNewest(
    _ rowIDs: Set<RowID>, of index: ClassIndex, unlessEnded check: () throws -> Void
  ) throws -> Set<RowID> {
    guard let classID = table.classID else { return [] }
    var (rowIDs, noted) = (rowIDs, Set<RowID>())
    while !rowIDs.isEmpty {
      try check()
      var keys = IndexKeys(index)
      var skipped: [SkippedRow] = []
      var scratch = ScratchObject(store, table)
      try store.readNewestRows(rowIDs.sorted(), of: classID) { _, slice, chunk throws(StoreError) in
        if slice.status == .absent { return }
        do throws(StoreError) {
          try keys.append(try scratch.read(slice, in: chunk), rowID: slice.rowID, token: scratch.token)
        } catch {
          guard error.isAboutRecords else { throw error }
          skipped.append(SkippedRow(slice, in: chunk))
        }
      }
      keys.sort()
      let changed = try note(skipped, in: index)
      noted.formUnion(skipped.lazy.map(\.rowID).filter { !changed.contains($0) })
      rowIDs = try commit(keys.entries, of: keys).union(changed)
    }
    return noted
  }

  /// Adds entries in one commit, except those of rows that were changed since they were read.
  ///
  /// - Returns: The rows that were changed.
  private func commit(_ entries: [IndexKeys.Entry], of keys: IndexKeys) throws -> Set<RowID> {
    guard let keyspace = keys.index.keyspace, let classID = table.classID else { return [] }
    try refuseRepetitions(among: entries, of: keys)
    var entries = entries
    var changed: Set<RowID> = []
    while !entries.isEmpty {
      var batch = WriteBatch()
      for entry in entries.sorted(by: { $0.rowID < $1.rowID }) {
        // A row with an entry for each element is checked only once.
        if let last = batch.changes.last, last.key == .row(entry.rowID) { continue }
        batch.append(
          .init(
            keyspace: classID, kind: .check, expectation: .token(entry.token), key: .row(entry.rowID), value: 0..<0))
      }
      appendClaim(of: keyspace, to: &batch)
      let checkCount = batch.changes.count
      for entry in entries {
        let key = unsafe batch.arena.append(keys.bytes(of: entry))
        let value = IndexEntry.appendValue(of: entry, to: batch.arena)
        batch.append(
          .init(
            keyspace: keyspace, kind: .put, expectation: entry.endsInRow ? .anything : .absent, key: .bytes(key),
            value: value))
      }
      do throws(BackendError) {
        store.noteCommit(try store.sealing.commit(batch, durability: .bulk), durability: .bulk)
        return changed
      } catch {
        guard error.code == .conflict else { throw store.translate(error) }
        try checkClaims(in: batch, error)
        var left: Set<RowID> = []
        var done: Set<Int> = []
        for position in error.conflicts {
          if position < checkCount, case .row(let rowID) = batch.changes[position].key {
            left.insert(rowID)
          } else {
            done.insert(position - checkCount)
          }
        }
        for position in done where !left.contains(entries[position].rowID) {
          try refuseUnlessOwn(entries[position], of: keys, keyspace)
        }
        entries = entries.enumerated().filter { !done.contains($0.offset) && !left.contains($0.element.rowID) }
          .map(\.element)
        changed.formUnion(left)
      }
    }
    return changed
  }

  private func refuseRepetitions(among entries: [IndexKeys.Entry], of keys: IndexKeys) throws {
    for position in entries.indices.dropFirst()
    where IndexKeys.order(entries[position - 1], entries[position], keys.arena, keys.arena) == 0 {
      throw try violation(of: keys.index, entries[position - 1].rowID, entries[position].rowID)
    }
  }

  /// Throws ``UniqueViolation`` if a unique index has the values for another row.
  private func refuseUnlessOwn(_ entry: IndexKeys.Entry, of keys: IndexKeys, _ keyspace: KeyspaceID) throws {
    guard let other = try store.row(of: unsafe Array(keys.bytes(of: entry)), in: keyspace), other != entry.rowID else {
      return
    }
    throw try violation(of: keys.index, entry.rowID, other)
  }

  /// Makes a violation with the values of the object, which is loaded for that.
  private func violation(of index: ClassIndex, _ rowID: RowID, _ other: RowID) throws(StoreError) -> UniqueViolation {
    let object = table.objectOrFault(rowID)
    if object.isFault { try store.load(object, of: table) }
    return withExtendedLifetime(object) { store.uniqueViolation(of: index, rowID, other) }
  }
}
