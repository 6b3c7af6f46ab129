import CStorageEngine
import Foundation
import Synchronization
import TestSupport
import Testing

/// Files that grow in the background during commits, gets and scans.
@Suite struct CabinetGrowthTests {
  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// Adds 28 rows in each commit, 12 of them in a pack, and stores the total in row 1.
  ///
  /// A scan must find exactly as many rows as row 1 says.
  @Test(arguments: [TDN_STORAGE_DIRECTORY, TDN_STORAGE_MEMORY])
  func `each scan of a growing file sees one commit`(_ storage: tdn_storage) throws {
    let directory = try TemporaryDirectory()
    let cabinet = try unsafe TestCabinet(directory.path("store")) {
      unsafe $0.storage = Int32(storage.rawValue)
      unsafe $0.log_limit = 1 << 20
    }
    let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
    #expect(try cabinet.reserveRows(song, 1) == 1)
    try cabinet.commit([CabinetChange(keyspace: song, key: .row(1), value: Self.bytes(1))])
    let commits = Atomic(0)
    let target = isLongTest ? 20_000 : 800

    // A slow machine may need more commits before the file has grown.
    @Sendable func goesOn() throws -> Bool {
      let count = commits.load(ordering: .relaxed)
      return try count < target || (count < target * 20 && cabinet.statistics().growths == 0)
    }

    try onThreads(4) { thread in
      switch thread {
      case 0, 1:
        while try goesOn() {
          guard case .found(let count) = try cabinet.get(.row(1), in: song) else { return }
          let first = try cabinet.reserveRows(song, 192)
          let counter = CabinetChange(
            keyspace: song, key: .row(1), value: Self.bytes(token(of: count) + 28),
            expectation: .token(token(of: count)))
          let neighbours = (first | 31) + 1..<(first | 31) + 13
          let distant = stride(from: (first | 31) + 33, to: (first | 31) + 161, by: 8)
          let rows = (Array(neighbours) + Array(distant)).map {
            CabinetChange(keyspace: song, key: .row($0), value: Self.bytes($0), expectation: .absent)
          }
          if try cabinet.commit([counter] + rows).isEmpty { commits.add(1, ordering: .relaxed) }
        }
      case 2:
        while try goesOn() {
          let snapshot = try cabinet.snapshot()
          let records = try snapshot.scan(song).all()
          let counter = records.first { $0.key == .row(1) }
          #expect(counter?.value == Self.bytes(UInt64(records.count)))
          #expect(try snapshot.count(song) == records.count)
          #expect(records.allSatisfy { $0.key == .row(1) || $0.key == .row(token(of: $0.value ?? [])) })
        }
      default:
        var random = SeededGenerator(seed: 1)
        while try goesOn() {
          let row = UInt64.random(in: 2...UInt64(try cabinet.count(song) * 7 + 1), using: &random)
          let answer = try cabinet.get(.row(row), in: song)
          #expect(answer == .absent || answer == .found(Self.bytes(row)))
        }
      }
    }
    #expect(try cabinet.count(song) == 1 + 28 * commits.load(ordering: .relaxed))
    // The background thread may not have run during so many commits.
    let deadline = ContinuousClock.now + .seconds(60)
    while try cabinet.statistics().growths == 0, ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.01)
      guard case .found(let counter) = try cabinet.get(.row(1), in: song) else { break }
      try cabinet.commit([CabinetChange(keyspace: song, key: .row(1), value: counter)])
    }
    #expect(try cabinet.statistics().growths > 0)
    let count = try cabinet.count(song)
    try cabinet.close()
    if storage == TDN_STORAGE_DIRECTORY {
      #expect(try TestCabinet(directory.path("store")).count(song) == count)
    }
  }

  /// Grows several files at the same time, whose mappings move, so that another file may reuse a released range
  /// immediately.
  @Test func `files that grow at the same time do not touch each other's memory`() throws {
    try onThreads(4) { thread in
      for round in 0..<40 as Range<UInt64> {
        let cabinet = try unsafe TestCabinet("") { unsafe $0.storage = Int32(TDN_STORAGE_MEMORY.rawValue) }
        let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
        for row in 1...24 as ClosedRange<UInt64> {
          let value = Array(repeating: UInt8(truncatingIfNeeded: row * round), count: 200_000)
          try cabinet.commit([CabinetChange(keyspace: song, key: .row(row), value: value)])
        }
        for row in 1...24 as ClosedRange<UInt64> {
          let value = Array(repeating: UInt8(truncatingIfNeeded: row * round), count: 200_000)
          #expect(try cabinet.get(.row(row), in: song) == .found(value))
        }
        try cabinet.close()
      }
    }
  }

  @Test func `closing while a file grows keeps every record`() throws {
    let directory = try TemporaryDirectory()
    var total = 0
    for round in 0..<5 {
      let cabinet = try TestCabinet(directory.path("store"))
      let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
      #expect(try cabinet.count(song) == total)
      let first = try cabinet.reserveRows(song, 9000)
      try cabinet.commit(
        (0..<9000).map {
          CabinetChange(keyspace: song, key: .row(first + UInt64($0)), value: [UInt8(round)], expectation: .absent)
        })
      total += 9000
      try cabinet.close()
    }
    let cabinet = try TestCabinet(directory.path("store"))
    #expect(try cabinet.snapshot().scan(1).all().count == total)
  }
}
