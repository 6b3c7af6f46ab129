// Records of trees whose keys begin with the number of the commit that puts them.
import TestSupport
import Testing
import Todana

@Suite struct NumberedKeyTests {
  @Test(arguments: TestedBackend.allCases)
  func `a numbered key begins with the number of its commit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var expected: [[UInt8]] = []
    try store.backend.commit { $0.put([1], key: [1], in: store.names) }
    for value in 1...300 as ClosedRange<UInt64> {
      let number = try store.backend.commit { batch in
        batch.putNumbered(patternedBytes(value), in: store.index)
        batch.put([1], row: value, in: store.songs)
      }
      expected.append(bigEndianBytes(number))
    }
    let found = try store.backend.snapshot().scan(tree: store.index, from: nil, to: nil, descending: false)
      .remainingKeys()
    #expect(found.map(\.key) == expected)
    #expect(found.map(\.value) == (1...300).map { patternedBytes($0) })
    try expectWhole(store)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.newest.value(key: expected[17], in: store.index) == patternedBytes(18))
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `numbered keys of one commit differ by their suffixes and sort among other keys`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let number = try store.backend.commit { batch in
      for suffix in [[], [0], [0, 0], [7], [255]] as [[UInt8]] {
        batch.putNumbered([UInt8(suffix.count)], suffix: suffix, in: store.index)
      }
      for key in [[0], [0, 0, 0, 0, 0, 0, 0, 0, 200], [255]] as [[UInt8]] { batch.put([9], key: key, in: store.index) }
      batch.check(key: [1], in: store.index, expecting: .absent)
    }
    let prefix = bigEndianBytes(number)
    let found = try store.backend.snapshot().scan(tree: store.index, from: nil, to: nil, descending: false)
      .remainingKeys()
    #expect(
      found.map(\.key) == [
        [0], [0, 0, 0, 0, 0, 0, 0, 0, 200], prefix, prefix + [0], prefix + [0, 0], prefix + [7], prefix + [255], [255],
      ])
    #expect(found.map(\.value) == [[9], [9], [0], [1], [2], [1], [1], [9]])
    try expectWhole(store)
    try store.backend.commit { batch in
      for entry in found { batch.remove(key: entry.key, in: store.index) }
    }
    #expect(try store.backend.count(of: store.index) == 0)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a numbered put replaces an existing key, or is listed as a conflict`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let number = try fill(store) + 1
    // Put the key that a numbered put in the next commit will have.
    try store.backend.commit { $0.put([1, 1], key: bigEndianBytes(number + 1), in: store.index) }
    var batch = WriteBatch()
    batch.putNumbered([2], suffix: [3], in: store.index, expecting: .absent)
    batch.putNumbered([2], in: store.index, expecting: .absent)
    batch.put([1], key: [255], in: store.index)
    batch.sort()
    let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
    #expect(error?.conflicts == [1])
    try store.backend.commit { $0.putNumbered([2], in: store.index) }
    #expect(try store.backend.newest.value(key: bigEndianBytes(number + 1), in: store.index) == [2])
    #expect(try store.backend.count(of: store.index) == 41)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `only trees have numbered keys, of limited length, which cannot expect a record`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for keyspace in [store.songs, store.names] {
      expectError(.invalidArgument) { try store.backend.commit { $0.putNumbered([1], suffix: [1], in: keyspace) } }
    }
    let limit = store.backend.limits.keyByteCount
    expectError(.limitExceeded) {
      try store.backend.commit { batch in
        batch.putNumbered([1], suffix: [UInt8](repeating: 1, count: limit - 7), in: store.index)
      }
    }
    try store.backend.commit { batch in
      batch.putNumbered([1], suffix: [UInt8](repeating: 1, count: limit - 8), in: store.index)
    }
    for expectation in [WriteBatch.Expectation.present, .token(1), .atMost(1)] {
      expectError(.invalidArgument) {
        try store.backend.commit { $0.putNumbered([1], in: store.index, expecting: expectation) }
      }
    }
    #expect(try store.backend.count(of: store.index) == 1)
  }
}
