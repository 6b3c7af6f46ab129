// The changes of a batch other than puts and removals: erasures, checks and clearings.
import TestSupport
import Testing
import Todana

@Suite struct ChangeKindTests {
  @Test(arguments: TestedBackend.allCases)
  func `an erasure removes an existing record and accepts a missing one`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    try store.backend.commit { batch in
      for row in [2, 4, 900] as [RowID] { batch.erase(row: row, in: store.songs) }
      for key in [[3], [4], [4, 1], [200]] as [[UInt8]] {
        batch.erase(key: key, in: store.names)
        batch.erase(key: key, in: store.index)
      }
    }
    #expect(try Set(store.backend.allRows(of: store.songs).keys) == Set((1...40).filter { $0 != 2 && $0 != 4 }))
    for keyspace in [store.names, store.index] {
      #expect(try store.backend.count(of: keyspace) == 38)
      for number in 1...40 as ClosedRange<UInt8> {
        let value = try store.backend.newest.value(key: [number], in: keyspace)
        #expect(value == (number == 3 || number == 4 ? nil : patternedBytes(UInt64(number))))
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `erasures can be mixed with other changes of neighbouring rows`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    try store.backend.commit { batch in
      for row in 1...60 as ClosedRange<RowID> {
        switch row % 4 {
        case 0: batch.erase(row: row, in: store.songs)
        case 1: batch.put(patternedBytes(row + 500), row: row, in: store.songs, expecting: .anything)
        case 2 where row <= 40: batch.remove(row: row, in: store.songs)
        case 3 where row > 40: batch.check(row: row, in: store.songs, expecting: .absent)
        default: break
        }
      }
    }
    var expected: [RowID: [UInt8]] = [:]
    for row in 1...60 as ClosedRange<RowID> {
      if row % 4 == 1 { expected[row] = patternedBytes(row + 500) }
      if row % 4 == 3, row <= 40 { expected[row] = patternedBytes(row) }
    }
    #expect(try store.backend.allRows(of: store.songs) == expected)
    #expect(try store.backend.count(of: store.songs) == expected.count)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch of checks alone makes no commit, and passes if all of them hold`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let commitNumber = try fill(store)
    var batch = WriteBatch()
    batch.check(row: 1, in: store.songs, expecting: .token(token(of: patternedBytes(1))))
    batch.check(row: 41, in: store.songs, expecting: .absent)
    batch.check(row: 1 << 40, in: store.songs, expecting: .absent)
    for keyspace in [store.names, store.index] {
      batch.check(key: [2], in: keyspace, expecting: .token(token(of: patternedBytes(2))))
      batch.check(key: [2, 0], in: keyspace, expecting: .absent)
    }
    batch.sort()
    #expect(try store.backend.commit(batch, durability: .full) == commitNumber)
    #expect(try store.backend.outcome(of: batch.id) == nil)
    #expect(try store.backend.snapshot().commitNumber == commitNumber)
    #expect(try store.backend.count(of: store.songs) == 40)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch with failed checks is refused, and lists all of them`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    var batch = WriteBatch()
    batch.check(row: 1, in: store.songs, expecting: .absent)  // 0: present
    batch.check(row: 2, in: store.songs, expecting: .token(7))  // 1: different token
    batch.put([1], row: 3, in: store.songs, expecting: .anything)  // 2: fits
    batch.check(row: 77, in: store.songs, expecting: .token(7))  // 3: absent
    batch.check(key: [1], in: store.names, expecting: .absent)  // 4: present
    batch.check(key: [9, 9], in: store.names, expecting: .absent)  // 5: fits
    batch.check(key: [1], in: store.index, expecting: .token(token(of: patternedBytes(1))))  // 6: fits
    batch.check(key: [1, 5], in: store.index, expecting: .token(8))  // 7: absent
    batch.check(key: [2], in: store.index, expecting: .absent)  // 8: present
    batch.sort()
    let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    #expect(error?.conflicts == [0, 1, 3, 4, 7, 8])
    #expect(try store.backend.newest.value(3, in: store.songs) == patternedBytes(3))
  }

  @Test(arguments: TestedBackend.allCases)
  func `a check among other changes changes nothing`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    let commitNumber = try store.backend.commit { batch in
      for row in 1...40 as ClosedRange<RowID> where row != 20 {
        batch.check(row: row, in: store.songs, expecting: .token(token(of: patternedBytes(row))))
      }
      batch.put([9], row: 20, in: store.songs, expecting: .anything)
      for keyspace in [store.names, store.index] {
        batch.check(key: [7], in: keyspace, expecting: .token(token(of: patternedBytes(7))))
        batch.put([8], key: [8], in: keyspace)
        batch.check(key: [8, 1], in: keyspace, expecting: .absent)
      }
    }
    #expect(try store.backend.snapshot().commitNumber == commitNumber)
    for row in 1...40 as ClosedRange<RowID> {
      #expect(try store.backend.newest.value(row, in: store.songs) == (row == 20 ? [9] : patternedBytes(row)))
    }
    for keyspace in [store.names, store.index] {
      #expect(try store.backend.newest.value(key: [7], in: keyspace) == patternedBytes(7))
      #expect(try store.backend.newest.value(key: [8], in: keyspace) == [8])
      #expect(try store.backend.count(of: keyspace) == 40)
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `clearing a keyspace removes all of its records and no others`(_ kind: TestedBackend) throws {
    for cleared in 0..<3 {
      let store = try OpenBackend(kind)
      try fill(store)
      let keyspaces = [store.songs, store.names, store.index]
      let before = try store.backend.snapshot()
      try store.backend.commit { $0.appendClear(of: keyspaces[cleared]) }
      for (number, keyspace) in keyspaces.enumerated() {
        #expect(try store.backend.count(of: keyspace) == (number == cleared ? 0 : 40))
        #expect(try before.count(of: keyspace) == 40)
      }
      #expect(try before.scan(store.songs).remainingRows().count == 40)
      #expect(try before.scan(store.names).remainingKeys().count == 40)
      #expect(
        try before.scan(tree: store.index, from: nil, to: nil, descending: true).remainingKeys().map(\.value)
          == (1...40).reversed().map { patternedBytes(UInt64($0)) })
      #expect(try store.backend.newest.value(1, in: store.songs) == (cleared == 0 ? nil : patternedBytes(1)))
      #expect(try store.backend.newest.value(key: [1], in: store.names) == (cleared == 1 ? nil : patternedBytes(1)))
      #expect(try store.backend.newest.value(key: [1], in: store.index) == (cleared == 2 ? nil : patternedBytes(1)))
      try expectWhole(store)
      guard kind.lasts else { continue }
      try store.reopenAfterClosing()
      #expect(try store.backend.count(of: keyspaces[cleared]) == 0)
      try expectWhole(store)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `changes after a clearing find the keyspace empty`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    try store.backend.commit { batch in
      batch.put([2, 2], row: 2, in: store.songs, expecting: .absent)
      batch.put([3, 3], row: 3, in: store.songs, expecting: .anything)
      batch.check(row: 4, in: store.songs, expecting: .absent)
      batch.erase(row: 5, in: store.songs)
      for keyspace in [store.names, store.index] {
        batch.put([2, 2], key: [2], in: keyspace, expecting: .absent)
        batch.put([3, 3], key: [3], in: keyspace, expecting: .anything)
        batch.check(key: [4], in: keyspace, expecting: .absent)
        batch.erase(key: [5], in: keyspace)
      }
      // The clearings are appended last; sorting moves them to the front.
      for keyspace in [store.songs, store.names, store.index] { batch.appendClear(of: keyspace) }
    }
    #expect(try store.backend.allRows(of: store.songs) == [2: [2, 2], 3: [3, 3]])
    for keyspace in [store.names, store.index] {
      #expect(try store.backend.count(of: keyspace) == 2)
      #expect(try store.backend.newest.value(key: [2], in: keyspace) == [2, 2])
      #expect(try store.backend.newest.value(key: [3], in: keyspace) == [3, 3])
      #expect(try store.backend.newest.value(key: [4], in: keyspace) == nil)
    }
    try expectWhole(store)
    var batch = WriteBatch()
    batch.appendClear(of: store.songs)
    batch.remove(row: 2, in: store.songs)
    batch.check(row: 3, in: store.songs, expecting: .token(token(of: [3, 3])))
    batch.appendClear(of: store.index)
    batch.put([1], key: [2], in: store.index, expecting: .token(token(of: [2, 2])))
    batch.sort()
    let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    #expect(error?.conflicts == [1, 2, 4])
    #expect(try store.backend.allRows(of: store.songs) == [2: [2, 2], 3: [3, 3]])
    #expect(try store.backend.count(of: store.index) == 2)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `row ids are not reused after a keyspace is cleared`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let last = try store.backend.reserveRowIDs(50, in: store.songs).upperBound
    try fill(store)
    try store.backend.commit { $0.appendClear(of: store.songs) }
    #expect(try store.backend.reserveRowIDs(1, in: store.songs).lowerBound >= last)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.reserveRowIDs(1, in: store.songs).lowerBound >= last)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a keyspace that never had a record can be cleared`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for _ in 0..<2 {
      try store.backend.commit { batch in
        for keyspace in [store.songs, store.names, store.index] { batch.appendClear(of: keyspace) }
      }
    }
    for keyspace in [store.songs, store.names, store.index] {
      #expect(try store.backend.count(of: keyspace) == 0)
    }
    try fill(store)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a change with an expectation that its kind cannot have is refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let commitNumber = try fill(store)
    let impossible: [(WriteBatch.Kind, WriteBatch.Expectation)] = [
      (.remove, .absent), (.erase, .absent), (.erase, .token(1)), (.check, .anything), (.clear, .absent),
      (.clear, .token(1)),
    ]
    for (change, expectation) in impossible {
      expectError(.invalidArgument) {
        try store.backend.commit { batch in
          batch.append(
            .init(
              keyspace: store.songs, kind: change, expectation: expectation, key: .row(change == .clear ? 0 : 1),
              value: 0..<0))
        }
      }
    }
    expectError(.invalidArgument) {
      try store.backend.commit { batch in
        batch.append(
          .init(keyspace: store.songs, kind: .clear, expectation: .anything, key: .row(1), value: 0..<0))
      }
    }
    #expect(try store.backend.snapshot().commitNumber == commitNumber)
    #expect(try store.backend.count(of: store.songs) == 40)
  }
}
