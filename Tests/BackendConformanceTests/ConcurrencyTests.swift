import Synchronization
import TestSupport
import Testing
import Todana

@Suite struct ConcurrencyTests {
  /// Writes one number to rows 1 to 200 in each commit, so that a scan that mixes two commits is noticed.
  @Test(arguments: TestedBackend.allCases)
  func `a scan never sees half a commit while another thread commits`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let (backend, songs, index) = (store.backend, store.songs, store.index)
    try write(1, to: backend, songs, index)
    try onThreads(3) { thread in
      if thread == 0 {
        for number in 2...60 as ClosedRange<UInt64> { try write(number, to: backend, songs, index) }
      } else {
        try checkUntil(60, in: backend, songs, index)
      }
    }
  }

  /// Scans one snapshot after another until a snapshot holds the number `last`.
  private func checkUntil(_ last: UInt64, in backend: any StoreBackend, _ songs: KeyspaceID, _ index: KeyspaceID) throws
  {
    var (number, commitNumber): (UInt64, CommitNumber) = (0, 0)
    while number < last {
      let snapshot = try backend.snapshot()
      #expect(snapshot.commitNumber >= commitNumber)
      commitNumber = snapshot.commitNumber
      let rows = try snapshot.scan(songs).remainingRows()
      #expect(rows.count == 200)
      let numbers = Set(rows.values.map { Array($0.prefix(8)) })
      try #require(numbers.count == 1)
      let keys = try snapshot.scan(tree: index, from: nil, to: nil, descending: false).remainingKeys()
      #expect(keys.map(\.key) == (1...200).map(bigEndianBytes))
      #expect(Set(keys.map(\.value)) == numbers)
      let found = numbers.first?.reduce(0) { $0 << 8 | UInt64($1) } ?? 0
      #expect(found >= number)
      number = found
    }
  }

  private func write(_ number: UInt64, to backend: any StoreBackend, _ songs: KeyspaceID, _ index: KeyspaceID) throws {
    var generator = SeededGenerator(seed: number)
    try backend.commit(number % 8 == 0 ? .full : .relaxed) { batch in
      for row in 1...200 as ClosedRange<RowID> {
        let padding = [UInt8](repeating: 0, count: Int.random(in: 0...100, using: &generator))
        batch.put(bigEndianBytes(number) + padding, row: row, in: songs, expecting: .anything)
        batch.put(bigEndianBytes(number), key: bigEndianBytes(row), in: index)
      }
    }
  }

  /// Writes one number to a row and to a key in each commit.
  ///
  /// A thread that reads the row, the key and the row again must find ascending numbers.
  @Test(arguments: TestedBackend.allCases)
  func `a commit becomes visible in all keyspaces at one moment`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let (backend, songs, names) = (store.backend, store.songs, store.names)
    @Sendable func write(_ number: UInt64) throws {
      try backend.commit(.relaxed) { batch in
        batch.put(bigEndianBytes(number), row: 1, in: songs, expecting: .anything)
        batch.put(bigEndianBytes(number), key: [1], in: names)
      }
    }
    try write(1)
    try onThreads(3) { thread in
      if thread == 0 {
        for number in 2...2000 as ClosedRange<UInt64> { try write(number) }
        return
      }
      func number(_ value: [UInt8]?) -> UInt64 { value?.reduce(0) { $0 << 8 | UInt64($1) } ?? 0 }
      var last: UInt64 = 0
      while last < 2000 {
        let first = number(try backend.newest.value(1, in: songs))
        let second = number(try backend.newest.value(key: [1], in: names))
        last = number(try backend.newest.value(1, in: songs))
        try #require(first <= second && second <= last)
      }
    }
  }

  @Test(arguments: TestedBackend.allCases)
  func `commits of eight threads are all there afterwards`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    let numbers = Collected<CommitNumber>()
    try onThreads(8) { worker in
      for step in 0..<25 as Range<UInt64> {
        let row = try backend.reserveRowIDs(1, in: songs).lowerBound
        let value = bigEndianBytes(UInt64(worker)) + bigEndianBytes(step)
        numbers.append([try backend.commit { $0.put(value, row: row, in: songs) }])
      }
    }
    #expect(Set(numbers.all).count == 200)
    var expected: Set<[UInt8]> = []
    for worker in 0..<8 as Range<UInt64> {
      for step in 0..<25 as Range<UInt64> { expected.insert(bigEndianBytes(worker) + bigEndianBytes(step)) }
    }
    #expect(Set(try backend.allRows(of: songs).values) == expected)
    guard kind.lasts else { return }
    try store.reopenAfterClosing()
    #expect(Set(try store.backend.allRows(of: songs).values) == expected)
  }

  /// Adds one to a row on three threads, expecting the token just read: no addition may be lost.
  @Test(arguments: TestedBackend.allCases)
  func `conflicts keep concurrent updates from being lost`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    try backend.commit { $0.put(bigEndianBytes(0), row: 1, in: songs) }
    try onThreads(3) { _ in
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
          try #require(error.code == .conflict && error.conflicts == [0], "\(error)")
        }
      }
    }
    #expect(try backend.newest.value(1, in: songs) == bigEndianBytes(90))
  }

  @Test(arguments: TestedBackend.allCases)
  func `row ids reserved by several threads do not overlap`(_ kind: TestedBackend) throws {
    let store = try OpenBackend(kind)
    let (backend, songs) = (store.backend, store.songs)
    let rows = Collected<RowID>()
    try onThreads(4) { thread in
      for _ in 0..<500 { rows.append(Array(try backend.reserveRowIDs(thread + 1, in: songs))) }
    }
    #expect(Set(rows.all).count == 5_000)
    #expect(rows.all.count == 5_000)
  }
}

/// Elements collected by several threads.
private final class Collected<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  func append(_ more: [Element]) { elements.withLock { $0 += more } }

  var all: [Element] { elements.withLock { $0 } }
}
