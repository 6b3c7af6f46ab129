// Keyspaces that are loaded separately and adopted in one commit.
import TestSupport
import Testing
import Todana

@Suite struct LoadedKeyspaceTests {
  /// Appends records to a loader: rows, or keys of three bytes.
  private func append(_ numbers: ClosedRange<UInt64>, to loader: any KeyspaceLoader, _ kind: KeyspaceKind) throws {
    var batch = WriteBatch()
    for number in numbers {
      if kind == .rows {
        batch.put(patternedBytes(number), row: number, in: loader.keyspace)
      } else {
        batch.put(patternedBytes(number), key: Self.key(number), in: loader.keyspace)
      }
    }
    batch.sort()
    try loader.append(batch)
  }

  private static func key(_ number: UInt64) -> [UInt8] { Array(bigEndianBytes(number)[5...]) }

  private func expectRecords(
    _ numbers: ClosedRange<UInt64>, of keyspace: KeyspaceID, _ kind: KeyspaceKind, in store: OpenBackend
  ) throws {
    #expect(try store.backend.count(of: keyspace) == numbers.count)
    for number in [numbers.lowerBound, numbers.lowerBound + 17, numbers.upperBound] {
      let value =
        kind == .rows
        ? try store.backend.newest.value(number, in: keyspace)
        : try store.backend.newest.value(key: Self.key(number), in: keyspace)
      #expect(value == patternedBytes(number))
    }
    if kind == .rows {
      let rows = try store.backend.allRows(of: keyspace)
      // Compare outside of the expectation, which would print thousands of records.
      let areRight = rows == Dictionary(uniqueKeysWithValues: numbers.map { ($0, patternedBytes($0)) })
      #expect(areRight)
    } else {
      #expect(try store.backend.allKeys(of: keyspace).count == numbers.count)
    }
  }

  @Test(arguments: TestedBackend.allCases, [KeyspaceKind.rows, .keys, .tree])
  func `a keyspace appears with all its records in the commit that adopts it`(
    _ kind: TestedBackend, _ keyspaceKind: KeyspaceKind
  ) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    let name = Array("loaded".utf8)
    let loader = try store.backend.loadKeyspace(of: keyspaceKind, named: name, expecting: 5000)
    for first in stride(from: UInt64(1), through: 4901, by: 50) {
      try append(first...first + 49, to: loader, keyspaceKind)
      // Commits continue during loading.
      if first % 1000 == 1 { try store.backend.commit { $0.put([1], row: 100 + first, in: store.songs) } }
    }
    #expect(try !store.backend.keyspaces().map(\.id).contains(loader.keyspace))
    expectError(.noSuchKeyspace) { _ = try store.backend.count(of: loader.keyspace) }
    try loader.finish()
    let before = try store.backend.snapshot()
    try store.backend.commit { batch in
      batch.appendAdoption(of: loader.keyspace)
      batch.put([2], key: [222], in: store.names)
    }
    let info = try #require(try store.backend.keyspaces().first { $0.id == loader.keyspace })
    #expect(info.name == name && info.kind == keyspaceKind)
    #expect(try store.backend.keyspaceID(of: keyspaceKind, named: name) == loader.keyspace)
    #expect(try store.backend.newest.value(key: [222], in: store.names) == [2])
    try expectRecords(1...4950, of: loader.keyspace, keyspaceKind, in: store)
    #expect(try before.count(of: loader.keyspace) == 0)
    expectError(.interrupted) { try append(6000...6000, to: loader, keyspaceKind) }
    if kind.lasts {
      try store.reopenAfterClosing()
      try expectRecords(1...4950, of: loader.keyspace, keyspaceKind, in: store)
    }
    // The adopted keyspace is like any other.
    try store.backend.commit { batch in
      if keyspaceKind == .rows {
        batch.put(patternedBytes(4951), row: 4951, in: loader.keyspace)
      } else {
        batch.put(patternedBytes(4951), key: Self.key(4951), in: loader.keyspace)
      }
    }
    try expectRecords(1...4951, of: loader.keyspace, keyspaceKind, in: store)
    if keyspaceKind == .rows {
      #expect(try store.backend.reserveRowIDs(1, in: loader.keyspace).lowerBound == 4952)
    }
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `an adopted keyspace replaces one that the same batch drops`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    let loader = try store.backend.loadKeyspace(of: .tree, named: Array("Song.seconds".utf8), expecting: 0)
    try append(1...100, to: loader, .tree)
    try loader.finish()
    var early = WriteBatch()
    early.appendAdoption(of: loader.keyspace)
    expectError(.invalidArgument) { _ = try store.backend.commit(early, durability: .full) }
    #expect(try store.backend.count(of: store.index) == 40)
    // The keyspace can still be adopted after one batch was refused for its name and another for a conflict.
    var refused = WriteBatch()
    refused.appendDrop(of: store.index)
    refused.appendAdoption(of: loader.keyspace)
    refused.check(row: 1, in: store.songs, expecting: .absent)
    refused.sort()
    expectError(.conflict) { _ = try store.backend.commit(refused, durability: .full) }
    #expect(try store.backend.count(of: store.index) == 40)
    try store.backend.commit { batch in
      batch.appendDrop(of: store.index)
      batch.appendAdoption(of: loader.keyspace)
    }
    #expect(try store.backend.keyspaceID(of: .tree, named: Array("Song.seconds".utf8)) == loader.keyspace)
    try expectRecords(1...100, of: loader.keyspace, .tree, in: store)
    expectError(.noSuchKeyspace) { _ = try store.backend.count(of: store.index) }
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    try expectRecords(1...100, of: loader.keyspace, .tree, in: store)
  }

  @Test(arguments: TestedBackend.allCases, [KeyspaceKind.rows, .keys, .tree])
  func `a keyspace without records can be adopted`(_ kind: TestedBackend, _ keyspaceKind: KeyspaceKind) throws {
    let store = try OpenBackend(kind)
    let loader = try store.backend.loadKeyspace(of: keyspaceKind, named: [1], expecting: 0)
    try loader.finish()
    try store.backend.commit { $0.appendAdoption(of: loader.keyspace) }
    #expect(try store.backend.count(of: loader.keyspace) == 0)
    #expect(try store.backend.allKeys(of: loader.keyspace).isEmpty)
    try store.backend.commit { batch in
      if keyspaceKind == .rows {
        batch.put([1], row: 1, in: loader.keyspace)
      } else {
        batch.put([1], key: [1], in: loader.keyspace)
      }
    }
    #expect(try store.backend.count(of: loader.keyspace) == 1)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.count(of: loader.keyspace) == 1)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a loaded keyspace that is not adopted leaves nothing behind`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try fill(store)
    var loader: (any KeyspaceLoader)? = try store.backend.loadKeyspace(of: .rows, named: [1], expecting: 1000)
    let id = try #require(loader?.keyspace)
    try append(1...1000, to: #require(loader), .rows)
    try loader?.finish()
    loader = nil
    expectError(.noSuchKeyspace) { try store.backend.commit { $0.appendAdoption(of: id) } }
    #expect(try store.backend.keyspaceID(of: .rows, named: [1]) != id)
    try expectWhole(store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `only new records in order are loaded, and only a finished keyspace is adopted`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let loader = try store.backend.loadKeyspace(of: .tree, named: [1], expecting: 0)
    let id = loader.keyspace
    try append(5...10, to: loader, .tree)
    func refuse(_ build: (inout WriteBatch) -> Void) {
      var batch = WriteBatch()
      build(&batch)
      batch.sort()
      expectError(.invalidArgument) { try loader.append(batch) }
    }
    refuse { $0.put([1], key: Self.key(10), in: id) }
    refuse { $0.put([1], key: Self.key(4), in: id) }
    refuse { $0.put([1], key: Self.key(11), in: id, expecting: .present) }
    refuse { $0.erase(key: Self.key(11), in: id) }
    refuse { $0.appendClear(of: id) }
    refuse { $0.put([1], key: [200], in: store.index) }
    expectError(.invalidArgument) { try store.backend.commit { $0.appendAdoption(of: id) } }
    try append(11...30, to: loader, .tree)
    try loader.finish()
    try loader.finish()
    refuse { $0.put([1], key: Self.key(31), in: id) }
    try store.backend.commit { $0.appendAdoption(of: id) }
    try expectRecords(5...30, of: id, .tree, in: store)
  }

  @Test(arguments: TestedBackend.allCases)
  func `names over the limit are refused, and closing the backend ends loading`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let long = [UInt8](repeating: 1, count: store.backend.limits.nameByteCount + 1)
    expectError(.limitExceeded) { _ = try store.backend.loadKeyspace(of: .rows, named: long, expecting: 0) }
    expectError(.limitExceeded) { _ = try store.backend.loadKeyspace(of: .rows, named: [], expecting: 0) }
    expectError(.limitExceeded) { _ = try store.backend.keyspaceID(of: .rows, named: long) }
    let loader = try store.backend.loadKeyspace(of: .rows, named: Array(long.dropLast()), expecting: 0)
    try append(1...10, to: loader, .rows)
    try store.backend.close()
    #expect(throws: BackendError.self) { try append(11...20, to: loader, .rows) }
    #expect(throws: BackendError.self) { try loader.finish() }
    expectError(.closed) { _ = try store.backend.loadKeyspace(of: .rows, named: [1], expecting: 0) }
  }
}
