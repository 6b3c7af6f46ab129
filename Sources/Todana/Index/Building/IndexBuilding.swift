/// The build of indexes of one class while the store is in use.
///
/// As soon as the index trees exist, every save maintains the entries of the rows that it changes, whether or not the
/// builder has reached them. The builder adds the entries of all rows of a snapshot. It adds an entry only if its row
/// is unchanged, which the batch checks by the row's token. If a row has changed, the save that changed it has already
/// written its entries.
///
/// The entries are sorted first, so that each commit changes few nodes of the tree. They are written in small commits,
/// so that other commits can run in between. The header records how far the build is, and which session does it
/// (IndexBuilding+Claim.swift). Rows with unreadable records are noted beside the entries (Store+SkippedRows.swift).
struct IndexBuilding {
  let store: Store
  let table: ClassTable
  let indexes: [ClassIndex]
  /// The tokens of the index headers that this build has written.
  var claims = SmallMap<KeyspaceID, UInt64>()
  private let totalCount: Int
  private var doneCount = 0

  /// The maximum number of rows whose entries are sorted together.
  ///
  /// A larger number would need a large temporary file, and more work would be repeated after an interruption.
  private static let rowLimit = 1 << 24
  /// The maximum number of entries that one commit adds; another commit waits for it as long as for a save of as many
  /// objects.
  static let entryLimit = 2048

  init(_ store: Store, _ table: ClassTable, _ indexes: [ClassIndex]) throws(StoreError) {
    self.store = store
    self.table = table
    self.indexes = indexes
    totalCount = try table.classID.map { classID throws(StoreError) in try store.savedCount(of: classID) } ?? 0
  }

  mutating func run(_ progress: (IndexBuildingProgress) throws -> Void) throws {
    do {
      try build(progress)
    } catch {
      if !(error is IndexTakeover) { giveUp() }
      throw error
    }
  }

  private mutating func build(_ progress: (IndexBuildingProgress) throws -> Void) throws {
    var first = try claim()
    try retrySkippedRows()
    while let next = try addRows(from: first, progress) {
      try commitHeaders(.building, nextRow: next)
      first = next
    }
    let commit = try commitHeaders(.complete, nextRow: first)
    for index in indexes {
      if let keyspace = index.keyspace { store.session.indexes[keyspace] = .complete(since: commit) }
    }
  }

  /// Adds the entries of up to ``rowLimit`` rows.
  ///
  /// - Returns: The row from which to continue; nil at the end.
  private mutating func addRows(
    from first: RowID, _ progress: (IndexBuildingProgress) throws -> Void
  ) throws -> RowID? {
    do {
      return try addSortedRows(from: first, progress)
    } catch let error as BackendError {
      // It is an error of the temporary file.
      throw store.translate(error)
    }
  }

  private mutating func addSortedRows(
    from first: RowID, _ progress: (IndexBuildingProgress) throws -> Void
  ) throws -> RowID? {
    var keys = indexes.map { KeySorter($0, byteLimit: keyByteLimit / indexes.count) }
    let (rowCount, nextRow) = try readRows(from: first, &keys, progress)
    guard let nextRow else { return nil }
    let base = doneCount + rowCount / 2
    // Each sorter is removed after its use, which releases its memory.
    keys.reverse()
    while let sorter = keys.popLast() {
      let (total, position) = (sorter.count, indexes.count - 1 - keys.count)
      var done = 0
      try sorter.forEach(Self.entryLimit) { entries, keys in
        try commit(Array(entries), of: keys)
        done += entries.count
        try report(
          base + (position * total + done) * (rowCount - rowCount / 2) / (indexes.count * total), progress)
      }
    }
    doneCount += rowCount
    return nextRow
  }

  /// The maximum number of bytes of entries in memory; sorting needs the same amount again.
  private var keyByteLimit: Int { store.configuration.backendOptions.limitsMemory ? 8 << 20 : 96 << 20 }

  /// Reads rows of the current state, and collects their keys.
  ///
  /// - Returns: The number of rows read, and the row from which to continue; nil if there were no rows.
  private func readRows(
    from first: RowID, _ keys: inout [KeySorter], _ progress: (IndexBuildingProgress) throws -> Void
  ) throws -> (count: Int, nextRow: RowID?) {
    guard let classID = table.classID else { return (0, nil) }
    let snapshot = try store.onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    let bound = try store.onBackend { _ throws(BackendError) in try snapshot.rowIDBound(of: classID) }
    let scan = OrderedRowScan(of: classID, in: snapshot, from: first, bound: bound)
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var scratch = ScratchObject(store, table)
    var skipped: [SkippedRow] = []
    var rowCount = 0
    var lastRow: RowID?
    while rowCount < Self.rowLimit, try store.next(of: scan, into: chunk) {
      for slice in chunk.slices {
        lastRow = slice.rowID
        let object: StoredObject
        do throws(StoreError) {
          object = try scratch.read(slice, in: chunk)
        } catch {
          guard error.isAboutRecords else { throw error }
          let record = unsafe chunk.value(of: slice)
          let hasToken = slice.status == .found && record.count >= RecordEnvelope.trailerByteCount
          skipped.append(SkippedRow(rowID: slice.rowID, token: hasToken ? unsafe recordToken(record) : nil))
          continue
        }
        for index in keys.indices { try keys[index].append(object, rowID: slice.rowID, token: scratch.token) }
      }
      if skipped.count >= Self.entryLimit {
        try note(skipped)
        skipped = []
      }
      rowCount += chunk.slices.count
      try report(doneCount + rowCount / 2, progress)
    }
    try note(skipped)
    return (rowCount, lastRow.map { $0 + 1 })
  }

  private func report(_ done: Int, _ progress: (IndexBuildingProgress) throws -> Void) throws {
    try progress(
      IndexBuildingProgress(
        className: table.name, indexNames: indexes.map(\.name), doneCount: min(done, totalCount),
        totalCount: totalCount))
    // The closure may have closed the store.
    if store.isClosed { throw StoreError(.closed, "The store was closed while it built indexes.") }
  }

  /// Adds entries in one commit, except those of rows that were changed since they were read.
  func commit(_ entries: [IndexKeys.Entry], of keys: IndexKeys) throws {
    guard let keyspace = keys.index.keyspace, let classID = table.classID else { return }
    try refuseRepetitions(among: entries, of: keys)
    var entries = entries
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
        return
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
      }
    }
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

  @discardableResult
  private mutating func commitHeaders(_ state: IndexHeader.State, nextRow: RowID) throws -> CommitNumber {
    var headers: [(KeyspaceID, IndexHeader)] = []
    for index in indexes {
      guard let keyspace = index.keyspace else { continue }
      var header = IndexHeader(state: state, nextRow: nextRow, signature: index.signature)
      if state == .complete, store.session.indexes.skipsRows(keyspace) {
        if try store.skippedRows(of: keyspace, limit: 1).isEmpty {
          store.session.indexes.setSkipsRows(false, keyspace)
        } else {
          header.state = .completeButSkippedRows
        }
      }
      headers.append((keyspace, header))
    }
    return try commitHeaders(headers)
  }
}
