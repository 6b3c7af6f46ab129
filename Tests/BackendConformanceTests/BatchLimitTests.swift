import TestSupport
import Testing
import Todana

/// Limits of a batch: a batch over one of them is refused before anything is written.
@Suite struct BatchLimitTests {
  @Test(arguments: TestedBackend.allCases)
  func `keys and names have the same limits in every backend`(_ kind: TestedBackend) throws {
    let limits = try OpenBackend(kind).backend.limits
    #expect(limits.keyByteCount == 1000 && limits.nameByteCount == 1000)
    #expect(limits.batchChangeCount >= 100_000 && limits.batchByteCount >= 1 << 20)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a batch with too many changes is refused`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let limit = store.backend.limits.batchChangeCount
    // Skips larger limits: a batch of 2^31 changes takes 80 GB, and the same code checks every limit.
    guard limit <= 1 << 20 else { return }
    var batch = WriteBatch()
    for row in 1...RowID(limit) + 1 { batch.check(row: row, in: store.songs, expecting: .absent) }
    expectError(.limitExceeded) { _ = try store.backend.commit(batch, durability: .full) }
    let loader = try store.backend.loadKeyspace(of: .rows, named: [1], expecting: 0)
    expectError(.limitExceeded) { try loader.append(batch) }
    #expect(try store.backend.snapshot().commitNumber == 0)
  }

  @Test func `changes of every kind and all bytes count towards the limits of a batch`() throws {
    var batch = WriteBatch()
    let keyspace = KeyspaceID(rawValue: 1)
    batch.put([1, 2, 3], row: 1, in: keyspace)
    batch.check(key: [1, 2], in: keyspace, expecting: .absent)
    batch.appendRangeCheck(of: keyspace, from: [1], to: [2], atMost: 3)
    let exact = BackendLimits(valueByteCount: 100, batchChangeCount: 3, batchByteCount: 7)
    try batch.check(exact)
    for (changes, bytes) in [(2, 7), (3, 6), (0, 0)] {
      let limits = BackendLimits(valueByteCount: 100, batchChangeCount: changes, batchByteCount: bytes)
      let error = expectError(.limitExceeded) { try batch.check(limits) }
      #expect(error?.message.contains("save in smaller steps") == true)
    }
  }
}
