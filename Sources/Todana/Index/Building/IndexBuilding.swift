/// The build of indexes of one class while the store is in use.
///
/// As soon as the index trees exist, every save updates the entries of the rows that it changes. This includes rows
/// that the builder has not reached. The builder adds the entries of all rows of a snapshot. It adds an entry only if
/// its row is unchanged, which the batch checks by the row's token. It reads a changed row again, so that each row gets
/// all its entries, whichever program wrote it (IndexBuilding+Entries.swift).
///
/// The entries are sorted first, so that each commit changes few nodes of the tree. They are written in small commits,
/// so that other commits can run in between. The header records how far the build is, and which session does it
/// (IndexBuilding+Claim.swift). Rows with unreadable records are noted next to the entries (Store+SkippedRows.swift).
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
  /// The maximum number of entries that one commit adds.
  ///
  /// A concurrent commit waits for it as long as for a save of that many objects.
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
    try retrySkippedRows(unlessEnded: { try report(0, progress) })
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
      // The error concerns the temporary file.
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
        func reportEntries() throws {
          try report(
            base + (position * total + done) * (rowCount - rowCount / 2) / (indexes.count * total), progress)
        }
        try add(Array(entries), of: keys, unlessEnded: reportEntries)
        done += entries.count
        try reportEntries()
      }
    }
    doneCount += rowCount
    return nextRow
  }

  /// The maximum number of bytes of entries in memory; sorting needs the same amount again.
  private var keyByteLimit: Int { store.configuration.tuning.limitsMemory ? 8 << 20 : 96 << 20 }

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
          skipped.append(SkippedRow(slice, in: chunk))
          continue
        }
        for index in keys.indices { try keys[index].append(object, rowID: slice.rowID, token: scratch.token) }
      }
      if skipped.count >= Self.entryLimit {
        try skip(skipped, unlessEnded: { try report(doneCount + rowCount / 2, progress) })
        skipped = []
      }
      rowCount += chunk.slices.count
      try report(doneCount + rowCount / 2, progress)
    }
    try skip(skipped, unlessEnded: { try report(doneCount + rowCount / 2, progress) })
    return (rowCount, lastRow.map { $0 + 1 })
  }

  /// Notes rows in all indexes, or adds their entries if they have become readable.
  private func skip(_ rows: [SkippedRow], unlessEnded check: () throws -> Void) throws {
    for index in indexes { try addNewest(try note(rows, in: index), of: index, unlessEnded: check) }
  }

  func report(_ done: Int, _ progress: (IndexBuildingProgress) throws -> Void) throws {
    try progress(
      IndexBuildingProgress(
        className: table.name, indexNames: indexes.map(\.name), doneCount: min(done, totalCount),
        totalCount: totalCount))
    // The closure may have closed the store.
    if store.isClosed { throw StoreError(.closed, "The store was closed while indexes were built.") }
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
