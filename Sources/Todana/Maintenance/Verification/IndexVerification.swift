/// A comparison of the indexes of a class with its records, in one state of the store.
///
/// The sums over the expected and the actual entries are compared first, which takes no memory. If they differ, or if a
/// record could not be read, each record's entries and each entry's record are looked up.
struct IndexVerification {
  private let store: Store
  private let table: ClassTable
  private let snapshot: any BackendSnapshot
  private let classID: KeyspaceID
  private let indexes: [ClassIndex]
  /// The entries that the records of a chunk require, index by index.
  private var keys: [IndexKeys]
  private var expected: [EntrySum]
  private let found = RecordChunk(byteCapacity: 4096, recordLimit: 1)
  private let value = ByteArena()
  /// The rows whose records cannot be read, so that their entries are unknown.
  private var unreadable: Set<RowID> = []
  /// For each index, the rows that were skipped when it was built, because their records could not be read.
  private let skipped: [Set<RowID>]

  init(
    of table: ClassTable, _ classID: KeyspaceID, in store: Store, _ snapshot: any BackendSnapshot
  ) throws(StoreError) {
    self.store = store
    self.table = table
    self.classID = classID
    self.snapshot = snapshot
    indexes = table.indexes.filter { index in
      guard let keyspace = index.keyspace, case .complete(let since) = store.session.indexes[keyspace] else {
        return false
      }
      return since <= snapshot.commitNumber
    }
    keys = indexes.map { IndexKeys($0) }
    expected = [EntrySum](repeating: EntrySum(), count: indexes.count)
    skipped = try indexes.map { index throws(StoreError) in
      guard let keyspace = index.keyspace, store.skipsRows(index) else { return [] }
      do throws(StoreError) {
        return Set(try store.skippedRows(of: keyspace, in: snapshot))
      } catch {
        // Reading the entries finds the damage as well.
        guard error.code == .damagedRecord else { throw error }
        return []
      }
    }
  }

  /// Whether the class has no complete index to compare.
  var isEmpty: Bool { indexes.isEmpty }

  // MARK: Expected entries

  /// Adds the entries that an object requires.
  ///
  /// Throws if they cannot be determined; the caller then has to skip the row.
  mutating func expect(_ object: StoredObject, rowID: RowID) throws(StoreError) {
    for index in keys.indices where !skipped[index].contains(rowID) {
      try keys[index].append(object, rowID: rowID)
    }
  }

  /// Notes that the entries of a row are unknown.
  mutating func skip(_ rowID: RowID) {
    if !isEmpty { unreadable.insert(rowID) }
  }

  /// Adds the collected entries to the sums.
  mutating func sumExpected() {
    for index in keys.indices {
      for entry in keys[index].entries where !unreadable.contains(entry.rowID) {
        unsafe expected[index].add(keys[index].bytes(of: entry), value(of: entry))
      }
      keys[index].removeAll()
    }
  }

  // MARK: Actual entries

  /// An entry that is missing or should not be there.
  struct Finding {
    let indexName: String
    let rowID: RowID?
    let message: String
  }

  /// Compares the actual entries with the expected ones after all records were added.
  ///
  /// - Returns: The differences, at most about a thousand for each index.
  mutating func compare() throws -> [Finding] {
    var findings: [Finding] = []
    for (position, index) in indexes.enumerated() {
      var actual = EntrySum()
      do {
        try unsafe forEachEntry(of: index) { key, value, _ in
          unsafe actual.add(key, value)
          return true
        }
        if actual == expected[position], unreadable.isEmpty { continue }
        try compare(index, without: skipped[position], into: &findings)
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

    mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
      count += 1
      sum &+= unsafe checksum(of: value, seed: checksum(of: key, seed: 0))
    }
  }

  /// Returns the value of an entry, which is valid until the next call.
  private func value(of entry: IndexKeys.Entry) -> UnsafeRawBufferPointer {
    value.count = 0
    _ = IndexEntry.appendValue(of: entry, to: value)
    return unsafe value.bytes
  }

  // MARK: Reading

  /// Passes every entry that the records require in an index to a closure.
  private func forEachKey(
    of index: ClassIndex, without skipped: Set<RowID>, _ body: (IndexKeys, IndexKeys.Entry) throws -> Bool
  ) throws {
    let scan: any BackendScan
    do throws(BackendError) { scan = try snapshot.scan(classID) } catch { throw store.translate(error) }
    var scratch = ScratchObject(store, table)
    let chunk = RecordChunk()
    while try store.next(of: scan, into: chunk, onDamage: .report({ _ in })) {
      var keys = IndexKeys(index)
      for slice in chunk.slices where slice.status == .found {
        if unreadable.contains(slice.rowID) || skipped.contains(slice.rowID) { continue }
        try keys.append(try scratch.read(slice, in: chunk), rowID: slice.rowID)
      }
      for entry in keys.entries where try !body(keys, entry) { return }
    }
  }

  /// Passes every entry of an index to a closure.
  private func forEachEntry(
    of index: ClassIndex, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, RowID?) throws -> Bool
  ) throws {
    guard let keyspace = index.keyspace else { return }
    let scan: any BackendScan
    do throws(BackendError) {
      scan = try snapshot.scan(
        tree: keyspace, from: [IndexHeader.entryByte], to: [IndexHeader.entryByte + 1], descending: false)
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

  private func compare(
    _ index: ClassIndex, without skipped: Set<RowID>, into findings: inout [Finding]
  ) throws {
    guard let keyspace = index.keyspace else { return }
    var own: [Finding] = []
    let (snapshot, found, store) = (snapshot, found, store)
    try forEachKey(of: index, without: skipped) { keys, entry in
      let key = unsafe Array(keys.bytes(of: entry))
      do throws(BackendError) {
        try snapshot.read(key: key, of: keyspace, into: found)
      } catch {
        throw store.translate(error)
      }
      let isThere = found.slices.first.map { slice in
        unsafe slice.status == .found && found.value(of: slice).elementsEqual(value(of: entry))
      }
      if isThere != true {
        own.append(
          Finding(indexName: index.name, rowID: entry.rowID, message: "The index lacks the entry of the record."))
      }
      return own.count < Self.findingLimit
    }
    var scratch = ScratchObject(store, table)
    try unsafe forEachEntry(of: index) { key, _, rowID in
      guard let rowID else {
        own.append(Finding(indexName: index.name, rowID: nil, message: "An entry of the index is malformed."))
        return own.count < Self.findingLimit
      }
      if unreadable.contains(rowID) { return true }
      let record = RecordChunk(byteCapacity: 4096, recordLimit: 1)
      do throws(BackendError) {
        try snapshot.read(rows: CollectionOfOne(rowID).span, of: classID, into: record)
      } catch {
        // The row is damaged, not the index; the damage is reported already.
        guard error.code == .damaged else { throw store.translate(error) }
        return true
      }
      if record.slices.first?.status == .damaged { return true }
      var keys = IndexKeys(index)
      if let slice = record.slices.first, slice.status == .found {
        try keys.append(try scratch.read(slice, in: record), rowID: rowID)
      }
      let isCalledFor = keys.entries.contains { unsafe keys.bytes(of: $0).elementsEqual(key) }
      if !isCalledFor {
        own.append(
          Finding(
            indexName: index.name, rowID: rowID, message: "The index has an entry that does not match the record."))
      }
      return own.count < Self.findingLimit
    }
    findings += own
  }
}
