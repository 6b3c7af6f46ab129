// Expectations other than a record's token: that a record is present, and how many keys a range has.
import TestSupport
import Testing
import Todana

@Suite struct ExpectationTests {
  @Test(arguments: TestedBackend.allCases)
  func `a record that is expected to be present may have any value`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    try store.backend.commit { batch in
      batch.check(row: 1, in: store.songs, expecting: .present)
      batch.put([5], row: 2, in: store.songs, expecting: .present)
      batch.remove(row: 3, in: store.songs, expecting: .present)
      for keyspace in [store.names, store.index] {
        batch.check(key: [1], in: keyspace, expecting: .present)
        batch.put([5], key: [2], in: keyspace, expecting: .present)
        batch.remove(key: [3], in: keyspace, expecting: .present)
      }
    }
    #expect(try store.backend.newest.values([1, 2, 3], in: store.songs) == [patternedBytes(1), [5], nil])
    for keyspace in [store.names, store.index] {
      #expect(try store.backend.newest.value(key: [1], in: keyspace) == patternedBytes(1))
      #expect(try store.backend.newest.value(key: [2], in: keyspace) == [5])
      #expect(try store.backend.newest.value(key: [3], in: keyspace) == nil)
      #expect(try store.backend.count(of: keyspace) == 39)
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a missing record that is expected to be present is a conflict`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    // Check once with empty keyspaces and once with filled ones.
    for isFilled in [false, true] {
      if isFilled { try fill(store) }
      var batch = WriteBatch()
      batch.check(row: 77, in: store.songs, expecting: .present)
      batch.put([1], row: 78, in: store.songs, expecting: .present)
      batch.put([1], row: 79, in: store.songs, expecting: .absent)
      batch.remove(row: 80, in: store.songs, expecting: .present)
      for keyspace in [store.names, store.index] {
        batch.check(key: [77], in: keyspace, expecting: .present)
        batch.put([1], key: [78], in: keyspace, expecting: .present)
      }
      batch.sort()
      let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
      #expect(error?.conflicts == [0, 1, 3, 4, 5, 6, 7])
      #expect(try store.backend.count(of: store.songs) == (isFilled ? 40 : 0))
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a range of a tree with more keys than allowed is a conflict`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for count in [0, 1, 3000] {
      try store.backend.commit { batch in
        for number in 0..<count { batch.put([1], key: bigEndianBytes(UInt64(number)), in: store.index) }
      }
      let ranges: [(lower: [UInt8], upper: [UInt8])] = [
        ([], []), (bigEndianBytes(10), []), ([], bigEndianBytes(10)), (bigEndianBytes(5), bigEndianBytes(9)),
        (bigEndianBytes(2999), bigEndianBytes(3000)), (bigEndianBytes(3000), []), ([0], [0, 0]),
        (bigEndianBytes(9), bigEndianBytes(5)), (bigEndianBytes(100), bigEndianBytes(2900)),
      ]
      for (lower, upper) in ranges {
        let found = (0..<count).count { number in
          let key = bigEndianBytes(UInt64(number))
          return !key.lexicographicallyPrecedes(lower) && (upper.isEmpty || key.lexicographicallyPrecedes(upper))
        }
        for most in Set([0, max(0, found - 1), found, found + 1, Int.max]) {
          var batch = WriteBatch()
          batch.appendRangeCheck(of: store.index, from: lower, to: upper, atMost: most)
          batch.put([9], row: 1, in: store.songs, expecting: .anything)
          batch.sort()
          if found <= most {
            _ = try store.backend.commit(batch, durability: .full)
          } else {
            let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
            #expect(error?.conflicts.map { batch.changes[$0].kind } == [.checkRange])
          }
        }
      }
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `ranges are checked in the state before the batch`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    func batch(atMost most: Int) -> WriteBatch {
      var batch = WriteBatch()
      for number in 1...40 as ClosedRange<UInt8> { batch.erase(key: [number], in: store.index) }
      batch.put([1], key: [200], in: store.index)
      batch.appendRangeCheck(of: store.index, from: [1], to: [41], atMost: most)
      batch.appendRangeCheck(of: store.index, from: [1], to: [2], atMost: 1)
      batch.appendRangeCheck(of: store.index, from: [100], to: [], atMost: 0)
      batch.sort()
      return batch
    }
    expectError(.conflict) { _ = try store.backend.commit(batch(atMost: 39), durability: .full) }
    #expect(try store.backend.count(of: store.index) == 40)
    _ = try store.backend.commit(batch(atMost: 40), durability: .full)
    #expect(try store.backend.allKeys(of: store.index) == [[200]: [1]])
    try store.backend.commit { batch in
      batch.appendClear(of: store.index)
      batch.appendRangeCheck(of: store.index, from: [], to: [], atMost: 0)
      batch.put([2], key: [3], in: store.index)
    }
    #expect(try store.backend.allKeys(of: store.index) == [[3]: [2]])
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `range checks alone make no commit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let number = try fill(store)
    var batch = WriteBatch()
    batch.appendRangeCheck(of: store.index, from: [], to: [], atMost: 40)
    #expect(try store.backend.commit(batch, durability: .full) == number)
    #expect(try store.backend.outcome(of: batch.id) == nil)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a range of an unordered keyspace is refused, and so are bounds over the limit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    for keyspace in [store.songs, store.names] {
      expectError(.invalidArgument) {
        try store.backend.commit { $0.appendRangeCheck(of: keyspace, from: [1], to: [2], atMost: 100) }
      }
    }
    let long = [UInt8](repeating: 1, count: store.backend.limits.keyByteCount + 1)
    expectError(.limitExceeded) {
      try store.backend.commit { $0.appendRangeCheck(of: store.index, from: long, to: [], atMost: 100) }
    }
    for expectation in [WriteBatch.Expectation.anything, .absent, .present, .token(1)] {
      var batch = WriteBatch()
      batch.append(
        .init(keyspace: store.index, kind: .checkRange, expectation: expectation, key: .bytes(0..<0), value: 0..<0))
      expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .full) }
    }
    var batch = WriteBatch()
    let key = batch.arena.append([1])
    batch.append(.init(keyspace: store.index, kind: .check, expectation: .atMost(1), key: .bytes(key), value: 0..<0))
    expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .full) }
  }
}
