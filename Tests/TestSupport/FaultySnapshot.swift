import Foundation
import Synchronization
import Todana

/// The state of one commit of a ``FaultyBackend``.
final class FaultySnapshot: BackendSnapshot {
  let contents: FaultyContents
  let commitNumber: CommitNumber
  let damagedRows: Set<FaultyState.Place>
  let scanGate: Gate
  let callFaults: CallFaults
  /// A closure that is called at the end of a snapshot that a caller has opened.
  private let ended: (@Sendable () -> Void)?

  init(
    contents: FaultyContents, commitNumber: CommitNumber, damagedRows: Set<FaultyState.Place>, scanGate: Gate,
    callFaults: CallFaults, ended: (@Sendable () -> Void)? = nil
  ) {
    self.contents = contents
    self.commitNumber = commitNumber
    self.damagedRows = damagedRows
    self.scanGate = scanGate
    self.callFaults = callFaults
    self.ended = ended
  }

  deinit { ended?() }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int {
    try callFaults.pass()
    return contents.count(of: keyspace)
  }

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try callFaults.pass()
    chunk.clear()
    for index in rows.indices {
      if chunk.isFull { return }
      append(rows[index], of: keyspace, to: chunk)
    }
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try callFaults.pass()
    chunk.clear()
    let value = contents.keys[keyspace]?[key]
    chunk.add(rowID: 0, key: key, value: value ?? [], status: value == nil ? .absent : .found)
  }

  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan {
    try callFaults.pass()
    if let rows = contents.rows[keyspace] {
      return RowScan(rows.keys.shuffledByBits(), of: keyspace, in: self)
    }
    return KeyScan(entries(of: keyspace), callFaults)
  }

  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    try callFaults.pass()
    var entries = entries(of: tree).filter { entry in
      if let lower, entry.key.precedes(lower) { return false }
      if let upper, !entry.key.precedes(upper) { return false }
      return true
    }
    if descending { entries.reverse() }
    return KeyScan(entries, callFaults)
  }

  /// Returns the exact count by binary search, without visiting all entries as a scan does.
  func estimatedCount(tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?) throws(BackendError) -> Int {
    try callFaults.pass()
    let entries = entries(of: tree)
    func position(of bound: [UInt8]) -> Int {
      var places = entries.indices
      while !places.isEmpty {
        let middle = places.lowerBound + places.count / 2
        places = entries[middle].key.precedes(bound) ? middle + 1..<places.upperBound : places.lowerBound..<middle
      }
      return places.lowerBound
    }
    return max(0, (upper.map(position) ?? entries.count) - (lower.map(position) ?? 0))
  }

  private func entries(of keyspace: KeyspaceID) -> SortedEntries.Entries {
    contents.sorted.entries(of: keyspace) {
      (contents.keys[keyspace] ?? [:]).sorted { $0.key.precedes($1.key) }
    }
  }

  func append(_ rowID: RowID, of keyspace: KeyspaceID, to chunk: RecordChunk) {
    if damagedRows.contains(.init(keyspace: keyspace, rowID: rowID)) {
      return chunk.add(rowID: rowID, key: [], value: [], status: .damaged)
    }
    let value = contents.rows[keyspace]?[rowID]
    chunk.add(rowID: rowID, key: [], value: value ?? [], status: value == nil ? .absent : .found)
  }
}

private final class RowScan: BackendScan {
  private let rowIDs: [RowID]
  private let keyspace: KeyspaceID
  private let snapshot: FaultySnapshot
  private var next = 0

  init(_ rowIDs: [RowID], of keyspace: KeyspaceID, in snapshot: FaultySnapshot) {
    self.rowIDs = rowIDs
    self.keyspace = keyspace
    self.snapshot = snapshot
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    snapshot.scanGate.pass()
    try snapshot.callFaults.pass()
    chunk.clear()
    while next < rowIDs.count, !chunk.isFull {
      snapshot.append(rowIDs[next], of: keyspace, to: chunk)
      next += 1
    }
  }
}

private final class KeyScan: BackendScan {
  private let entries: [(key: [UInt8], value: [UInt8])]
  private let callFaults: CallFaults
  private var next = 0

  init(_ entries: [(key: [UInt8], value: [UInt8])], _ callFaults: CallFaults) {
    self.entries = entries
    self.callFaults = callFaults
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    try callFaults.pass()
    chunk.clear()
    while next < entries.count, !chunk.isFull {
      chunk.add(rowID: 0, key: entries[next].key, value: entries[next].value, status: .found)
      next += 1
    }
  }
}

extension RecordChunk {
  /// Whether the chunk is full.
  ///
  /// The limit is small, so that tests with a few hundred records see full chunks.
  var isFull: Bool { slices.count == recordLimit || arena.count > 4096 }

  func clear() {
    slices.removeAll(keepingCapacity: true)
    arena.count = 0
  }

  func add(rowID: RowID, key: [UInt8], value: [UInt8], status: Status) {
    let keyRange = add(key)
    slices.append(Slice(rowID: rowID, key: keyRange, value: add(value), status: status))
  }

  private func add(_ bytes: [UInt8]) -> Range<Int> {
    let start = arena.count
    arena.reserve(start + bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      if let address = source.baseAddress {
        unsafe (arena.base + start).copyMemory(from: address, byteCount: source.count)
      }
    }
    arena.count = start + bytes.count
    return start..<arena.count
  }
}

extension Dictionary<RowID, [UInt8]>.Keys {
  /// Returns the row ids in an order that is equal in every run but not ascending: no test may rely on the order of a
  /// scan.
  fileprivate func shuffledByBits() -> [RowID] {
    sorted { ($0 &* 0x9E37_79B9_7F4A_7C15) < ($1 &* 0x9E37_79B9_7F4A_7C15) }
  }
}

extension [UInt8] {
  /// Tests whether these bytes come before others.
  ///
  /// The library's comparison of sequences takes a hundred times as long in debug builds.
  func precedes(_ other: [UInt8]) -> Bool {
    let order = unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { otherBytes -> Int32 in
        guard let bytes = bytes.baseAddress, let otherBytes = otherBytes.baseAddress else { return 0 }
        return unsafe memcmp(bytes, otherBytes, Swift.min(count, other.count))
      }
    }
    return order == 0 ? count < other.count : order < 0
  }
}
