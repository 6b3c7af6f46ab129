import Foundation
import TestSupport
import Testing
import Todana

@Suite struct ReadingTests {
  @Test(arguments: TestedBackend.allCases)
  func `rows are returned in the requested order, including absent and repeated ones`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for row in 1...50 as ClosedRange<RowID> { batch.put(patternedBytes(row), row: row, in: store.songs) }
    }
    let asked: [RowID] = [50, 1, 99, 7, 7, .max, 0, 2]
    let expected = asked.map { (1...50).contains($0) ? patternedBytes($0) : nil }
    #expect(try store.backend.newest.values(asked, in: store.songs) == expected)
    #expect(try store.backend.snapshot().state.values(asked, in: store.songs) == expected)
    let chunk = RecordChunk()
    try store.backend.read(rows: asked.span, of: store.songs, into: chunk)
    #expect(chunk.slices.map(\.rowID) == asked)
    #expect(try store.backend.newest.values([], in: store.songs) == [])
  }

  @Test(arguments: TestedBackend.allCases)
  func `a full chunk has the first rows, and another read returns the rest`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    try store.backend.commit { batch in
      for row in 1...500 as ClosedRange<RowID> { batch.put(patternedBytes(row, count: 100), row: row, in: store.songs) }
    }
    let rows = Array(1...500 as ClosedRange<RowID>)
    let expected = rows.map { patternedBytes($0, count: 100) }
    let byBytes = RecordChunk(byteCapacity: 1000)
    try store.backend.read(rows: rows.span, of: store.songs, into: byBytes)
    #expect((1...10).contains(byBytes.slices.count))
    #expect(try store.backend.newest.values(rows, in: store.songs, chunk: byBytes) == expected)
    let byRecords = RecordChunk(recordLimit: 7)
    try store.backend.read(rows: rows.span, of: store.songs, into: byRecords)
    #expect(byRecords.slices.count == 7)
    #expect(try store.backend.newest.values(rows, in: store.songs, chunk: byRecords) == expected)
  }

  @Test(arguments: TestedBackend.allCases)
  func `a chunk grows for a record that is larger than its capacity`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let sizes: [RowID: Int] = [1: 10, 2: 5_000, 3: 20, 4: 100_000, 5: 30]
    try store.backend.commit { batch in
      for (row, size) in sizes { batch.put(patternedBytes(row, count: size), row: row, in: store.songs) }
      batch.put(patternedBytes(9, count: 50_000), key: [1, 2, 3], in: store.names)
    }
    let chunk = RecordChunk(byteCapacity: 64)
    let values = try store.backend.newest.values([1, 2, 3, 4, 5], in: store.songs, chunk: chunk)
    #expect(values == (1...5).map { patternedBytes($0, count: sizes[$0] ?? 0) })
    let scanned = try store.backend.snapshot().scan(store.songs).remainingRows(chunk: RecordChunk(byteCapacity: 64))
    #expect(scanned.mapValues(\.count) == sizes)
    #expect(scanned.allSatisfy { $0.value == patternedBytes($0.key, count: $0.value.count) })
    try store.backend.read(key: [1, 2, 3], of: store.names, into: chunk)
    #expect(chunk.values == [patternedBytes(9, count: 50_000)])
  }

  @Test func `a chunk releases the memory of a large record`() throws {
    let store = try OpenBackend(.memory)
    try store.backend.commit { batch in
      batch.put(patternedBytes(1, count: 1 << 20), row: 1, in: store.songs)
      batch.put(patternedBytes(2), row: 2, in: store.songs)
    }
    let chunk = RecordChunk(byteCapacity: 4096)
    _ = try store.backend.newest.values([1], in: store.songs, chunk: chunk)
    #expect(chunk.arena.capacity >= 1 << 20)
    for _ in 0..<20 { _ = try store.backend.newest.values([2], in: store.songs, chunk: chunk) }
    #expect(chunk.arena.capacity < 1 << 16)
  }

  @Test(arguments: TestedBackend.allCases, [0, 1, 7, 8, 64 << 10, 5 << 20])
  func `values of any size come back as they were put`(_ kind: TestedBackend, _ byteCount: Int) throws {
    let store = try OpenBackend(kind)
    let value = patternedBytes(1, count: byteCount)
    try store.backend.commit { batch in
      batch.put(value, row: 1, in: store.songs)
      batch.put(value, key: [1], in: store.names)
    }
    #expect(try store.backend.newest.value(1, in: store.songs) == value)
    #expect(try store.backend.newest.value(key: [1], in: store.names) == value)
    #expect(try store.backend.allRows(of: store.songs) == [1: value])
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.newest.value(1, in: store.songs) == value)
    #expect(try store.backend.newest.value(key: [1], in: store.names) == value)
  }

  @Test(.enabled(if: LongTests.areEnabled, "\(LongTests.reason)"), arguments: [TestedBackend.directory, .memory])
  func `a value of 300 MiB comes back as it was put`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let value = patternedBytes(1, count: 300 << 20)
    try store.backend.commit { $0.put(value, row: 1, in: store.songs) }
    #expect(try store.backend.newest.value(1, in: store.songs) == value)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(try store.backend.newest.value(1, in: store.songs) == value)
  }

  @Test(arguments: TestedBackend.allCases)
  func `byte keys may hold any bytes up to the limit`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let keys: [[UInt8]] = [
      [0], [0, 0], [255], [0, 1, 0], Array("ключ".utf8),
      [UInt8](repeating: 7, count: store.backend.limits.keyByteCount),
    ]
    for keyspace in [store.names, store.index] {
      try store.backend.commit { batch in
        for (number, key) in keys.enumerated() { batch.put([UInt8(number)], key: key, in: keyspace) }
      }
      for (number, key) in keys.enumerated() {
        #expect(try store.backend.newest.value(key: key, in: keyspace) == [UInt8(number)])
      }
      #expect(try store.backend.newest.value(key: [1], in: keyspace) == nil)
      let listed = Set(try store.backend.allKeys(of: keyspace).keys)
      if keyspace == store.names, !TestedBackend.thatTellKeys.contains(kind) {
        #expect(listed.count == keys.count && listed.isDisjoint(with: keys))
      } else {
        #expect(listed == Set(keys))
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `a key over the limit is refused and nothing is applied`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    for byteCount in [store.backend.limits.keyByteCount + 1, 65_535, 70_000] {
      let key = [UInt8](repeating: 1, count: byteCount)
      expectError(.limitExceeded) {
        try store.backend.commit { batch in
          batch.put([1], row: 1, in: store.songs)
          batch.put([1], key: key, in: store.names)
        }
      }
      expectError(.limitExceeded) { try store.backend.commit { $0.put([1], key: key, in: store.index) } }
    }
    #expect(try store.backend.count(of: store.songs) == 0)
    #expect(try store.backend.snapshot().commitNumber == 0)
  }
}
