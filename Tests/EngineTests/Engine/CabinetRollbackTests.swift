import CStorageEngine
import TestSupport
import Testing

/// Commits that fail after they have changed files leave no trace in files or in memory.
@Suite struct CabinetRollbackTests {
  /// Opens a cabinet with 2,000 rows, 500 keys and a tree of 2,000, in which a batch may change 96 KiB of stored pages.
  private func makeCabinet(_ path: String) throws -> (TestCabinet, [CabinetChange]) {
    let cabinet = try unsafe TestCabinet(path) { unsafe $0.commit_limit = 96 << 10 }
    let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
    let buffers = try cabinet.keyspace(TDN_KEYSPACE_KEYS, "buffers")
    let index = try cabinet.keyspace(TDN_KEYSPACE_TREE, "index")
    var changes: [CabinetChange] = []
    func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    for row in 1...2000 {
      changes.append(CabinetChange(keyspace: song, key: .row(UInt64(row)), value: number(row) + [1, 1, 1, 1, 1]))
    }
    for key in 0..<500 { changes.append(CabinetChange(keyspace: buffers, key: .bytes(number(key)), value: [9])) }
    for key in 0..<2000 { changes.append(CabinetChange(keyspace: index, key: .bytes(number(key)), value: [3, 3])) }
    #expect(try cabinet.commit(changes) == [])
    return (cabinet, changes)
  }

  private func content(of cabinet: TestCabinet) throws -> [[CabinetRecord]] {
    let snapshot = try cabinet.snapshot()
    return [try snapshot.scan(1).all(), try snapshot.scan(2).all(), try snapshot.range(3).all()]
  }

  @Test func `a batch over the limit leaves everything as it was`() throws {
    let directory = try TemporaryDirectory()
    var (cabinet, changes) = try makeCabinet(directory.path("store"))
    let before = try content(of: cabinet)
    let held = try cabinet.snapshot()

    // Put larger values and remove records everywhere: blocks are freed, records moved, nodes split.
    for index in changes.indices {
      changes[index].value = index % 3 == 0 ? nil : Array(repeating: UInt8(index & 0xff), count: 100)
    }
    for _ in 0..<3 {
      let error = #expect(throws: CabinetError.self) { try cabinet.commit(changes) }
      #expect(error?.code == TDN_LIMIT.rawValue)
      #expect(try content(of: cabinet) == before)
      #expect(try [held.scan(1).all(), held.scan(2).all(), held.range(3).all()] == before)
    }

    // Small commits to the same keyspaces still succeed.
    #expect(
      try cabinet.commit([
        CabinetChange(keyspace: 1, key: .row(7), value: nil, expectation: .any),
        CabinetChange(keyspace: 1, key: .row(2001), value: [5], expectation: .absent),
        CabinetChange(keyspace: 3, key: .bytes([0, 5]), value: nil),
      ]) == [])
    #expect(try cabinet.get(.row(7), in: 1) == .absent)
    #expect(try cabinet.get(.row(7), in: 1, held) == .found([0, 7, 1, 1, 1, 1, 1]))
    #expect(try cabinet.get(.row(2001), in: 1) == .found([5]))
    #expect(try cabinet.get(.bytes([0, 5]), in: 3) == .absent)
    let after = try content(of: cabinet)
    try cabinet.close()
    cabinet = try TestCabinet(directory.path("store"))
    #expect(try content(of: cabinet) == after)
    #expect(try cabinet.reserveRows(1, 1) == 2002)
  }

  @Test func `keyspaces made by a failed batch can be made again`() throws {
    let directory = try TemporaryDirectory()
    let (cabinet, changes) = try makeCabinet(directory.path("store"))
    let later = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Later")
    let added = CabinetChange(keyspace: later, key: .row(1), value: [1], expectation: .absent)
    var tooMuch = changes
    for index in tooMuch.indices { tooMuch[index].value = Array(repeating: 2, count: 100) }
    #expect(throws: CabinetError.self) { try cabinet.commit(tooMuch + [added]) }
    #expect(try cabinet.count(later) == 0)
    #expect(try cabinet.commit([added]) == [])
    try cabinet.close()
    let again = try TestCabinet(directory.path("store"))
    #expect(try again.keyspace(TDN_KEYSPACE_ROWS, "Later") == later)
    #expect(try again.get(.row(1), in: later) == .found([1]))
  }

  @Test func `an emptied keyspace that gets a larger file never reuses row ids`() throws {
    let directory = try TemporaryDirectory()
    let cabinet = try TestCabinet(directory.path("store"))
    let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
    try cabinet.commit([CabinetChange(keyspace: song, key: .row(77), value: [1])])
    try cabinet.commit([CabinetChange(keyspace: song, key: .row(77), value: nil)])
    try cabinet.close()
    let again = try TestCabinet(directory.path("store"))
    try again.commit((1...10_000).map { CabinetChange(keyspace: song, key: .row(UInt64(1000 + $0)), value: [2]) })
    try again.commit((1...10_000).map { CabinetChange(keyspace: song, key: .row(UInt64(1000 + $0)), value: nil) })
    try again.close()
    #expect(try TestCabinet(directory.path("store")).reserveRows(song, 1) == 11_001)
  }
}
