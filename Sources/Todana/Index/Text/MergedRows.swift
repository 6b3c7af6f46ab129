/// The rows of a new segment.
struct MergedRows: ~Copyable {
  private let store: Store
  private let index: ClassTextIndex
  private let builder: TextSegmentBuilder
  private var scratch: ScratchObject
  /// The rows whose records could not be read, or whose texts are too long, in ascending order.
  private(set) var unreadable: [RowID] = []

  init(_ store: Store, _ table: ClassTable, _ index: ClassTextIndex) throws(BackendError) {
    (self.store, self.index) = (store, index)
    scratch = ScratchObject(store, table)
    builder = try TextSegmentBuilder(
      keepsPositions: index.declaration.keepsPositions, findsSubstrings: index.declaration.findsSubstrings,
      stemmer: index.analyzer.stemmer)
  }

  var rowCount: Int { builder.rowCount }
  var byteCount: Int { builder.byteCount }

  func write(to sink: TextPageSink) throws(BackendError) -> TextSegmentInfo { try builder.write(to: sink) }

  /// Adds rows, of which some may have been deleted.
  mutating func add(_ rowIDs: [RowID], in snapshot: any BackendSnapshot, _ classID: KeyspaceID) throws {
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var rest = rowIDs[...]
    while !rest.isEmpty {
      try snapshot.read(rows: rest.span, of: classID, into: chunk)
      if chunk.slices.isEmpty { throw BackendError(wrongAnswer: "no result for requested rows") }
      for slice in chunk.slices where slice.status != .absent { try add(slice, in: chunk) }
      rest = rest.dropFirst(chunk.slices.count)
    }
  }

  /// Adds the rows after one, until there are enough.
  ///
  /// - Returns: The last row of which no one before is left out.
  mutating func addRows(
    of classID: KeyspaceID, in snapshot: any BackendSnapshot, after first: RowID, through last: RowID, limit: Int,
    _ byteLimit: Int, unlessEnded check: () throws -> Void
  ) throws -> RowID {
    guard first < last else { return first }
    let bound = try snapshot.rowIDBound(of: classID) ?? (last == .max ? nil : last + 1)
    let scan = OrderedRowScan(of: classID, in: snapshot, from: first + 1, bound: bound)
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    var reached = first
    while rowCount < limit, byteCount < byteLimit {
      try scan.next(into: chunk)
      // The rows that there are now are at most `last`.
      if chunk.slices.isEmpty { return last == .max ? reached : last }
      for slice in chunk.slices {
        if slice.rowID > last { return last }
        try add(slice, in: chunk)
        reached = slice.rowID
      }
      try check()
    }
    return reached
  }

  private mutating func add(_ slice: RecordChunk.Slice, in chunk: RecordChunk) throws {
    let texts: [TextList]
    do throws(StoreError) {
      texts = try index.texts(of: try scratch.read(slice, in: chunk))
      guard texts.allSatisfy({ $0.allSatisfy(TextSegmentBuilder.takes) }) else { return unreadable.append(slice.rowID) }
    } catch {
      guard error.isAboutRecords else { throw error }
      unreadable.append(slice.rowID)
      return
    }
    try builder.add(slice.rowID, texts)
  }
}
