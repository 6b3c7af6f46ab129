import Foundation
import TestSupport
import Testing
import Todana

/// The effects of the settings of a ``KyotoBackend``, and its statistics.
@Suite struct KyotoOptionsTests {
  let directory: TemporaryDirectory
  var path: String { directory.path("store") }

  init() throws { directory = try TemporaryDirectory() }

  private func open(_ change: (inout KyotoBackend.Options) -> Void) throws(BackendError) -> KyotoBackend {
    var options = KyotoBackend.Options()
    change(&options)
    return try KyotoBackend(.directory(path), options: options)
  }

  @Test func `more data files than may be open at once are all read and written`() throws {
    let backend = try open { $0.descriptorLimit = 16 }
    let keyspaces = try (0..<60).map { number in
      try backend.keyspaceID(of: number % 3 == 0 ? .tree : .keys, named: Array("keyspace \(number)".utf8))
    }
    for round in 0..<3 as Range<UInt8> {
      for keyspace in keyspaces {
        try backend.commit(.relaxed) { $0.put([round, UInt8(keyspace.rawValue)], key: [round], in: keyspace) }
      }
      // Files changed since the last checkpoint stay open until the next one. Up to 32 files of trees that are being
      // written stay open longer, and the catalog stays open always.
      try backend.checkpoint()
      #expect(try backend.statistics().openFileCount <= 16 + 32 + 1)
    }
    try backend.commit { batch in
      for keyspace in keyspaces { batch.remove(key: [0], in: keyspace) }
    }
    for keyspace in keyspaces {
      #expect(try backend.newest.value(key: [0], in: keyspace) == nil)
      #expect(try backend.newest.value(key: [2], in: keyspace) == [2, UInt8(keyspace.rawValue)])
    }
    try backend.checkpoint()
    #expect(try backend.statistics().openFileCount <= 16 + 32 + 1)
    try backend.close()
  }

  @Test func `a full log starts a checkpoint in the background`() throws {
    let backend = try open { options in
      options.logLimitByteCount = 128 << 10
      options.directThresholdByteCount = 1 << 40
    }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    for row in 1...300 as ClosedRange<RowID> {
      try backend.commit(.relaxed) { $0.put(patternedBytes(row, count: 4_000), row: row, in: songs) }
    }
    // The first checkpoint may begin only after all these commits, so commit more until there is a second one.
    var count = 300
    try waitUntil {
      count += 1
      try backend.commit(.relaxed) { $0.put(patternedBytes(1, count: 4_000), row: RowID(count), in: songs) }
      return try backend.statistics().checkpointCount >= 2
    }
    try backend.checkpoint()
    let statistics = try backend.statistics()
    #expect(statistics.checkpointByteCount >= 1_200_000)
    #expect(statistics.commitCount >= 300)
    #expect(try backend.count(of: songs) == count)
    try backend.close()
  }

  @Test func `a batch over the commit limit is refused, and smaller ones pass`() throws {
    let backend = try open { $0.commitLimitByteCount = 512 << 10 }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    for part in stride(from: 0, to: 5_000, by: 50) as StrideTo<RowID.Stride> {
      try backend.commit(.relaxed) { batch in
        for number in 1...50 { batch.put(patternedBytes(1, count: 500), row: RowID(part + number), in: songs) }
      }
    }
    expectError(.limitExceeded) {
      try backend.commit { batch in
        for row in 1...5_000 as ClosedRange<RowID> {
          batch.put(patternedBytes(2, count: 500), row: row, in: songs, expecting: .anything)
        }
      }
    }
    let found = try backend.allRows(of: songs)
    #expect(found.count == 5_000 && found.values.allSatisfy { $0 == patternedBytes(1, count: 500) })
    try backend.commit { $0.put([3], row: 7, in: songs, expecting: .anything) }
    #expect(try backend.newest.value(7, in: songs) == [3])
    try backend.close()
  }

  @Test func `old values beyond the snapshot limit come from a file`() throws {
    let backend = try open { $0.snapshotLimitByteCount = 16 << 10 }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { batch in
      for row in 1...500 as ClosedRange<RowID> { batch.put(patternedBytes(row, count: 1_000), row: row, in: songs) }
    }
    let before = try listing(of: path).count
    let snapshot = try backend.snapshot()
    for round in 1...3 as ClosedRange<UInt64> {
      try backend.commit { batch in
        for row in 1...500 as ClosedRange<RowID> {
          batch.put(patternedBytes(row * round, count: 900), row: row, in: songs, expecting: .anything)
        }
      }
    }
    let expected = (1...500 as ClosedRange<RowID>).map { patternedBytes($0, count: 1_000) }
    #expect(try snapshot.state.values(Array(1...500), in: songs) == expected)
    #expect(try snapshot.scan(songs).remainingRows().count == 500)
    #expect(try listing(of: path).count == before, "the file has no name")
    try backend.close()
  }

  @Test(arguments: [KyotoBackend.SectorSize.bytes512, .bytes4096], [false, true])
  func `commits survive reopening with every sector size and the strict setting`(
    _ sectorSize: KyotoBackend.SectorSize, _ isStrict: Bool
  ) throws {
    for start in [0, 40] as [UInt64] {
      let backend = try open { options in
        options.sectorSize = sectorSize
        options.isStrict = isStrict
      }
      let keyspaces = try CrashWorkload.Keyspaces(of: backend)
      for number in start + 1...start + 40 {
        try CrashWorkload.commit(number, to: backend, keyspaces, durability: .relaxed)
      }
      #expect(try CrashWorkload.State(of: backend.snapshot(), keyspaces) == CrashWorkload.State(after: start + 40))
      try backend.close()
    }
  }

  @Test func `one flush serves the commits of several threads`() throws {
    let backend = try open { _ in }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try onThreads(8) { thread in
      for step in 0..<50 {
        let row = RowID(thread * 50 + step + 1)
        try backend.commit { $0.put(bigEndianBytes(row), row: row, in: songs) }
      }
    }
    let statistics = try backend.statistics()
    #expect(statistics.commitCount >= 400)
    #expect(statistics.flushCount < statistics.commitCount)
    #expect(try backend.count(of: songs) == 400)
    try backend.close()
  }

  @Test func `a relaxed commit is flushed within a second or so`() throws {
    let backend = try open { _ in }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put([1], row: 1, in: songs) }
    let before = try backend.statistics().flushCount
    try backend.commit(.relaxed) { $0.put([2], row: 2, in: songs) }
    // Wait, because a loaded machine may be slow.
    try waitUntil { try backend.statistics().flushCount > before }
    try backend.close()
  }

  @Test func `a bulk commit is flushed with the next full one`() throws {
    let backend = try open { _ in }
    let songs = try backend.keyspaceID(of: .rows, named: Array("Song".utf8))
    try backend.commit { $0.put([1], row: 1, in: songs) }
    let before = try backend.statistics().flushCount
    for row in 2...11 as ClosedRange<RowID> { try backend.commit(.bulk) { $0.put([2], row: row, in: songs) } }
    // A relaxed commit would have been flushed by now.
    usleep(1_200_000)
    #expect(try backend.statistics().flushCount == before)
    try backend.commit { $0.put([3], row: 12, in: songs) }
    #expect(try backend.statistics().flushCount == before + 1)
    try backend.close()
  }

  @Test func `an opener that is refused gets the program name of the holder`() throws {
    let backend = try open { $0.programName = "the jukebox" }
    let error = expectError(.inUse) { _ = try open { _ in } }
    #expect(error?.message.contains("the jukebox") == true, "\(error?.message ?? "")")
    try backend.close()
  }

  /// Waits until the condition holds, for at most 20 seconds.
  private func waitUntil(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool) throws {
    for _ in 0..<2_000 {
      if try condition() { return }
      usleep(10_000)
    }
    Issue.record("waited for 20 s", sourceLocation: sourceLocation)
  }
}
