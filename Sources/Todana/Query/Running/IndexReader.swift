/// A reader of an access's entries, range by range, in the direction of the access.
///
/// Rows with equal values are given in the order of their ids.
struct IndexReader {
  private let store: Store
  private let snapshot: any BackendSnapshot
  private var access: IndexAccess
  private var nextRange = 0
  /// The range that is being read.
  private var range = ByteRange.everything
  private var scan: (any BackendScan)?
  private var chunk: RecordChunk
  /// The number of reads that returned entries.
  private var readCount = 0
  /// The entries of one value, which were read from last to first and are given in reverse.
  private var group: [RowID] = []
  private var groupKey: [UInt8] = []
  /// Whether the current scan reads the entries of one value in the order of their row ids.
  private var readsGroup = false
  /// The rest of the range from which the current scan took one value's entries.
  private var rest: ByteRange?
  /// The number of entries of one value from which they are read in a scan of their own.
  private static let longGroup = 128

  /// Whether an entry was read whose text is cut, so that its place does not determine its order.
  private(set) var metCutEntry = false

  init(_ access: IndexAccess, _ store: Store, _ snapshot: any BackendSnapshot) {
    self.access = access
    self.store = store
    self.snapshot = snapshot
    chunk = store.takeIndexChunk()
  }

  /// Ends reading, and gives the chunk back to the store.
  mutating func finish() {
    scan = nil
    store.giveBackIndexChunk(chunk)
  }

  /// Appends the row ids of some more entries.
  ///
  /// - Returns: false at the end.
  mutating func read(into rows: inout [RowID]) throws(StoreError) -> Bool {
    while true {
      switch try readOn() {
      case .end: return false
      case .endOfRange: if endGroup(into: &rows) { return true }
      case .entries:
        let count = rows.count
        for slice in chunk.slices { try take(slice, into: &rows) }
        // Turning a long group around would read all of it first.
        if !readsGroup, group.count >= max(chunk.slices.count, Self.longGroup) { readGroupForwards() }
        useLargeChunk()
        if rows.count > count { return true }
      }
    }
  }

  /// Calls back for each entry with its row, until the callback returns false.
  mutating func forEachEntry(
    _ body: (RecordChunk.Slice, RecordChunk, RowID) throws(StoreError) -> Bool
  ) throws(StoreError) {
    while true {
      switch try readOn() {
      case .end: return
      case .endOfRange: continue
      case .entries:
        for slice in chunk.slices where try !body(slice, chunk, try rowID(of: slice)) { return }
        useLargeChunk()
      }
    }
  }

  private enum Step { case entries, endOfRange, end }

  /// Reads some more entries into the chunk.
  private mutating func readOn() throws(StoreError) -> Step {
    if scan == nil {
      guard let range = nextPart() else { return .end }
      let (keyspace, isDescending) = (access.keyspace, access.isDescending && !readsGroup)
      do throws(BackendError) {
        scan = try snapshot.scan(tree: keyspace, from: range.lower, to: range.upper, descending: isDescending)
      } catch {
        throw store.translate(error)
      }
    }
    guard let scan else { return .endOfRange }
    try store.checkForCancellationOfReader()
    do throws(BackendError) { try scan.next(into: chunk) } catch { throw store.translate(error) }
    if !chunk.slices.isEmpty { return .entries }
    self.scan = nil
    return .endOfRange
  }

  /// Returns the range to be read next; nil at the end.
  private mutating func nextPart() -> ByteRange? {
    readsGroup = false
    if let group = access.firstGroup.take() {
      readsGroup = true
      return group
    }
    if let rest = rest.take() { return rest }
    guard nextRange < access.ranges.count else { return nil }
    range = access.ranges[access.isDescending ? access.ranges.count - 1 - nextRange : nextRange]
    nextRange += 1
    return range
  }

  /// Ends the scan that has come to a long group of entries of one value, to read them in the order of their row ids
  /// first, and then the rest of the range.
  private mutating func readGroupForwards() {
    access.firstGroup = range.intersection(ByteRange(prefix: groupKey))
    rest = range.intersection(ByteRange(lower: [], upper: groupKey))
    group.removeAll(keepingCapacity: true)
    groupKey = []
    scan = nil
  }

  /// Switches to a large chunk if the caller reads more than once.
  ///
  /// A single read needs less memory.
  private mutating func useLargeChunk() {
    readCount += 1
    if readCount > 1, chunk.recordLimit < Store.largeIndexChunk { chunk = store.enlargedIndexChunk(chunk) }
  }

  private func rowID(of slice: RecordChunk.Slice) throws(StoreError) -> RowID {
    guard slice.status == .found, let rowID = IndexEntry.rowID(of: slice, in: chunk) else {
      throw StoreError(
        .damagedIndex, "An entry of the index \"\(access.index.name)\" is damaged: rebuild it.",
        className: access.index.className)
    }
    return rowID
  }

  private mutating func take(_ slice: RecordChunk.Slice, into rows: inout [RowID]) throws(StoreError) {
    let rowID = try rowID(of: slice)
    if !slice.value.isEmpty, IndexEntry.isCut(slice) { metCutEntry = true }
    guard access.isDescending, !readsGroup else { return rows.append(rowID) }
    let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
    let values = unsafe slice.value.count >= 8 ? key : UnsafeRawBufferPointer(rebasing: key.dropLast(8))
    if !(unsafe values.elementsEqual(groupKey)) {
      _ = endGroup(into: &rows)
      groupKey = unsafe Array(values)
    }
    group.append(rowID)
  }

  /// Gives the entries of one value in the order of their row ids.
  private mutating func endGroup(into rows: inout [RowID]) -> Bool {
    guard !group.isEmpty else { return false }
    rows.append(contentsOf: group.reversed())
    group.removeAll(keepingCapacity: true)
    return true
  }
}

extension Store {
  /// The number of entries in a large chunk of an index.
  static let largeIndexChunk = 4096

  func takeIndexChunk() -> RecordChunk {
    defer { spareIndexChunk = nil }
    return spareIndexChunk ?? RecordChunk(byteCapacity: 8 << 10, recordLimit: 128)
  }

  func giveBackIndexChunk(_ chunk: RecordChunk) {
    if chunk.recordLimit < Self.largeIndexChunk { spareIndexChunk = chunk }
  }

  /// Returns a large chunk for a reader that reads on, and keeps its first chunk for the next reader.
  func enlargedIndexChunk(_ chunk: RecordChunk) -> RecordChunk {
    spareIndexChunk = chunk
    return RecordChunk(byteCapacity: 128 << 10, recordLimit: Self.largeIndexChunk)
  }
}
