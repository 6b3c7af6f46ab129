import TestSupport
import Testing
import Todana

@Suite struct CommitTests {
  @Test(arguments: TestedBackend.allCases)
  func `every read after a commit sees the whole batch`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try store.backend.reserveRowIDs(3, in: store.songs)
    try store.backend.commit { batch in
      for row in rows { batch.put(patternedBytes(row), row: row, in: store.songs) }
      batch.put([1, 2, 3], key: [7], in: store.names)
      batch.put([], key: [9, 9], in: store.index)
    }
    #expect(try store.backend.newest.values(Array(rows), in: store.songs) == rows.map { patternedBytes($0) })
    #expect(try store.backend.newest.value(key: [7], in: store.names) == [1, 2, 3])
    #expect(try store.backend.newest.value(key: [9, 9], in: store.index) == [])
    #expect(try store.backend.count(of: store.songs) == 3)
    #expect(try store.backend.count(of: store.names) == 1)
    #expect(try store.backend.count(of: store.index) == 1)
  }

  @Test(arguments: TestedBackend.allCases)
  func `commit numbers grow, and a snapshot has the number of its commit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var latest = store.backend.openReport.commitNumber
    for number in 1...5 as ClosedRange<UInt8> {
      let commitNumber = try store.backend.commit { $0.put([1], key: [number], in: store.names) }
      #expect(commitNumber > latest)
      #expect(try store.backend.snapshot().commitNumber == commitNumber)
      latest = commitNumber
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a put replaces a value, shorter or longer, and a removal removes it`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for byteCount in [10, 5_000, 3, 0, 70_000] {
      try store.backend.commit { batch in
        batch.put(patternedBytes(1, count: byteCount), row: 1, in: store.songs, expecting: .anything)
        batch.put(patternedBytes(2, count: byteCount), key: [1], in: store.names)
        batch.put(patternedBytes(3, count: byteCount), key: [1], in: store.index)
      }
      #expect(try store.backend.newest.value(1, in: store.songs) == patternedBytes(1, count: byteCount))
      #expect(try store.backend.newest.value(key: [1], in: store.names) == patternedBytes(2, count: byteCount))
      #expect(try store.backend.newest.value(key: [1], in: store.index) == patternedBytes(3, count: byteCount))
    }
    try store.backend.commit { batch in
      batch.remove(row: 1, in: store.songs)
      batch.remove(key: [1], in: store.names)
      batch.remove(key: [1], in: store.index)
    }
    #expect(try store.backend.newest.value(1, in: store.songs) == nil)
    #expect(try store.backend.newest.value(key: [1], in: store.names) == nil)
    #expect(try store.backend.newest.value(key: [1], in: store.index) == nil)
    #expect(try store.backend.count(of: store.songs) == 0)
    #expect(try store.backend.count(of: store.index) == 0)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a refused batch lists every conflict and changes nothing`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let commitNumber = try store.backend.commit { batch in
      for row in 1...4 as ClosedRange<RowID> { batch.put(patternedBytes(row), row: row, in: store.songs) }
      batch.put(patternedBytes(5), key: [5], in: store.names)
    }
    let before = try state(of: store)
    var batch = WriteBatch()
    batch.put([0], row: 1, in: store.songs, expecting: .absent)  // 0: present
    batch.put([0], row: 2, in: store.songs, expecting: .token(token(of: patternedBytes(2))))  // 1: fits
    batch.put([0], row: 3, in: store.songs, expecting: .token(99))  // 2: different token
    batch.remove(row: 4, in: store.songs, expecting: .token(98))  // 3: different token
    batch.remove(row: 5, in: store.songs)  // 4: absent
    batch.put([0], row: 6, in: store.songs, expecting: .token(1))  // 5: absent
    batch.put([0], row: 7, in: store.songs)  // 6: fits
    batch.remove(key: [4], in: store.names)  // 7: absent
    batch.put([0], key: [5], in: store.names, expecting: .absent)  // 8: present
    batch.put([0], key: [6], in: store.names, expecting: .anything)  // 9: fits
    batch.sort()
    let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    #expect(error?.conflicts == [0, 2, 3, 4, 5, 7, 8])
    #expect(try state(of: store) == before)
    #expect(try store.backend.outcome(of: batch.id) == nil)
    #expect(try store.backend.snapshot().commitNumber == commitNumber)
  }

  private func state(of store: OpenBackend) throws -> [[[UInt8]: [UInt8]]] {
    let rows = try store.backend.allRows(of: store.songs).map { (bigEndianBytes($0.key), $0.value) }
    return [
      Dictionary(uniqueKeysWithValues: rows), try store.backend.allKeys(of: store.names),
      try store.backend.allKeys(of: store.index),
    ]
  }

  @Test(arguments: TestedBackend.allCases)
  func `expectations that hold let the batch pass`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      batch.put(patternedBytes(1), row: 1, in: store.songs, expecting: .absent)
      batch.put(patternedBytes(2), row: 2, in: store.songs, expecting: .anything)
      batch.put(patternedBytes(3), key: [3], in: store.index, expecting: .absent)
    }
    try store.backend.commit { batch in
      batch.put(patternedBytes(4), row: 1, in: store.songs, expecting: .token(token(of: patternedBytes(1))))
      batch.remove(row: 2, in: store.songs, expecting: .token(token(of: patternedBytes(2))))
      batch.remove(key: [3], in: store.index, expecting: .token(token(of: patternedBytes(3))))
    }
    #expect(try store.backend.allRows(of: store.songs) == [1: patternedBytes(4)])
    #expect(try store.backend.count(of: store.index) == 0)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a refused batch passes once its conflicts are gone`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var batch = WriteBatch()
    batch.put([2], row: 1, in: store.songs, expecting: .absent)
    try store.backend.commit { $0.put(patternedBytes(1), row: 1, in: store.songs) }
    expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    let latest = try store.backend.commit { $0.remove(row: 1, in: store.songs) }
    let commitNumber = try store.backend.commit(batch, durability: .full)
    #expect(commitNumber > latest)
    #expect(try store.backend.outcome(of: batch.id) == commitNumber)
  }

  @Test(arguments: TestedBackend.allCases)
  func `an empty batch is no commit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let commitNumber = try store.backend.commit(.relaxed) { $0.put([1], row: 1, in: store.songs) }
    #expect(try store.backend.commit { _ in } == commitNumber)
    #expect(try store.backend.snapshot().commitNumber == commitNumber)
    #expect(try store.backend.allRows(of: store.songs) == [1: [1]])
  }

  @Test(arguments: TestedBackend.allCases, [Durability.full, .relaxed, .bulk])
  func `a commit is visible at once with either durability`(
    _ kind: TestedBackend, _ durability: Durability
  ) throws {
    let store = try OpenBackend(kind)
    for row in 1...20 as ClosedRange<RowID> {
      try store.backend.commit(durability) { $0.put(patternedBytes(row), row: row, in: store.songs) }
      #expect(try store.backend.newest.value(row, in: store.songs) == patternedBytes(row))
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `the outcomes of the last 1,024 batches are known by their ids`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var commits: [(id: BatchID, number: CommitNumber)] = []
    for number in 1...1030 as ClosedRange<RowID> {
      var batch = WriteBatch()
      batch.put(bigEndianBytes(number), row: 1, in: store.songs, expecting: .anything)
      commits.append((batch.id, try store.backend.commit(batch, durability: .relaxed)))
    }
    for commit in commits.suffix(1024) { #expect(try store.backend.outcome(of: commit.id) == commit.number) }
    #expect(try store.backend.outcome(of: BatchID()) == nil)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    // Closing may use one or two commit numbers for the backend's own changes.
    for commit in commits.suffix(1000) { #expect(try store.backend.outcome(of: commit.id) == commit.number) }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch for an unknown keyspace, or with keys of another kind, is refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    expectError(.noSuchKeyspace) {
      try store.backend.commit { $0.put([1], row: 1, in: KeyspaceID(rawValue: 999)) }
    }
    expectError(.invalidArgument) { try store.backend.commit { $0.put([1], key: [], in: store.names) } }
    expectError(.noSuchKeyspace) { _ = try store.backend.count(of: KeyspaceID(rawValue: 999)) }
    expectError(.noSuchKeyspace) { _ = try store.backend.newest.value(1, in: KeyspaceID(rawValue: 999)) }
    expectError(.noSuchKeyspace) { _ = try store.backend.snapshot().scan(KeyspaceID(rawValue: 999)) }
    #expect(try store.backend.snapshot().commitNumber == 0)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a large batch over several keyspaces is applied as one`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let rows = try store.backend.reserveRowIDs(20_000, in: store.songs)
    try store.backend.commit { batch in
      for row in rows {
        batch.put(patternedBytes(row, count: Int(row % 90)), row: row, in: store.songs)
        batch.put([], key: bigEndianBytes(row &* 0x9E37_79B9_7F4A_7C15), in: store.index)
      }
    }
    #expect(try store.backend.count(of: store.songs) == 20_000)
    #expect(try store.backend.count(of: store.index) == 20_000)
    let found = try store.backend.allRows(of: store.songs)
    #expect(found == Dictionary(uniqueKeysWithValues: rows.map { ($0, patternedBytes($0, count: Int($0 % 90))) }))
    try store.backend.commit { batch in
      for row in rows where row % 2 == 0 {
        batch.remove(row: row, in: store.songs)
        batch.remove(key: bigEndianBytes(row &* 0x9E37_79B9_7F4A_7C15), in: store.index)
      }
    }
    #expect(try store.backend.count(of: store.songs) == 10_000)
    #expect(Set(try store.backend.allRows(of: store.songs).keys) == Set(rows.filter { $0 % 2 == 1 }))
    #expect(try store.backend.allKeys(of: store.index).count == 10_000)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch out of order, or with two changes of a key, is refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for (first, second) in [(2, 1), (2, 2)] as [(RowID, RowID)] {
      var batch = WriteBatch()
      batch.put([1], row: first, in: store.songs)
      batch.put([1], row: second, in: store.songs)
      expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .full) }
    }
    #expect(try store.backend.count(of: store.songs) == 0)
  }
}
