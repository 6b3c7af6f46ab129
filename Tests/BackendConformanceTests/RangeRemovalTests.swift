// Removals of all keys of a tree within bounds.
import TestSupport
import Testing
import Todana

@Suite struct RangeRemovalTests {
  @Test(arguments: TestedBackend.allCases, RandomSeeds.seeds(new: 2, long: 20))
  func `random ranges are removed as from a dictionary`(_ kind: TestedBackend, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try OpenBackend(kind)
    var model: [[UInt8]: [UInt8]] = [:]
    /// Keys of very different lengths, many of them neighbours, so that leaves hold few or many of them.
    func key() -> [UInt8] {
      let number = bigEndianBytes(UInt64.random(in: 0..<3000, using: &random))
      return number + [UInt8](repeating: 7, count: Int.random(in: 0..<10, using: &random) == 0 ? 300 : 13)
    }
    for round in 0..<12 {
      try store.backend.commit { batch in
        var added: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<Int.random(in: 1...1500, using: &random) { added[key()] = patternedBytes(UInt64(round)) }
        for (key, value) in added { batch.put(value, key: key, in: store.index) }
        model.merge(added) { $1 }
      }
      let before = try store.backend.snapshot()
      var bounds = (0..<2 * Int.random(in: 1...4, using: &random)).map { _ in Array(key().prefix(8)) }
      bounds.sort { $0.lexicographicallyPrecedes($1) }
      if Int.random(in: 0..<4, using: &random) == 0 { bounds[0] = [] }
      if Int.random(in: 0..<4, using: &random) == 0 { bounds[bounds.count - 1] = [] }
      var after = model
      let isWrong = Int.random(in: 0..<3, using: &random) == 0
      var batch = WriteBatch()
      var wrongCount = 0
      for position in stride(from: 0, to: bounds.count, by: 2) {
        let (lower, upper) = (bounds[position], bounds[position + 1])
        let isWithin = { (key: [UInt8]) in
          !key.lexicographicallyPrecedes(lower) && (upper.isEmpty || key.lexicographicallyPrecedes(upper))
        }
        let keys = model.keys.filter(isWithin)
        let difference = isWrong ? [-1, 0, 1].randomElement(using: &random) ?? 0 : 0
        let expected = max(0, keys.count + difference)
        if expected != keys.count { wrongCount += 1 }
        batch.appendRangeRemoval(of: store.index, from: lower, to: upper, exactly: expected)
        for key in keys { after[key] = nil }
        // Neighbours of the range are changed, too.
        if upper.count > 1, after[upper] != nil || Bool.random(using: &random) {
          batch.put([9], key: upper, in: store.index)
          after[upper] = [9]
        }
      }
      batch.sort()
      if batch.hasChangesWithinRemovedRanges {
        expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .relaxed) }
      } else if wrongCount > 0 {
        let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .relaxed) }
        #expect(error?.conflicts.count == wrongCount)
      } else {
        _ = try store.backend.commit(batch, durability: .relaxed)
        #expect(
          try Dictionary(uniqueKeysWithValues: before.scan(store.index).remainingKeys()) == model,
          "round \(round), seed \(seed)")
        model = after
      }
      try #require(store.backend.allKeys(of: store.index) == model, "round \(round), seed \(seed)")
      #expect(try store.backend.count(of: store.index) == model.count)
    }
    try store.backend.commit { batch in
      batch.appendRangeRemoval(of: store.index, from: [], to: [], exactly: model.count)
    }
    #expect(try store.backend.count(of: store.index) == 0)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `removals in empty and cleared trees expect no key`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for isCleared in [false, true] {
      for count in [0, 1] {
        var batch = WriteBatch()
        if isCleared { batch.appendClear(of: store.index) }
        batch.appendRangeRemoval(of: store.index, from: [1], to: [9], exactly: count)
        batch.put([1], key: [9], in: store.index)
        batch.sort()
        if count == 0 {
          _ = try store.backend.commit(batch, durability: .full)
          #expect(try store.backend.allKeys(of: store.index) == [[9]: [1]])
        } else {
          let error = expectError(.conflict) { _ = try store.backend.commit(batch, durability: .full) }
          #expect(error?.conflicts == [isCleared ? 1 : 0])
        }
        if !isCleared { try store.backend.commit { $0.appendClear(of: store.index) } }
      }
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `overlapping ranges, changes within one, and other expectations are refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for number in 1...9 as ClosedRange<UInt8> { batch.put([number], key: [number], in: store.index) }
    }
    let builders: [(inout WriteBatch) -> Void] = [
      { $0.put([1], key: [3], in: store.index) }, { $0.remove(key: [4], in: store.index) },
      { $0.appendRangeRemoval(of: store.index, from: [4], to: [8], exactly: 4) },
      { $0.appendRangeRemoval(of: store.index, from: [], to: [4], exactly: 3) },
    ]
    for build in builders {
      var batch = WriteBatch()
      batch.appendRangeRemoval(of: store.index, from: [3], to: [5], exactly: 2)
      build(&batch)
      batch.sort()
      expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .full) }
    }
    for keyspace in [store.songs, store.names] {
      expectError(.invalidArgument) {
        try store.backend.commit { $0.appendRangeRemoval(of: keyspace, from: [1], to: [2], exactly: 0) }
      }
    }
    for expectation in [WriteBatch.Expectation.anything, .absent, .present, .token(1), .atMost(9)] {
      var batch = WriteBatch()
      batch.append(
        .init(keyspace: store.index, kind: .removeRange, expectation: expectation, key: .bytes(0..<0), value: 0..<0))
      expectError(.invalidArgument) { _ = try store.backend.commit(batch, durability: .full) }
    }
    #expect(try store.backend.count(of: store.index) == 9)
    try expectWhole(store)
  }
}
