/// A text index in one state of a store.
final class TextIndexState {
  let index: ClassTextIndex
  let tree: KeyspaceID
  let header: TextIndexHeader
  /// The entries of rows that saves have changed, in ascending order.
  let pending: [PendingText]
  private let snapshot: any BackendSnapshot
  private let store: Store
  /// The segments for searches; nil before the first one.
  private var opened: [OpenSegment]?

  /// A segment that searches read.
  struct OpenSegment {
    let segment: TextSegment
    /// The rows that the index has elsewhere, in ascending order.
    let stale: [RowID]
  }

  /// Reads a text index.
  ///
  /// - Returns: nil if the state has none that fits the declaration.
  init?(_ index: ClassTextIndex, in snapshot: any BackendSnapshot, of store: Store) throws(StoreError) {
    guard let tree = index.tree else { return nil }
    do throws(BackendError) {
      guard let header = try Self.header(of: tree, in: snapshot, store), header.signature == index.signature else {
        return nil
      }
      pending = try store.session.textIndexes.pending(of: tree, at: snapshot.commitNumber) {
        () throws(BackendError) in try Self.pending(of: tree, in: snapshot)
      }
      self.header = header
    } catch {
      throw store.translateTextError(error, of: index)
    }
    self.index = index
    self.tree = tree
    self.snapshot = snapshot
    self.store = store
  }

  /// Reads the header of a tree; nil if there is none, or if it has another format.
  static func header(
    of tree: KeyspaceID, in snapshot: any BackendSnapshot, _ store: Store
  ) throws(BackendError) -> TextIndexHeader? {
    let chunk = RecordChunk(byteCapacity: 8 << 10, recordLimit: 1)
    try snapshot.read(key: TextIndexKey.header, of: tree, into: chunk)
    guard let slice = chunk.slices.first, slice.status == .found else { return nil }
    let value = unsafe chunk.value(of: slice)
    if let known = store.session.textIndexes.header(of: tree), unsafe known.token == recordToken(value) {
      return known
    }
    return unsafe TextIndexHeader(value)
  }

  /// Reads the pending entries of a tree.
  static func pending(
    of tree: KeyspaceID, in snapshot: any BackendSnapshot
  ) throws(BackendError) -> [PendingText] {
    let bounds = TextIndexKey.allPending
    let scan = try snapshot.scan(tree: tree, from: bounds.lower, to: bounds.upper, descending: false)
    let chunk = RecordChunk(byteCapacity: 32 << 10)
    var entries: [PendingText] = []
    while true {
      try scan.next(into: chunk)
      if chunk.slices.isEmpty { return entries }
      for slice in chunk.slices {
        guard let entry = PendingText(slice, in: chunk) else {
          throw BackendError(.damaged, "An entry of a text index is damaged: rebuild the index.", keyspace: tree)
        }
        entries.append(entry)
      }
    }
  }

  /// The rows of segments that saves have changed, in ascending order.
  var changedRows: [RowID] { pending.lazy.map(\.rowID).filter { $0 <= header.mergedRow } }

  /// The first row that no segment has yet; a header has no higher number of a merged row than the one before the last.
  var firstUnmergedRow: RowID { header.mergedRow + 1 }

  /// Returns the segments, which are opened once for all searches of the state.
  ///
  /// - Throws: The errors of reading pages; ``BackendError/Code/damaged``, ``BackendError/Code/noMemory``.
  func segments() throws(BackendError) -> [OpenSegment] {
    if let opened { return opened }
    var segments: [OpenSegment] = []
    for segment in header.segments {
      segments.append(
        OpenSegment(
          segment: try store.segment(segment, in: snapshot, keepsPages: true), stale: try staleRows(of: segment)))
    }
    opened = segments
    return segments
  }

  /// Returns the stale rows of a segment, in ascending order.
  func staleRows(of segment: TextIndexHeader.Segment) throws(BackendError) -> [RowID] {
    try Self.staleRows(of: segment, tree, in: snapshot)
  }

  static func staleRows(
    of segment: TextIndexHeader.Segment, _ tree: KeyspaceID, in snapshot: any BackendSnapshot
  ) throws(BackendError) -> [RowID] {
    if segment.staleCount == 0 { return [] }
    let chunk = RecordChunk(byteCapacity: 8 << 10, recordLimit: 1)
    try snapshot.read(key: TextIndexKey.stale(segment.keyspace), of: tree, into: chunk)
    guard let slice = chunk.slices.first, slice.status == .found,
      let rows = unsafe StaleRows.rows(chunk.value(of: slice)), rows.count == segment.staleCount
    else { throw BackendError(.damaged, "A list of a text index is damaged: rebuild the index.", keyspace: tree) }
    return rows
  }
}

/// The text indexes that a query reads, in one state of a store.
final class TextIndexStates {
  private let snapshot: any BackendSnapshot
  private let store: Store
  private var known: [(index: ClassTextIndex, state: TextIndexState?)] = []

  init(in snapshot: any BackendSnapshot, of store: Store) {
    self.snapshot = snapshot
    self.store = store
  }

  /// Returns the state of an index, which is read once; nil as for ``TextIndexState/init(_:in:of:)``.
  func state(of index: ClassTextIndex) throws(StoreError) -> TextIndexState? {
    if let known = known.first(where: { $0.index === index }) { return known.state }
    let state = try TextIndexState(index, in: snapshot, of: store)
    known.append((index, state))
    return state
  }
}

extension Store {
  /// Translates an error of reading a text index.
  ///
  /// Records are not affected by a damaged index.
  func translateTextError(_ error: BackendError, of index: ClassTextIndex) -> StoreError {
    guard error.code == .damaged else { return translate(error) }
    return StoreError(
      .damagedIndex, "The text index \"\(index.name)\" is damaged: rebuild it.", className: index.className,
      underlying: error)
  }
}
