import Synchronization
import Todana

/// The state of one commit of a ``DictionaryBackend``.
final class DictionarySnapshot: BackendSnapshot {
  let contents: DictionaryContents
  let commitNumber: CommitNumber
  let damagedRows: Set<DictionaryState.Place>

  init(contents: DictionaryContents, commitNumber: CommitNumber, damagedRows: Set<DictionaryState.Place>) {
    self.contents = contents
    self.commitNumber = commitNumber
    self.damagedRows = damagedRows
  }

  func count(of structure: ClassID) throws(BackendError) -> Int { contents.count(of: structure) }

  func read(
    rows: borrowing Span<RowID>, of structure: ClassID, into chunk: RecordChunk
  ) throws(BackendError) {
    chunk.removeAll()
    for index in rows.indices {
      if chunk.isFull { return }
      append(rows[index], of: structure, to: chunk)
    }
  }

  func read(key: [UInt8], of structure: ClassID, into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    let value = contents.keys[structure]?[key]
    chunk.append(rowID: 0, key: key, value: value ?? [], status: value == nil ? .absent : .found)
  }

  func scan(_ structure: ClassID) throws(BackendError) -> any BackendScan {
    if let rows = contents.rows[structure] {
      return RowScan(rows.keys.shuffledByBits(), of: structure, in: self)
    }
    return KeyScan((contents.keys[structure] ?? [:]).sorted { $0.key.lexicographicallyPrecedes($1.key) })
  }

  func scan(
    tree: ClassID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    var entries = (contents.keys[tree] ?? [:]).filter { entry in
      if let lower, entry.key.lexicographicallyPrecedes(lower) { return false }
      if let upper, !entry.key.lexicographicallyPrecedes(upper) { return false }
      return true
    }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    if descending { entries.reverse() }
    return KeyScan(entries)
  }

  func append(_ rowID: RowID, of structure: ClassID, to chunk: RecordChunk) {
    if damagedRows.contains(.init(structure: structure, rowID: rowID)) {
      return chunk.append(rowID: rowID, key: [], value: [], status: .damaged)
    }
    let value = contents.rows[structure]?[rowID]
    chunk.append(rowID: rowID, key: [], value: value ?? [], status: value == nil ? .absent : .found)
  }
}

private final class RowScan: BackendScan {
  private let rowIDs: [RowID]
  private let structure: ClassID
  private let snapshot: DictionarySnapshot
  private var next = 0

  init(_ rowIDs: [RowID], of structure: ClassID, in snapshot: DictionarySnapshot) {
    self.rowIDs = rowIDs
    self.structure = structure
    self.snapshot = snapshot
  }

  func next(into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    while next < rowIDs.count, !chunk.isFull {
      snapshot.append(rowIDs[next], of: structure, to: chunk)
      next += 1
    }
  }
}

private final class KeyScan: BackendScan {
  private let entries: [(key: [UInt8], value: [UInt8])]
  private var next = 0

  init(_ entries: [(key: [UInt8], value: [UInt8])]) { self.entries = entries }

  func next(into chunk: RecordChunk) throws(BackendError) {
    chunk.removeAll()
    while next < entries.count, !chunk.isFull {
      chunk.append(rowID: 0, key: entries[next].key, value: entries[next].value, status: .found)
      next += 1
    }
  }
}

extension RecordChunk {
  /// A small limit, so that tests of a few hundred records see full chunks.
  var isFull: Bool { slices.count == recordLimit || arena.count > 4096 }

  func removeAll() {
    slices.removeAll(keepingCapacity: true)
    arena.count = 0
  }

  func append(rowID: RowID, key: [UInt8], value: [UInt8], status: Status) {
    let keyRange = append(key)
    slices.append(Slice(rowID: rowID, key: keyRange, value: append(value), status: status))
  }

  private func append(_ bytes: [UInt8]) -> Range<Int> {
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
  /// The same order in every run, but not that of the numbers: a scan has no order to be relied on.
  fileprivate func shuffledByBits() -> [RowID] {
    sorted { ($0 &* 0x9E37_79B9_7F4A_7C15) < ($1 &* 0x9E37_79B9_7F4A_7C15) }
  }
}
