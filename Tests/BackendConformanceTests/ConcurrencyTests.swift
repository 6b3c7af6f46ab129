import TestSupport
import Testing
import Todana

@Suite struct ConcurrencyTests {
  /// Rows 1 to 200 always hold the same number in every commit, so a scan that mixes two commits shows.
  @Test(arguments: TestedBackend.allCases)
  func `a scan never sees half a commit while another thread commits`(_ kind: TestedBackend) async throws {
    let store = try OpenBackend(kind)
    let (backend, songs, index) = (store.backend, store.songs, store.index)
    try write(1, to: backend, songs, index)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for number in 2...60 as ClosedRange<UInt64> { try write(number, to: backend, songs, index) }
      }
      for _ in 0..<2 {
        group.addTask {
          var latest: UInt64 = 0
          while latest < 60 {
            let snapshot = try backend.snapshot()
            let rows = try snapshot.scan(songs).remainingRows()
            let keys = try snapshot.scan(tree: index, from: nil, to: nil, descending: false).remainingKeys()
            #expect(rows.count == 200)
            #expect(Set(rows.values.map { $0.prefix(8) }).count == 1)
            #expect(keys.map(\.key) == (1...200).map(bigEndianBytes))
            #expect(Set(keys.map(\.value)) == Set(rows.values.map { Array($0.prefix(8)) }))
            #expect(snapshot.commitNumber >= latest)
            latest = snapshot.commitNumber
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func write(_ number: UInt64, to backend: any StoreBackend, _ songs: ClassID, _ index: ClassID) throws {
    var generator = SeededGenerator(seed: number)
    try backend.commit(number % 8 == 0 ? .full : .relaxed) { batch in
      for row in 1...200 as ClosedRange<RowID> {
        let padding = [UInt8](repeating: 0, count: Int.random(in: 0...100, using: &generator))
        batch.put(bigEndianBytes(number) + padding, row: row, in: songs, expecting: .anything)
        batch.put(bigEndianBytes(number), key: bigEndianBytes(row), in: index)
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `commits of eight threads are all there afterwards`(_ kind: TestedBackend) async throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    let numbers = try await withThrowingTaskGroup(of: [CommitNumber].self) { group in
      for worker in 0..<8 as Range<UInt64> {
        group.addTask {
          try (0..<25 as Range<UInt64>).map { step in
            let row = try backend.reserveRowIDs(1, in: songs).lowerBound
            return try backend.commit { $0.put(bigEndianBytes(worker) + bigEndianBytes(step), row: row, in: songs) }
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(numbers.sorted() == Array(1...200))
    var expected: Set<[UInt8]> = []
    for worker in 0..<8 as Range<UInt64> {
      for step in 0..<25 as Range<UInt64> { expected.insert(bigEndianBytes(worker) + bigEndianBytes(step)) }
    }
    #expect(Set(try backend.allRows(of: songs).values) == expected)
    guard kind == .directory else { return }
    try store.reopenAfterClosing()
    #expect(Set(try store.backend.allRows(of: songs).values) == expected)
  }

  /// Two threads read, add one and commit with the token they read: no addition may be lost.
  @Test(arguments: TestedBackend.allCases)
  func `conflicts keep concurrent updates from being lost`(_ kind: TestedBackend) async throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    try backend.commit { $0.put(bigEndianBytes(0), row: 1, in: songs) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          var added = 0
          while added < 30 {
            let old = try #require(try backend.newest.value(1, in: songs))
            let number = old.reduce(0) { $0 << 8 | UInt64($1) }
            do throws(BackendError) {
              try backend.commit(.relaxed) {
                $0.put(bigEndianBytes(number + 1), row: 1, in: songs, expecting: .token(token(of: old)))
              }
              added += 1
            } catch {
              #expect(error.code == .conflict && error.conflicts == [0])
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try backend.newest.value(1, in: songs) == bigEndianBytes(90))
  }

  @Test(arguments: TestedBackend.allCases)
  func `row ids reserved by several threads do not overlap`(_ kind: TestedBackend) async throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    let ranges = try await withThrowingTaskGroup(of: [Range<RowID>].self) { group in
      for worker in 1...4 {
        group.addTask { try (0..<500).map { _ in try backend.reserveRowIDs(worker, in: songs) } }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let rows = ranges.flatMap { Array($0) }
    #expect(Set(rows).count == rows.count)
    #expect(rows.count == 5_000)
  }
}
