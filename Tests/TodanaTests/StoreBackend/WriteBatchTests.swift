import TestSupport
import Testing
import Todana

@Suite struct WriteBatchTests {
  @Test func `sorting groups by keyspace and orders rows by number`() {
    var batch = WriteBatch()
    for (keyspace, row) in [(2, 7), (1, 9), (2, 3), (1, 1)] as [(UInt32, RowID)] {
      batch.append(
        .init(
          keyspace: KeyspaceID(rawValue: keyspace), kind: .put, expectation: .absent, key: .row(row),
          value: 0..<0))
    }
    batch.sort()
    #expect(batch.changes.map(\.keyspace.rawValue) == [1, 1, 2, 2])
    #expect(batch.changes.map(\.key) == [.row(1), .row(9), .row(3), .row(7)])
  }

  @Test func `sorting orders byte keys by unsigned bytes, and a prefix before longer keys`() {
    var generator = SeededGenerator(seed: 3)
    var keys: Set<[UInt8]> = [[0], [127], [128], [255], [0, 0], [1, 255]]
    while keys.count < 2000 {
      // Keys that differ late, so that entire words of them are equal.
      let start = [UInt8](repeating: 200, count: Int.random(in: 0...20, using: &generator))
      let end = (0..<Int.random(in: 1...10, using: &generator)).map { _ in
        UInt8.random(in: 198...201, using: &generator)
      }
      keys.insert(start + end)
    }
    var batch = WriteBatch()
    for key in keys { batch.put([], key: key, in: KeyspaceID(rawValue: 1)) }
    batch.sort()
    let isSorted = batch.isSorted
    #expect(isSorted)
    let sorted = batch.changes.map { change in
      guard case .bytes(let range) = change.key else { return [UInt8]() }
      return unsafe [UInt8](batch.arena.bytes[range])
    }
    #expect(sorted == keys.sorted { $0.lexicographicallyPrecedes($1) })
  }

  @Test func `a batch with two changes of one key is not sorted`() {
    var batch = WriteBatch()
    var isSorted = [batch.isSorted]
    for _ in 0..<2 {
      batch.put([1], row: 1, in: KeyspaceID(rawValue: 1))
      batch.sort()
      isSorted.append(batch.isSorted)
    }
    #expect(isSorted == [true, true, false])
  }

  @Test func `changes come back as they were appended`() {
    let keyspace = KeyspaceID(rawValue: .max)
    let changes: [WriteBatch.Change] = [
      .init(keyspace: keyspace, kind: .put, expectation: .anything, key: .row(0), value: 0..<0),
      .init(keyspace: keyspace, kind: .put, expectation: .absent, key: .row(.max), value: 7..<1 << 40),
      .init(
        keyspace: keyspace, kind: .put, expectation: .token(.max), key: .bytes(1 << 40..<(1 << 40) + 65_535),
        value: 3..<4),
      .init(keyspace: keyspace, kind: .remove, expectation: .token(0), key: .bytes(5..<6), value: 0..<0),
      .init(keyspace: keyspace, kind: .remove, expectation: .anything, key: .row(1), value: 0..<0),
    ]
    var batch = WriteBatch()
    for change in changes { batch.append(change) }
    #expect(Array(batch.changes) == changes)
    var hasEmptyKey = batch.hasEmptyKey
    #expect(!hasEmptyKey)
    batch.put([1], key: [], in: keyspace)
    hasEmptyKey = batch.hasEmptyKey
    #expect(hasEmptyKey)
  }
}
