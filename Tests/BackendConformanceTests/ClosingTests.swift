import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ClosingTests {
  @Test(arguments: TestedBackend.allCases)
  func `every use after closing throws closed`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let backend = store.backend
    try backend.commit { $0.put([1], row: 1, in: store.songs) }
    try backend.close()
    try backend.close()
    expectError(.closed) { _ = try backend.keyspaces() }
    expectError(.closed) { _ = try backend.keyspaceID(of: .rows, named: [1]) }
    expectError(.closed) { _ = try backend.reserveRowIDs(1, in: store.songs) }
    expectError(.closed) { _ = try backend.commit { $0.put([1], row: 2, in: store.songs) } }
    expectError(.closed) { _ = try backend.outcome(of: BatchID()) }
    expectError(.closed) { _ = try backend.count(of: store.songs) }
    expectError(.closed) { _ = try backend.newest.value(1, in: store.songs) }
    expectError(.closed) { _ = try backend.newest.value(key: [1], in: store.names) }
    expectError(.closed) { _ = try backend.snapshot() }
    if let engine = backend.operations { expectError(.closed) { try engine.checkpoint() } }
    expectError(.closed) { try backend.reopen() }
  }

  @Test(arguments: TestedBackend.allCases)
  func `closing ends open snapshots and scans`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for row in 1...100 as ClosedRange<RowID> { batch.put([1], row: row, in: store.songs) }
      batch.put([1], key: [1], in: store.index)
    }
    let snapshot = try store.backend.snapshot()
    let scan = try snapshot.scan(store.songs)
    let chunk = RecordChunk(recordLimit: 10)
    try scan.next(into: chunk)
    try store.backend.close()
    expectError(.snapshotEnded) { try scan.next(into: chunk) }
    expectError(.snapshotEnded) { _ = try snapshot.count(of: store.songs) }
    expectError(.snapshotEnded) { _ = try snapshot.state.value(1, in: store.songs) }
    expectError(.snapshotEnded) { _ = try snapshot.state.value(key: [1], in: store.index) }
    expectError(.snapshotEnded) { _ = try snapshot.scan(store.songs) }
    expectError(.snapshotEnded) { _ = try snapshot.scan(tree: store.index, from: nil, to: nil, descending: true) }
  }

  @Test(arguments: [TestedBackend.memory, .temporary, .directory])
  func `closing while other threads read and commit ends them with an error`(_ kind: TestedBackend) throws {
    for round in 0..<5 {
      let store = try OpenBackend(kind)
      let (backend, songs) = (store.backend, store.songs)
      try backend.commit { batch in
        for row in 1...2000 as ClosedRange<RowID> { batch.put(patternedBytes(row), row: row, in: songs) }
      }
      try onThreads(5) { number in
        if number == 0 {
          usleep(3_000 + 5_000 * UInt32(round))
          try backend.close()
        } else {
          let error = #expect(throws: BackendError.self) { try workUntilClosed(backend, songs, UInt64(number)) }
          #expect(error?.code == .closed || error?.code == .snapshotEnded, "\(String(describing: error))")
        }
      }
    }
  }

  @Test func `everything committed is there after closing and opening again`() throws {
    let store = try OpenBackend(.directory)
    var expected: [RowID: [UInt8]] = [:]
    for round in 0..<4 {
      let rows = try store.backend.reserveRowIDs(500, in: store.songs)
      let commitNumber = try store.backend.commit(round % 2 == 0 ? .full : .relaxed) { batch in
        for row in rows {
          expected[row] = patternedBytes(row, count: Int(row % 200))
          batch.put(patternedBytes(row, count: Int(row % 200)), row: row, in: store.songs)
          batch.put(bigEndianBytes(row), key: bigEndianBytes(row % 100) + bigEndianBytes(row), in: store.index)
        }
      }
      if round == 1 { try store.backend.operations?.checkpoint() }
      try store.reopenAfterClosing()
      #expect(store.backend.openReport.commitNumber >= commitNumber)
      #expect(store.backend.openReport.recoveredCommitCount == 0)
      #expect(try store.backend.allRows(of: store.songs) == expected)
      #expect(try store.backend.count(of: store.index) == expected.count)
    }
  }

  @Test(arguments: [TestedBackend.memory, .temporary, .directory])
  func `reopening keeps commits and ends snapshots`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { $0.put([1], row: 1, in: store.songs) }
    guard kind.lasts else { return }
    let snapshot = try store.backend.snapshot()
    try store.backend.reopen()
    expectError(.snapshotEnded) { _ = try snapshot.count(of: store.songs) }
    #expect(try store.backend.allRows(of: store.songs) == [1: [1]])
    try store.backend.commit { $0.put([2], row: 2, in: store.songs) }
    #expect(try store.backend.allRows(of: store.songs) == [1: [1], 2: [2]])
  }
}

/// Scans and reads, and commits every fourth time, until a call throws.
private func workUntilClosed(_ backend: any StoreBackend, _ songs: KeyspaceID, _ worker: UInt64) throws {
  let chunk = RecordChunk(recordLimit: 50)
  for step in 1... as PartialRangeFrom<UInt64> {
    let scan = try backend.snapshot().scan(songs)
    repeat { try scan.next(into: chunk) } while !chunk.slices.isEmpty
    _ = try backend.newest.value(step % 2000 + 1, in: songs)
    if step % 4 == 0 {
      try backend.commit { $0.put(patternedBytes(step), row: 10_000 + worker, in: songs, expecting: .anything) }
    }
  }
}
