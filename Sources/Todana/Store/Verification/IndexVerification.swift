/// Compares the indexes of a class with its records, in one state of the store.
///
/// First by sums over what entries there should be and what there are, which takes two scans and no memory; only where
/// they differ each record's entries, and each entry's record, are looked for.
struct IndexVerification {
  private let store: Store
  private let table: ClassTable
  private let snapshot: any BackendSnapshot
  private let classID: ClassID
  private let chunk = RecordChunk()
  private let found = RecordChunk(byteCapacity: 4096, recordLimit: 1)
  /// Rows whose records cannot be read, so that nothing is known of their entries.
  private var unreadable: Set<RowID> = []

  init(of table: ClassTable, _ classID: ClassID, in store: Store, _ snapshot: any BackendSnapshot) {
    self.store = store
    self.table = table
    self.classID = classID
    self.snapshot = snapshot
  }

  /// An entry that is missing or should not be there.
  struct Finding {
    let indexName: String
    let rowID: RowID?
    let message: String
  }

  /// - Returns: What is wrong, up to a thousand things.
  mutating func run() throws -> [Finding] {
    let indexes = table.indexes.filter { index in
      guard let structure = index.structure, case .complete(let since) = store.session.indexes[structure] else {
        return false
      }
      return since <= snapshot.commitNumber
    }
    guard !indexes.isEmpty else { return [] }
    var expected = [EntrySum](repeating: EntrySum(), count: indexes.count)
    try forEachKey(of: indexes) { index, keys, entry in
      unsafe expected[index].add(keys.bytes(of: entry), Self.value(of: entry))
      return true
    }
    var findings: [Finding] = []
    for (position, index) in indexes.enumerated() {
      var actual = EntrySum()
      do {
        try unsafe forEachEntry(of: index) { key, value, _ in
          unsafe actual.add(key, Array(value))
          return true
        }
        if actual == expected[position], unreadable.isEmpty { continue }
        try compare(index, into: &findings)
      } catch let error as StoreError where error.code == .damagedRecord {
        findings.append(
          Finding(indexName: index.name, rowID: nil, message: "The index cannot be read: \(error.message)"))
      }
    }
    return findings
  }

  private struct EntrySum: Equatable {
    var count = 0
    var sum: UInt64 = 0

    mutating func add(_ key: UnsafeRawBufferPointer, _ value: [UInt8]) {
      count += 1
      let keyHash = unsafe checksum(of: key, seed: 0)
      sum &+= unsafe value.withUnsafeBytes { unsafe checksum(of: $0, seed: keyHash) }
    }
  }

  private static func value(of entry: IndexKeys.Entry) -> [UInt8] {
    let arena = ByteArena()
    _ = IndexEntry.appendValue(of: entry, to: arena)
    return unsafe Array(arena.bytes)
  }

  // MARK: Both sides

  /// Every entry that the records call for.
  private mutating func forEachKey(
    of indexes: [ClassIndex], _ body: (Int, IndexKeys, IndexKeys.Entry) throws -> Bool
  ) throws {
    let scan: any BackendScan
    do throws(BackendError) { scan = try snapshot.scan(classID) } catch { throw store.translate(error) }
    var scratch = ScratchObject(store, table)
    while try store.next(of: scan, into: chunk, onDamage: .report({ _ in })) {
      var keys = indexes.map { IndexKeys($0) }
      for slice in chunk.slices {
        do throws(StoreError) {
          let object = try scratch.read(slice, in: chunk)
          for index in keys.indices { try keys[index].append(object, rowID: slice.rowID) }
        } catch {
          // Reported as a damaged record.
          unreadable.insert(slice.rowID)
        }
      }
      for index in keys.indices {
        for entry in keys[index].entries where !unreadable.contains(entry.rowID) {
          if try !body(index, keys[index], entry) { return }
        }
      }
    }
  }

  /// Every entry of an index.
  private func forEachEntry(
    of index: ClassIndex, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, RowID?) throws -> Bool
  ) throws {
    guard let structure = index.structure else { return }
    let scan: any BackendScan
    do throws(BackendError) {
      scan = try snapshot.scan(
        tree: structure, from: [IndexHeader.entryByte], to: [IndexHeader.entryByte + 1], descending: false)
    } catch {
      throw store.translate(error)
    }
    let chunk = RecordChunk()
    while try store.next(of: scan, into: chunk) {
      for slice in chunk.slices {
        let key = unsafe UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key])
        if try unsafe !body(key, chunk.value(of: slice), IndexEntry.rowID(of: slice, in: chunk)) { return }
      }
    }
  }

  // MARK: One by one

  private static let findingLimit = 1000

  private mutating func compare(_ index: ClassIndex, into findings: inout [Finding]) throws {
    guard let structure = index.structure else { return }
    var own: [Finding] = []
    let (snapshot, found, store) = (snapshot, found, store)
    try forEachKey(of: [index]) { _, keys, entry in
      let key = unsafe Array(keys.bytes(of: entry))
      do throws(BackendError) {
        try snapshot.read(key: key, of: structure, into: found)
      } catch {
        throw store.translate(error)
      }
      let isThere = found.slices.first.map { slice in
        unsafe slice.status == .found && Array(found.value(of: slice)) == Self.value(of: entry)
      }
      if isThere != true {
        own.append(
          Finding(indexName: index.name, rowID: entry.rowID, message: "The record has no entry in the index."))
      }
      return own.count < Self.findingLimit
    }
    var scratch = ScratchObject(store, table)
    try unsafe forEachEntry(of: index) { key, _, rowID in
      guard let rowID else {
        own.append(Finding(indexName: index.name, rowID: nil, message: "An entry of the index is no entry."))
        return own.count < Self.findingLimit
      }
      if unreadable.contains(rowID) { return true }
      let record = RecordChunk(byteCapacity: 4096, recordLimit: 1)
      do throws(BackendError) {
        try snapshot.read(rows: CollectionOfOne(rowID).span, of: classID, into: record)
      } catch {
        throw store.translate(error)
      }
      var keys = IndexKeys(index)
      if let slice = record.slices.first, slice.status == .found {
        try keys.append(try scratch.read(slice, in: record), rowID: rowID)
      }
      let isCalledFor = keys.entries.contains { unsafe keys.bytes(of: $0).elementsEqual(key) }
      if !isCalledFor {
        own.append(
          Finding(indexName: index.name, rowID: rowID, message: "The index has an entry that the record does not have.")
        )
      }
      return own.count < Self.findingLimit
    }
    findings += own
  }
}
