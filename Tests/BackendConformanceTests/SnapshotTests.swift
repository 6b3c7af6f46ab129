import Foundation
import TestSupport
import Testing
import Todana

@Suite struct SnapshotTests {
  @Test(arguments: TestedBackend.allCases)
  func `a snapshot keeps its state while rows are inserted, changed and removed`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var before: [RowID: [UInt8]] = [:]
    for row in 1...900 as ClosedRange<RowID> { before[row] = patternedBytes(row, count: Int(row % 100)) }
    let commitNumber = try store.backend.commit { batch in
      for (row, value) in before { batch.put(value, row: row, in: store.songs) }
      for (row, value) in before { batch.put(value, key: bigEndianBytes(row), in: store.index) }
    }
    let snapshot = try store.backend.snapshot()
    let scan = try snapshot.scan(store.songs)
    let ascending = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: false)
    let descending = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: true)
    var found: [RowID: [UInt8]] = [:]
    var (upwards, downwards): ([[UInt8]], [[UInt8]]) = ([], [])
    let chunk = RecordChunk(recordLimit: 40)
    for round in 0... as PartialRangeFrom<UInt64> {
      try scan.next(into: chunk)
      for slice in chunk.slices {
        #expect(found.updateValue(chunk.bytes(slice.value), forKey: slice.rowID) == nil, "row \(slice.rowID) twice")
      }
      let isAtEnd = chunk.slices.isEmpty
      try ascending.next(into: chunk)
      upwards += chunk.slices.map { chunk.bytes($0.key) }
      try descending.next(into: chunk)
      downwards += chunk.slices.map { chunk.bytes($0.key) }
      if isAtEnd && chunk.slices.isEmpty { break }
      try change(store, round: round)
      if round % 5 == 0 { try store.backend.operations?.checkpoint() }
    }
    #expect(found == before)
    #expect(upwards == before.keys.sorted().map(bigEndianBytes))
    #expect(downwards == before.keys.sorted().reversed().map(bigEndianBytes))
    #expect(try snapshot.state.values(Array(1...1000), in: store.songs) == (1...1000).map { before[$0] })
    #expect(try snapshot.state.value(key: bigEndianBytes(77), in: store.index) == before[77])
    #expect(try snapshot.count(of: store.songs) == 900)
    #expect(try snapshot.count(of: store.index) == 900)
    #expect(snapshot.commitNumber == commitNumber)
  }

  /// Removes up to 10 of the first 900 rows, changes up to 40 and inserts 20, so that records move and blocks are
  /// reused.
  private func change(_ store: OpenBackend, round: UInt64) throws {
    let newest = store.backend
    var generator = SeededGenerator(seed: round)
    let present = try newest.newest.values(Array(1...900), in: store.songs)
    try newest.commit(.relaxed) { batch in
      var touched: Set<RowID> = []
      for step in 0..<50 {
        let row = RowID.random(in: 1...900, using: &generator)
        guard present[Int(row) - 1] != nil, touched.insert(row).inserted else { continue }
        if step < 10 {
          batch.remove(row: row, in: store.songs)
          batch.remove(key: bigEndianBytes(row), in: store.index)
        } else {
          let value = patternedBytes(row + round, count: Int.random(in: 0...300, using: &generator))
          batch.put(value, row: row, in: store.songs, expecting: .anything)
          batch.put(value, key: bigEndianBytes(row), in: store.index)
        }
      }
      for number in 0..<20 as Range<UInt64> {
        let row = 1000 + round * 20 + number
        batch.put(patternedBytes(row), row: row, in: store.songs)
        batch.put([], key: bigEndianBytes(row) + [0], in: store.index)
      }
    }
  }

  /// Covers small rows, which may share records, and large rows, which make a file grow.
  @Test(arguments: TestedBackend.allCases, [24, 600])
  func `a snapshot keeps its state while a keyspace grows a hundredfold`(
    _ kind: TestedBackend, rowByteCount: Int
  ) throws {
    func rowBytes(_ number: UInt64) -> [UInt8] { patternedBytes(number, count: rowByteCount) }
    let store = try OpenBackend(kind)
    let rows = try store.backend.reserveRowIDs(300, in: store.songs)
    try store.backend.commit { batch in
      for row in rows { batch.put(rowBytes(row), row: row, in: store.songs) }
    }
    let snapshot = try store.backend.snapshot()
    let scan = try snapshot.scan(store.songs)
    let chunk = RecordChunk(recordLimit: 10)
    var found: Set<RowID> = []
    for _ in 0..<30 {
      let more = try store.backend.reserveRowIDs(1_000, in: store.songs)
      try store.backend.commit(.relaxed) { batch in
        for row in more { batch.put(rowBytes(row), row: row, in: store.songs) }
        for row in rows {
          batch.put(rowBytes(row ^ more.lowerBound), row: row, in: store.songs, expecting: .anything)
        }
      }
      try scan.next(into: chunk)
      #expect(zip(chunk.slices, chunk.values).allSatisfy { $0.1 == rowBytes($0.0.rowID) })
      found.formUnion(chunk.slices.map(\.rowID))
    }
    found.formUnion(try scan.remainingRows().keys)
    #expect(found == Set(rows))
    #expect(try snapshot.state.values(Array(rows), in: store.songs) == rows.map { rowBytes($0) })
    #expect(try store.backend.count(of: store.songs) == 30_300)
    #expect(try store.backend.allRows(of: store.songs).count == 30_300)
    if let kyoto = store.backend as? KyotoBackend, rowByteCount > 500 {
      // The file grows in the background.
      for _ in 0..<1000 where try kyoto.statistics().growthCount == 0 { usleep(10_000) }
      #expect(try kyoto.statistics().growthCount > 0)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `several snapshots each keep the state of their commit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var snapshots: [(number: UInt64, snapshot: any BackendSnapshot)] = []
    for number in 1...30 as ClosedRange<UInt64> {
      try store.backend.commit { batch in
        for row in 1...5 as ClosedRange<RowID> {
          let value = patternedBytes(number * 100 + row, count: Int(number * row))
          batch.put(value, row: row, in: store.songs, expecting: .anything)
        }
        batch.put([], row: 5 + number, in: store.songs)
      }
      snapshots.append((number, try store.backend.snapshot()))
    }
    // Releasing some of the snapshots must not disturb the others.
    snapshots = snapshots.enumerated().filter { $0.offset % 3 != 1 }.map(\.element)
    for (number, snapshot) in snapshots {
      #expect(try snapshot.count(of: store.songs) == 5 + Int(number))
      var expected: [RowID: [UInt8]] = [:]
      for row in 1...5 as ClosedRange<RowID> {
        expected[row] = patternedBytes(number * 100 + row, count: Int(number * row))
      }
      for row in 1...number { expected[5 + row] = [] }
      #expect(try snapshot.scan(store.songs).remainingRows() == expected)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a scan of an empty keyspace delivers nothing`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let snapshot = try store.backend.snapshot()
    for keyspace in [store.songs, store.names, store.index] {
      #expect(try snapshot.count(of: keyspace) == 0)
      let scan = try snapshot.scan(keyspace)
      #expect(try scan.remainingKeys().isEmpty)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a keyspace that was made after a snapshot is empty in it`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let snapshot = try store.backend.snapshot()
    let rows = try store.backend.keyspaceID(of: .rows, named: Array("Later".utf8))
    let keys = try store.backend.keyspaceID(of: .keys, named: Array("later".utf8))
    let tree = try store.backend.keyspaceID(of: .tree, named: Array("later".utf8))
    try store.backend.commit { batch in
      batch.put([1], row: 1, in: rows)
      batch.put([1], key: [1], in: keys)
      batch.put([1], key: [1], in: tree)
    }
    for keyspace in [rows, keys, tree] {
      #expect(try snapshot.count(of: keyspace) == 0)
      #expect(try snapshot.scan(keyspace).remainingKeys().isEmpty)
    }
    #expect(try snapshot.state.value(1, in: rows) == nil)
    #expect(try snapshot.state.value(key: [1], in: keys) == nil)
    #expect(try snapshot.scan(tree: tree, from: nil, to: nil, descending: true).remainingKeys().isEmpty)
    #expect(try store.backend.count(of: rows) == 1)
  }

  @Test(arguments: TestedBackend.allCases)
  func `two scans of one snapshot do not disturb each other`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for row in 1...300 as ClosedRange<RowID> { batch.put(patternedBytes(row), row: row, in: store.songs) }
    }
    let snapshot = try store.backend.snapshot()
    let (first, second) = (try snapshot.scan(store.songs), try snapshot.scan(store.songs))
    let chunk = RecordChunk(recordLimit: 10)
    try first.next(into: chunk)
    #expect(try second.remainingRows().count == 300)
    #expect(try first.remainingRows().count == 290)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a scan keeps its snapshot, and a snapshot its backend, alive`(_ kind: TestedBackend) throws {
    func scan() throws -> any BackendScan {
      let store = try OpenBackend(kind)
      try store.backend.commit { $0.put([1], row: 1, in: store.songs) }
      let backend = store.detachBackend()
      return try backend.snapshot().scan(store.songs)
    }
    #expect(try scan().remainingRows() == [1: [1]])
  }
}
