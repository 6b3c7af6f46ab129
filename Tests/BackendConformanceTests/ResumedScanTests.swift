// Scans in the order of keys, and the tokens that resume them.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ResumedScanTests {
  private let smallChunk = RecordChunk(byteCapacity: 4096, recordLimit: 7)

  // MARK: Rows

  @Test(arguments: TestedBackend.allCases)
  func `rows come in the order of their ids, and a scan can resume after any id`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try fillRows(store, count: 200)
    let snapshot = try store.backend.snapshot()
    #expect(try rowIDs(snapshot, store.songs, after: nil) == rows)
    for index in stride(from: 0, to: rows.count, by: 13) {
      let token = ScanToken(after: rows[index], of: store.songs)
      #expect(try rowIDs(snapshot, store.songs, after: token) == Array(rows[(index + 1)...]))
    }
    // Resume after an absent row, after the last row, and after the largest possible row.
    #expect(try rowIDs(snapshot, store.songs, after: ScanToken(after: 4, of: store.songs)) == rows.filter { $0 > 4 })
    #expect(try rowIDs(snapshot, store.songs, after: ScanToken(after: rows[199], of: store.songs)).isEmpty)
    #expect(try rowIDs(snapshot, store.songs, after: ScanToken(after: .max, of: store.songs)).isEmpty)
    let values = try snapshot.scan(rows: store.songs, after: nil).remainingRows()
    #expect(values == Dictionary(uniqueKeysWithValues: rows.map { ($0, patternedBytes($0, count: Int($0 % 50))) }))
  }

  @Test(arguments: TestedBackend.allCases)
  func `a scan that is resumed chunk by chunk delivers each row once`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try fillRows(store, count: 100)
    let snapshot = try store.backend.snapshot()
    var found: [RowID] = []
    var token: ScanToken?
    repeat {
      try snapshot.scan(rows: store.songs, after: token).next(into: smallChunk)
      found += smallChunk.slices.map(\.rowID)
      // Converted to bytes and back, because tokens are kept as bytes.
      token = try smallChunk.token(of: store.songs).map { try #require(ScanToken(bytes: $0.bytes)) }
    } while token != nil
    #expect(found == rows)
    let first = try #require(found.first)
    let scan = try snapshot.scan(rows: store.songs, after: nil)
    try scan.next(into: smallChunk)
    #expect(smallChunk.token(after: 0, of: store.songs) == ScanToken(after: first, of: store.songs))
  }

  @Test(arguments: TestedBackend.allCases)
  func `a scan resumed in a later state delivers rows of both states once, and new rows`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try fillRows(store, count: 600)
    var generator = SeededGenerator(seed: 3)
    var found: [RowID] = []
    var token: ScanToken?
    var (removed, changed): (Set<RowID>, Set<RowID>) = ([], [])
    for round in 0..<40 as Range<UInt64> {
      let scan = try store.backend.snapshot().scan(rows: store.songs, after: token)
      for _ in 0..<2 {
        try scan.next(into: smallChunk)
        for (slice, value) in zip(smallChunk.slices, smallChunk.values) {
          found.append(slice.rowID)
          // A row that was changed before this snapshot must have its new value.
          if changed.contains(slice.rowID) { #expect(value?.count == 900) }
        }
        token = smallChunk.token(of: store.songs) ?? token
      }
      // Growing records move within the file, some into the space of removed records.
      try store.backend.commit(.relaxed) { batch in
        for _ in 0..<6 {
          guard let row = rows.randomElement(using: &generator) else { continue }
          guard !removed.contains(row), !changed.contains(row) else { continue }
          if Bool.random(using: &generator) {
            removed.insert(row)
            batch.remove(row: row, in: store.songs)
          } else {
            changed.insert(row)
            batch.put(patternedBytes(row, count: 900), row: row, in: store.songs, expecting: .anything)
          }
        }
        batch.put([1], row: 10_000 + round, in: store.songs)
      }
    }
    found += try rowIDs(store.backend.snapshot(), store.songs, after: token)
    #expect(found == found.sorted())
    #expect(Set(found).count == found.count)
    #expect(rows.filter { !removed.contains($0) && !found.contains($0) }.isEmpty)
    #expect((10_000..<10_040).allSatisfy { found.contains($0) })
  }

  @Test(arguments: TestedBackend.allCases)
  func `rows with widely spaced ids are found`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows: [RowID] = [1, 2, 40_000, 40_001, 9_000_000, 1 << 40, 1 << 50, (1 << 63) + 5]
    try store.backend.commit { batch in
      for row in rows { batch.put(patternedBytes(row), row: row, in: store.songs) }
    }
    let snapshot = try store.backend.snapshot()
    #expect(try rowIDs(snapshot, store.songs, after: nil) == rows)
    for (index, row) in rows.enumerated() {
      let token = ScanToken(after: row, of: store.songs)
      #expect(try rowIDs(snapshot, store.songs, after: token) == Array(rows[(index + 1)...]))
    }
    if let bound = try snapshot.rowIDBound(of: store.songs) { #expect(bound > rows[7]) }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a snapshot's ordered scan does not see later commits`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try fillRows(store, count: 50)
    let snapshot = try store.backend.snapshot()
    let scan = try snapshot.scan(rows: store.songs, after: nil)
    try scan.next(into: smallChunk)
    var found = smallChunk.slices.map(\.rowID)
    try store.backend.commit { batch in
      for row in rows { batch.remove(row: row, in: store.songs) }
      batch.put([1], row: 5_000, in: store.songs)
    }
    found += try rowIDs(scan)
    #expect(found == rows)
    #expect(try rowIDs(store.backend.snapshot(), store.songs, after: nil) == [5_000])
  }

  // MARK: Byte keys

  @Test(arguments: TestedBackend.thatTellKeys)
  func `byte keys come in order, and a scan can resume after any key`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    // Put more keys than one pass over the keyspace finds.
    let keys = try fillKeys(store, store.names, count: 2500)
    let snapshot = try store.backend.snapshot()
    let found = try snapshot.scan(keys: store.names, after: nil).remainingKeys()
    #expect(found.map(\.key) == keys)
    #expect(found.allSatisfy { $0.value == Array($0.key.reversed()) })
    var resumed: [[UInt8]] = []
    var token: ScanToken? = ScanToken(after: keys[2400], of: store.names)
    repeat {
      try snapshot.scan(keys: store.names, after: token).next(into: smallChunk)
      resumed += smallChunk.slices.map { smallChunk.bytes($0.key) }
      token = smallChunk.token(of: store.names)
    } while token != nil
    #expect(resumed == Array(keys[2401...]))
    let behind = ScanToken(after: [255, 255, 255, 255, 255, 255], of: store.names)
    #expect(try snapshot.scan(keys: store.names, after: behind).remainingKeys().isEmpty)
  }

  @Test(arguments: TestedBackend.thatTellKeys)
  func `a record that is larger than the chunk comes alone`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let large = patternedBytes(1, count: 20_000)
    try store.backend.commit { batch in
      for key in [[1], [2], [3]] as [[UInt8]] { batch.put(key == [2] ? large : key, key: key, in: store.names) }
      for row in 1...3 as ClosedRange<RowID> { batch.put(row == 2 ? large : [7], row: row, in: store.songs) }
    }
    let snapshot = try store.backend.snapshot()
    let keys = try snapshot.scan(keys: store.names, after: nil).remainingKeys(chunk: smallChunk)
    #expect(keys.map(\.value) == [[1], large, [3]])
    let rows = try snapshot.scan(rows: store.songs, after: nil).remainingRows(chunk: smallChunk)
    #expect(rows == [1: [7], 2: large, 3: [7]])
  }

  @Test(arguments: TestedBackend.allCases, [false, true])
  func `a scan of a tree's range resumes after a token, in its direction and within its bounds`(
    _ kind: TestedBackend, descending: Bool
  ) throws {
    let store = try OpenBackend(kind)
    let keys = try fillKeys(store, store.index, count: 300)
    let snapshot = try store.backend.snapshot()
    for (lower, upper) in [(nil, nil), (keys[20], keys[250]), ([0], nil), (nil, keys[40])] as [([UInt8]?, [UInt8]?)] {
      var expected = keys.filter { key in
        if let lower, key.lexicographicallyPrecedes(lower) { return false }
        return upper.map { key.lexicographicallyPrecedes($0) } ?? true
      }
      if descending { expected.reverse() }
      var found: [[UInt8]] = []
      var token: ScanToken?
      repeat {
        try snapshot.scan(tree: store.index, from: lower, to: upper, descending: descending, after: token)
          .next(into: smallChunk)
        found += smallChunk.slices.map { smallChunk.bytes($0.key) }
        token = smallChunk.token(of: store.index)
      } while token != nil
      #expect(found == expected)
    }
    // Resume after a key below the bounds, and after a key above them.
    for key in [keys[5], keys[280]] {
      let token = ScanToken(after: key, of: store.index)
      let found = try snapshot.scan(
        tree: store.index, from: keys[20], to: keys[250], descending: descending, after: token
      ).remainingKeys().count
      #expect(found == ((key == keys[5]) == descending ? 0 : 230))
    }
  }

  @Test func `a scan reports damage once and delivers the rest`() throws {
    let store = try OpenBackend(.dictionary)
    let keys = try fillKeys(store, store.names, count: 2500)
    let rows: [RowID] = [1, 1 << 40, 1 << 50]
    try store.backend.commit { batch in
      for row in rows { batch.put([1], row: row, in: store.songs) }
    }
    let snapshot = DamagedSnapshot(try store.backend.snapshot())
    let keyScan = try snapshot.scan(keys: store.names, after: nil)
    expectError(.damaged) { try keyScan.next(into: smallChunk) }
    #expect(try keyScan.remainingKeys().map(\.key) == keys)
    let rowScan = try snapshot.scan(rows: store.songs, after: nil)
    try rowScan.next(into: smallChunk)
    #expect(smallChunk.slices.map(\.rowID) == [1])
    expectError(.damaged) { try rowScan.next(into: smallChunk) }
    #expect(try rowIDs(rowScan) == [1 << 40, 1 << 50])
  }

  // The snapshot reports every seventh id without a row as damaged. The scan must not conclude that all ids have rows.
  @Test func `damage among ids that were never used does not keep a scan from ending`() throws {
    let store = try OpenBackend(.dictionary)
    try store.backend.commit { batch in
      for row in [1, 1 << 40] as [RowID] { batch.put([1], row: row, in: store.songs) }
    }
    let snapshot = DamagedSnapshot(try store.backend.snapshot(), damagesEverySeventhGap: true)
    let scan = try snapshot.scan(rows: store.songs, after: nil)
    var (found, damagedCount): ([RowID], Int) = ([], 0)
    for _ in 0..<10_000 {
      do { try scan.next(into: smallChunk) } catch { continue }
      if smallChunk.slices.isEmpty { break }
      found += smallChunk.slices.filter { $0.status == .found }.map(\.rowID)
      damagedCount += smallChunk.slices.count { $0.status == .damaged }
    }
    #expect(found == [1, 1 << 40])
    #expect((1..<10_000).contains(damagedCount))
  }

  // MARK: Tokens

  @Test(arguments: TestedBackend.allCases)
  func `a token of another keyspace or kind is refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let snapshot = try store.backend.snapshot()
    let (row, key) = (ScanToken(after: 1, of: store.songs), ScanToken(after: [1], of: store.names))
    expectError(.invalidArgument) { _ = try snapshot.scan(rows: store.songs, after: key) }
    expectError(.invalidArgument) { _ = try snapshot.scan(keys: store.names, after: row) }
    expectError(.invalidArgument) {
      _ = try snapshot.scan(rows: store.songs, after: ScanToken(after: 1, of: store.names))
    }
    expectError(.invalidArgument) {
      _ = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: false, after: key)
    }
    expectError(.invalidArgument) { _ = try snapshot.scan(rows: store.index, after: nil).remainingRows() }
    expectError(.noSuchKeyspace) {
      _ = try snapshot.scan(rows: KeyspaceID(rawValue: 999), after: nil).remainingRows()
    }
    #expect(try snapshot.scan(rows: store.songs, after: nil).remainingRows().isEmpty)
    #expect(try snapshot.scan(keys: store.names, after: nil).remainingKeys().isEmpty)
  }

  @Test func `bytes and text of a token can be read back, and invalid ones are refused`() throws {
    let keyspace = KeyspaceID(rawValue: 0x0403_0201)
    let row = ScanToken(after: 0x1122_3344_5566_7788, of: keyspace)
    #expect(row.bytes == [1, 1, 1, 2, 3, 4, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11])
    let key = ScanToken(after: [0xFF, 0], of: keyspace)
    #expect(key.bytes == [1, 2, 1, 2, 3, 4, 0xFF, 0])
    #expect(key.description == "010201020304ff00")
    // The examples of docs/formats/scan-token.md.
    let document = try Checkout.text("docs/formats/scan-token.md")
    for token in [
      ScanToken(after: 300, of: KeyspaceID(rawValue: 2)), ScanToken(after: [97, 98], of: KeyspaceID(rawValue: 3)),
    ] {
      let digits = token.bytes.map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }
      #expect(document.contains("`\(digits.joined(separator: " "))`"))
    }
    for token in [row, key] {
      #expect(ScanToken(bytes: token.bytes) == token)
      #expect(ScanToken(token.description) == token)
      #expect(token.keyspace == keyspace)
      #expect(try JSONDecoder().decode([ScanToken].self, from: JSONEncoder().encode([token])) == [token])
      for count in 0..<token.bytes.count where token == row || count < 7 {
        #expect(ScanToken(bytes: token.bytes.prefix(count)) == nil)
      }
    }
    #expect(ScanToken(bytes: row.bytes + [0]) == nil)
    #expect(ScanToken(bytes: [2] + row.bytes.dropFirst()) == nil)
    #expect(ScanToken(bytes: [1, 3] + row.bytes.dropFirst(2)) == nil)
    for text in ["", "0", "zz", "0102010203040", "01 201020304ff00", "010201020304FF00"] {
      #expect(ScanToken(text) == nil, "\(text)")
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([ScanToken].self, from: Data(#"["01"]"#.utf8)) }
  }

  // MARK: Helpers

  /// Commits `count` rows, with every third row id and values of different lengths, and returns the ids.
  private func fillRows(_ store: OpenBackend, count: Int) throws -> [RowID] {
    let rows = (1...count).map { RowID($0) * 3 }
    for part in stride(from: 0, to: count, by: 60) {
      try store.backend.commit { batch in
        for row in rows[part..<min(part + 60, count)] {
          batch.put(patternedBytes(row, count: Int(row % 50)), row: row, in: store.songs)
        }
      }
    }
    return rows
  }

  /// Puts `count` keys of different lengths, and returns them in order.
  private func fillKeys(_ store: OpenBackend, _ keyspace: KeyspaceID, count: Int) throws -> [[UInt8]] {
    var generator = SeededGenerator(seed: UInt64(count))
    var keys: Set<[UInt8]> = []
    while keys.count < count {
      keys.insert((0..<Int.random(in: 1...5, using: &generator)).map { _ in .random(in: 0...255, using: &generator) })
    }
    try store.backend.commit { batch in
      for key in keys { batch.put(key.reversed(), key: key, in: keyspace) }
    }
    return keys.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func rowIDs(
    _ snapshot: any BackendSnapshot, _ keyspace: KeyspaceID, after token: ScanToken?
  ) throws -> [RowID] {
    try rowIDs(try snapshot.scan(rows: keyspace, after: token))
  }

  /// Reads the scan to its end, and returns the row ids in the order of delivery.
  private func rowIDs(_ scan: any BackendScan) throws -> [RowID] {
    var found: [RowID] = []
    while true {
      try scan.next(into: smallChunk)
      if smallChunk.slices.isEmpty { return found }
      #expect(smallChunk.slices.allSatisfy { $0.status == .found })
      found += smallChunk.slices.map(\.rowID)
    }
  }
}

/// A snapshot whose scans of a hash file each report damage once, before they deliver anything.
private final class DamagedSnapshot: BackendSnapshot {
  private let snapshot: any BackendSnapshot
  private let damagesEverySeventhGap: Bool

  init(_ snapshot: any BackendSnapshot, damagesEverySeventhGap: Bool = false) {
    self.snapshot = snapshot
    self.damagesEverySeventhGap = damagesEverySeventhGap
  }

  var commitNumber: CommitNumber { snapshot.commitNumber }

  func count(of keyspace: KeyspaceID) throws(BackendError) -> Int { try snapshot.count(of: keyspace) }

  func read(
    rows: borrowing Span<RowID>, of keyspace: KeyspaceID, into chunk: RecordChunk
  ) throws(BackendError) {
    try snapshot.read(rows: rows, of: keyspace, into: chunk)
    guard damagesEverySeventhGap else { return }
    chunk.slices = chunk.slices.map { slice in
      guard slice.status == .absent, slice.rowID.isMultiple(of: 7) else { return slice }
      return RecordChunk.Slice(rowID: slice.rowID, key: 0..<0, value: 0..<0, status: .damaged)
    }
  }

  func read(key: [UInt8], of keyspace: KeyspaceID, into chunk: RecordChunk) throws(BackendError) {
    try snapshot.read(key: key, of: keyspace, into: chunk)
  }

  func scan(_ keyspace: KeyspaceID) throws(BackendError) -> any BackendScan { Scan(try snapshot.scan(keyspace)) }

  func scan(
    tree: KeyspaceID, from lower: [UInt8]?, to upper: [UInt8]?, descending: Bool
  ) throws(BackendError) -> any BackendScan {
    try snapshot.scan(tree: tree, from: lower, to: upper, descending: descending)
  }

  private final class Scan: BackendScan {
    private let scan: any BackendScan
    private var hasThrown = false

    init(_ scan: any BackendScan) { self.scan = scan }

    func next(into chunk: RecordChunk) throws(BackendError) {
      guard hasThrown else {
        hasThrown = true
        throw BackendError(.damaged, "A page is damaged.", page: 1)
      }
      try scan.next(into: chunk)
    }
  }
}
