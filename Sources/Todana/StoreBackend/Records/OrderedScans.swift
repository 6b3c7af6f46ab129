/// A scan of rows in the order of row ids, which reads by row id, so that it can begin anywhere.
final class OrderedRowScan: BackendScan {
  private let keyspace: KeyspaceID
  private let snapshot: any BackendSnapshot
  /// The first row id that was not read yet.
  private var first: RowID
  /// Whether the keyspace cannot be read at all; the error was thrown before.
  private var hasFailed = false
  /// A row id above all rows of the snapshot; nil if unknown.
  private let bound: RowID?
  /// The number of consecutive row ids without a row up to now.
  private var gapLength = 0
  /// The search for row ids; nil as long as row ids are dense enough to try each one.
  private var search: LeastElements<RowID>?

  /// The number of consecutive row ids without a row after which a search begins.
  private static let gapLimit = 16_384
  /// The maximum number of row ids that one pass of a search finds.
  private static let searchLimit = 1 << 20

  init(of keyspace: KeyspaceID, in snapshot: any BackendSnapshot, from first: RowID, bound: RowID?) {
    self.keyspace = keyspace
    self.snapshot = snapshot
    self.first = first
    self.bound = bound
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    while true {
      let rows = try nextRows(limit: chunk.recordLimit)
      guard let last = rows.last, !hasFailed else { return chunk.removeAll() }
      do throws(BackendError) {
        try snapshot.read(rows: rows.span, of: keyspace, into: chunk)
      } catch {
        hasFailed = error.code == .damaged
        throw error
      }
      let answeredCount = chunk.slices.count
      guard answeredCount > 0 else {
        throw BackendError(.inputOutput, "The backend returned no result for requested rows.")
      }
      let lastAnswered = answeredCount == rows.count ? last : rows[answeredCount - 1]
      first = lastAnswered == .max ? .max : lastAnswered + 1
      search?.elements.removeFirst(answeredCount)
      chunk.slices.removeAll { $0.status == .absent }
      // In a damaged chain any row may have been stored, so a damaged slice is no evidence of a row.
      gapLength = chunk.slices.contains { $0.status == .found } ? 0 : gapLength + answeredCount
      if !chunk.slices.isEmpty { return }
    }
  }

  /// Returns the row ids to read next; empty at the end.
  private func nextRows(limit: Int) throws(BackendError) -> [RowID] {
    if search == nil {
      if gapLength < Self.gapLimit {
        let end = min(bound ?? .max, first > .max - RowID(limit) ? .max : first + RowID(limit))
        return first < end ? Array(first..<end) : []
      }
      search = try LeastElements(of: keyspace, in: snapshot, limit: Self.searchLimit)
    }
    let first = first
    return try search?.next(limit, from: { $0 >= first }) { slice, _ in slice.rowID } ?? []
  }
}

/// A scan of byte keys in the order of their bytes, in a keyspace without order.
final class OrderedKeyScan: BackendScan {
  private let keyspace: KeyspaceID
  private let snapshot: any BackendSnapshot
  /// The last key that was delivered, or after which the scan began.
  private var last: Key?
  private var search: LeastElements<Key>?
  private let record = RecordChunk(byteCapacity: 4096, recordLimit: 1)

  private struct Key: Comparable {
    let bytes: [UInt8]
    static func < (lhs: Key, rhs: Key) -> Bool { lhs.bytes.lexicographicallyPrecedes(rhs.bytes) }
  }

  init(of keyspace: KeyspaceID, in snapshot: any BackendSnapshot, after last: [UInt8]?) {
    self.keyspace = keyspace
    self.snapshot = snapshot
    self.last = last.map(Key.init)
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    if search == nil { search = try LeastElements(of: keyspace, in: snapshot, limit: 1024) }
    while chunk.slices.count < chunk.recordLimit {
      let last = last
      let keys = try search?.next(1, from: { key in last.map { $0 < key } ?? true }) { slice, chunk in
        Key(bytes: unsafe [UInt8](chunk.arena.bytes[slice.key]))
      }
      guard let key = keys?.first else { return }
      try snapshot.read(key: key.bytes, of: keyspace, into: record)
      guard let slice = record.slices.first, slice.status != .absent else {
        throw BackendError(.inputOutput, "The backend found no record under a key that it had listed.")
      }
      guard unsafe chunk.append(key: key.bytes, record.value(of: slice), status: slice.status) else { return }
      self.last = key
      search?.elements.removeFirst()
    }
  }
}

/// A scan without records.
final class EmptyScan: BackendScan {
  func next(into chunk: RecordChunk) throws(BackendError) { chunk.removeAll() }
}

/// The smallest keys of a keyspace without order.
///
/// They are found by passes over the whole keyspace, each of which keeps up to `limit` keys.
private struct LeastElements<Element: Comparable> {
  /// The keys that were found and not yet taken, in order.
  var elements: ArraySlice<Element> = []
  private let keyspace: KeyspaceID
  private let snapshot: any BackendSnapshot
  private let limit: Int
  /// The pass in progress, which an error may have interrupted.
  private var scan: (any BackendScan)?
  private var found: [Element] = []
  private var isWhole = true
  private var hasPassed = false
  private let chunk = RecordChunk()

  init(of keyspace: KeyspaceID, in snapshot: any BackendSnapshot, limit: Int) throws(BackendError) {
    self.keyspace = keyspace
    self.snapshot = snapshot
    self.limit = limit
    scan = try snapshot.scan(keyspace)
  }

  /// Returns up to `count` of the least elements that are wanted; the caller removes them from `elements`.
  mutating func next(
    _ count: Int, from isWanted: (Element) -> Bool, _ element: (RecordChunk.Slice, RecordChunk) -> Element
  ) throws(BackendError) -> [Element] {
    if elements.isEmpty {
      // The last pass may have dropped some elements.
      if scan == nil, !isWhole {
        scan = try snapshot.scan(keyspace)
        isWhole = true
      }
      try pass(isWanted, element)
    }
    return Array(elements.prefix(count))
  }

  private mutating func pass(
    _ isWanted: (Element) -> Bool, _ element: (RecordChunk.Slice, RecordChunk) -> Element
  ) throws(BackendError) {
    while let scan {
      do throws(BackendError) {
        try scan.next(into: chunk)
      } catch {
        // The first pass has reported this damage; the scan continues after it.
        if error.code == .damaged, hasPassed { continue }
        throw error
      }
      if chunk.slices.isEmpty { break }
      for slice in chunk.slices where slice.rowID != 0 || slice.keyLength != 0 {
        let candidate = element(slice, chunk)
        if isWanted(candidate) { found.append(candidate) }
      }
      if found.count > 2 * limit { keepLeast() }
    }
    guard scan != nil else { return }
    if found.count > limit { keepLeast() } else { found.sort() }
    elements = found[...]
    found = []
    scan = nil
    hasPassed = true
  }

  private mutating func keepLeast() {
    found.sort()
    found.removeSubrange(limit...)
    isWhole = false
  }
}

extension RecordChunk {
  /// Appends a record with a byte key; returns false, with nothing appended, if the chunk is full.
  fileprivate func append(key: [UInt8], _ value: UnsafeRawBufferPointer, status: Status) -> Bool {
    let start = arena.count
    let end = start + key.count + value.count
    guard slices.isEmpty || end <= byteLimit else { return false }
    arena.reserve(end)
    _ = unsafe key.withUnsafeBytes { unsafe arena.append($0) }
    _ = unsafe arena.append(value)
    let valueStart = start + key.count
    slices.append(Slice(rowID: 0, key: start..<valueStart, value: valueStart..<end, status: status))
    return true
  }
}
