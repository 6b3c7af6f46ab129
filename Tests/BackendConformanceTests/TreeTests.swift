import Foundation
import TestSupport
import Testing
import Todana

@Suite struct TreeTests {
  @Test(arguments: TestedBackend.allCases)
  func `a tree's keys come in the order of their bytes, in both directions`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let keys = try fill(store, count: 3000)
    let snapshot = try store.backend.snapshot()
    let upwards = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: false).remainingKeys()
    #expect(upwards.map(\.key) == keys)
    #expect(upwards.allSatisfy { $0.value == Array($0.key.reversed()) })
    let downwards = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: true).remainingKeys()
    #expect(downwards.map(\.key) == keys.reversed())
  }

  @Test(arguments: TestedBackend.allCases)
  func `bounds include the lower key and exclude the upper one`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let keys = try fill(store, count: 400)
    var generator = SeededGenerator(seed: 5)
    var bounds: [[UInt8]?] = [nil, [], [0], [255, 255, 255, 255], keys[0], keys[399], keys[7] + [0]]
    for _ in 0..<12 { bounds.append(keys.randomElement(using: &generator)) }
    let snapshot = try store.backend.snapshot()
    for lower in bounds {
      for upper in bounds {
        let expected = keys.filter { key in
          if let lower, key.lexicographicallyPrecedes(lower) { return false }
          return upper.map { key.lexicographicallyPrecedes($0) } ?? true
        }
        for descending in [false, true] {
          let found = try snapshot.scan(tree: store.index, from: lower, to: upper, descending: descending)
            .remainingKeys().map(\.key)
          #expect(found == (descending ? expected.reversed() : expected), "from \(lower ?? []) to \(upper ?? [])")
        }
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `an empty tree has no keys`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for descending in [false, true] {
      let scan = try store.backend.snapshot().scan(tree: store.index, from: nil, to: nil, descending: descending)
      #expect(try scan.remainingKeys().isEmpty)
      #expect(try scan.remainingKeys().isEmpty, "a scan stays at its end")
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `removed keys are gone from the order, and the other keys stay`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    var keys = try fill(store, count: 2000)
    var generator = SeededGenerator(seed: 11)
    while keys.count > 10 {
      let removed = Set((0..<keys.count / 3 + 1).map { _ in keys[Int.random(in: 0..<keys.count, using: &generator)] })
      try store.backend.commit { batch in
        for key in removed { batch.remove(key: key, in: store.index) }
      }
      keys.removeAll { removed.contains($0) }
      let scan = try store.backend.snapshot().scan(tree: store.index, from: nil, to: nil, descending: false)
      #expect(try scan.remainingKeys().map(\.key) == keys)
      #expect(try store.backend.count(of: store.index) == keys.count)
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `only a tree can be scanned between bounds`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      batch.put([1], row: 1, in: store.songs)
      batch.put([1], key: [1], in: store.names)
    }
    for keyspace in [store.songs, store.names] {
      expectError(.invalidArgument) {
        _ = try store.backend.snapshot().scan(tree: keyspace, from: nil, to: nil, descending: false)
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `few keys within bounds are counted, many are estimated`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    #expect(try store.backend.snapshot().estimatedCount(tree: store.index, from: nil, to: [7]) == 0)
    let empty = try store.backend.snapshot()
    let count = 100_000
    var generator = SeededGenerator(seed: 3)
    let numbers = (0..<count).map { _ in generator.next() }
    for part in 0..<4 {
      try store.backend.commit(.relaxed) { batch in
        for number in numbers[count * part / 4..<count * (part + 1) / 4] {
          batch.put([], key: bigEndianBytes(number) + [1, 2, 3, 4, 5], in: store.index)
        }
      }
    }
    let keys = Set(numbers).sorted().map { bigEndianBytes($0) + [1, 2, 3, 4, 5] }
    #expect(try empty.estimatedCount(tree: store.index, from: [1], to: nil) == 0)
    let snapshot = try store.backend.snapshot()
    #expect(try snapshot.estimatedCount(tree: store.index, from: nil, to: nil) == keys.count)
    #expect(try snapshot.estimatedCount(tree: store.index, from: keys[500], to: keys[500]) == 0)
    #expect(try snapshot.estimatedCount(tree: store.index, from: keys[500], to: keys[400]) == 0)
    // The dictionary backend estimates by counting, which takes a long time.
    for _ in 0..<(kind == .dictionary ? 2 : 200) {
      let first = Int.random(in: 0..<keys.count - 1000, using: &generator)
      let last = Int.random(in: first + 1000..<keys.count, using: &generator)
      let estimate = try snapshot.estimatedCount(tree: store.index, from: keys[first], to: keys[last])
      #expect((last - first) / 2...(last - first) * 2 ~= estimate, "keys \(first) to \(last)")
      let few = Int.random(in: 1...5, using: &generator)
      #expect(try snapshot.estimatedCount(tree: store.index, from: keys[first], to: keys[first + few]) == few)
    }
    for share in [10, 2] {
      let bound = keys[keys.count / share]
      let before = try snapshot.estimatedCount(tree: store.index, from: nil, to: bound)
      let behind = try snapshot.estimatedCount(tree: store.index, from: bound, to: nil)
      #expect(keys.count / share / 2...keys.count / share * 2 ~= before)
      #expect(keys.count / 4...keys.count ~= behind)
    }
  }

  @Test func `an estimate over damaged nodes is an error`() throws {
    let store = try OpenBackend(.directory)
    _ = try fill(store, count: 20_000)
    try store.backend.close()
    let directory = try FileManager.default.contentsOfDirectory(atPath: store.path)
    let name = try #require(directory.first { $0.contains("Song.seconds") && $0.hasSuffix(".kct") })
    let file = URL(filePath: store.path + "/" + name)
    var bytes = [UInt8](try Data(contentsOf: file))
    // Skips the header, which is checked when the file is opened.
    for index in stride(from: 3 * 4096, to: bytes.count, by: 4096) { bytes[index] ^= 1 }
    try Data(bytes).write(to: file)
    let backend = try KyotoBackend(.directory(store.path))
    let error = expectError(.damaged) {
      _ = try backend.snapshot().estimatedCount(tree: store.index, from: [50], to: [200])
    }
    #expect(error?.file?.contains(name) == true)
    try backend.close()
  }

  @Test(arguments: TestedBackend.allCases)
  func `an estimate counts the keys of its snapshot, not later ones`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for number in 0..<100 as Range<UInt8> { batch.put([], key: [number], in: store.index) }
    }
    let snapshot = try store.backend.snapshot()
    try store.backend.commit { batch in
      for number in 10..<50 as Range<UInt8> { batch.remove(key: [number], in: store.index) }
      for number in 50..<90 as Range<UInt8> { batch.put([], key: [number, 1], in: store.index) }
    }
    #expect(try snapshot.estimatedCount(tree: store.index, from: [5], to: [95]) == 90)
    #expect(try store.backend.snapshot().estimatedCount(tree: store.index, from: [5], to: [95]) == 90)
    #expect(try snapshot.estimatedCount(tree: store.index, from: [5], to: [50]) == 45)
    #expect(try store.backend.snapshot().estimatedCount(tree: store.index, from: [5], to: [50]) == 5)
    expectError(.invalidArgument) { _ = try snapshot.estimatedCount(tree: store.songs, from: [5], to: [50]) }
  }

  /// Puts keys of different lengths into the tree in mixed order, and returns them sorted.
  private func fill(_ store: OpenBackend, count: Int) throws -> [[UInt8]] {
    var generator = SeededGenerator(seed: UInt64(count))
    var keys: Set<[UInt8]> = []
    while keys.count < count {
      let byteCount = Int.random(in: 1...(keys.count % 50 == 0 ? 300 : 5), using: &generator)
      keys.insert((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
    let order = keys.sorted { $0.lexicographicallyPrecedes($1) }
    for part in stride(from: 0, to: count, by: 701) {
      try store.backend.commit { batch in
        for index in part..<min(part + 701, count) {
          let key = order[(index * 7919) % count]
          batch.put(key.reversed(), key: key, in: store.index, expecting: .absent)
        }
      }
    }
    return order
  }
}
