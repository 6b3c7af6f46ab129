/// A comparison of a text index with the records of its class, in one state of the store.
///
/// The texts of the records are read, and made into small segments, whose documents must be equal to those of the
/// index. If the store was not opened with the class, or with another declaration, only the rows are compared.
struct TextIndexVerification {
  /// Something that is missing or should not be there.
  struct Finding {
    let rowID: RowID?
    let message: String
  }

  private let store: Store
  private let snapshot: any BackendSnapshot
  private let tree: KeyspaceID
  /// The class and its index, if the store was opened with them.
  private let declared: (table: ClassTable, classID: KeyspaceID, index: ClassTextIndex)?
  private(set) var findings: [Finding] = []
  private(set) var rowCount = 0

  private static let findingLimit = 1000
  private static let rowsPerStep = 4096

  init(
    of tree: KeyspaceID, _ declared: (table: ClassTable, classID: KeyspaceID, index: ClassTextIndex)?,
    in store: Store, _ snapshot: any BackendSnapshot
  ) {
    (self.tree, self.declared, self.store, self.snapshot) = (tree, declared, store, snapshot)
  }

  /// Compares the index.
  ///
  /// - Parameters:
  ///   - rows: The rows of the class; nil if they are not fully known.
  ///   - progress: Called repeatedly with the number of compared rows; throws if the verification is to end.
  /// - Throws: The errors of `progress`; ``StoreError``. Damage is noted in ``findings``.
  mutating func run(comparedWith rows: RowSet?, _ progress: (Int) throws -> Void) throws {
    do {
      guard let header = try TextIndexState.header(of: tree, in: snapshot, store) else { return }
      let pending = Set(try TextIndexState.pending(of: tree, in: snapshot).map(\.rowID))
      var covered = RowSet()
      for segment in header.segments {
        try compare(segment, of: header, pending, &covered, with: rows, progress)
      }
      guard let rows else { return }
      rows.forEach { rowID in
        guard rowID <= header.mergedRow, !covered.contains(rowID), !pending.contains(rowID) else { return }
        add(rowID, "The index lacks the texts of the record.")
      }
    } catch let error as BackendError {
      guard error.code == .damaged else { throw store.translate(error) }
      add(nil, error.message)
    }
  }

  private mutating func add(_ rowID: RowID?, _ message: String) {
    if findings.count < Self.findingLimit { findings.append(Finding(rowID: rowID, message: message)) }
  }

  private mutating func compare(
    _ segment: TextIndexHeader.Segment, of header: TextIndexHeader, _ pending: Set<RowID>, _ covered: inout RowSet,
    with rows: RowSet?, _ progress: (Int) throws -> Void
  ) throws {
    // The tables in memory may be sound while the file is not.
    let source = store.pages(of: segment.keyspace, in: snapshot)
    let opened = try TextSegment(try TextSegmentTables(segment.info, from: source), source, cache: nil)
    let digests = try opened.digests()
    let hidden = pending.union(try TextIndexState.staleRows(of: segment, tree, in: snapshot))
    let index = declared.flatMap { $0.index.signature == header.signature ? $0 : nil }
    for start in stride(from: 0, to: digests.count, by: Self.rowsPerStep) {
      let documents = start..<min(start + Self.rowsPerStep, digests.count)
      let shown = zip(opened.tables.rowIDs(of: documents), digests[documents]).filter { !hidden.contains($0.0) }
      for (rowID, _) in shown {
        if rowID > header.mergedRow { add(rowID, "A segment of the index has a row which is not merged.") }
        if !covered.insert(rowID) { add(rowID, "Two segments of the index have the row.") }
        if rows?.contains(rowID) == false { add(rowID, "The index has a row which does not exist.") }
      }
      if let index { try compare(shown, index.table, index.classID, index.index) }
      rowCount += documents.count
      try progress(rowCount)
    }
  }

  /// Compares the digests of rows with those of the records' texts.
  private mutating func compare(
    _ shown: [(RowID, UInt64)], _ table: ClassTable, _ classID: KeyspaceID, _ index: ClassTextIndex
  ) throws {
    var merged = try MergedRows(store, table, index)
    try merged.add(shown.map(\.0), in: snapshot, classID)
    if merged.rowCount == 0 { return }
    let pages = PagesInMemory()
    let info = try merged.write(to: pages.sink)
    let expected = try TextSegment(try TextSegmentTables(info, from: pages.source), pages.source, cache: nil)
    let rowIDs = expected.tables.rowIDs(of: 0..<info.rowCount)
    let digests = Dictionary(zip(rowIDs, try expected.digests()), uniquingKeysWith: { first, _ in first })
    for (rowID, digest) in shown {
      // Records that cannot be read, and rows without a record, are noted elsewhere.
      guard let expected = digests[rowID], expected != digest else { continue }
      add(rowID, "The index has other texts than the record.")
    }
  }
}

/// The pages of a small segment in memory.
private final class PagesInMemory {
  private var pages: [UInt64: [UInt8]] = [:]

  var sink: TextPageSink {
    unsafe TextPageSink { number, bytes throws(BackendError) in self.pages[number] = unsafe Array(bytes) }
  }

  private(set) lazy var source = unsafe TextPageSource { [unowned self] number, buffer throws(BackendError) in
    guard let page = pages[number] else { throw BackendError(.damaged, "There is no page \(number).") }
    unsafe buffer.copyBytes(from: page)
    return page.count
  }
}
