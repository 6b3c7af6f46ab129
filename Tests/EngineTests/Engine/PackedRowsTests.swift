import CStorageEngine
import Foundation
import TestSupport
import Testing

/// Small rows that are saved together share records (docs/formats/cabinet-files.md, "Packs").
@Suite struct PackedRowsTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("store") }
  private static let song: UInt32 = 1

  init() throws { directory = try TemporaryDirectory() }

  private func bytes(_ row: UInt64, count: Int = 24) -> [UInt8] { patternedBytes(row, count: count) }

  private func change(_ row: UInt64, _ value: [UInt8]?) -> CabinetChange {
    CabinetChange(keyspace: Self.song, key: .row(row), value: value)
  }

  private func makeStore(rows: ClosedRange<UInt64>, byteCount: Int = 24) throws -> TestCabinet {
    let cabinet = try TestCabinet(path)
    #expect(try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song") == Self.song)
    try cabinet.commit(rows.map { change($0, bytes($0, count: byteCount)) })
    return cabinet
  }

  private func file() throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path + "/0002-Song.kch"))) }

  /// Returns the counts in the header of a closed store's file.
  private func header() throws -> (records: Int, surplus: Int) {
    let bytes = try file()
    return (
      bytes[32..<40].reduce(0) { $0 << 8 | Int($1) },
      bytes[26..<32].reversed().reduce(0) { $0 << 8 | Int($1) }
    )
  }

  private func expect(_ cabinet: TestCabinet, holds model: [UInt64: [UInt8]]) throws {
    #expect(try cabinet.count(Self.song) == model.count)
    let records = try cabinet.snapshot().scan(Self.song).all()
    #expect(records.count == model.count)
    for record in records {
      guard case .row(let row) = record.key else { continue }
      #expect(record.value == model[row], "row \(row)")
    }
    for (row, value) in model { #expect(try cabinet.get(.row(row), in: Self.song) == .found(value), "row \(row)") }
  }

  @Test func `many small neighbouring rows share records`() throws {
    let cabinet = try makeStore(rows: 1...1000)
    try expect(cabinet, holds: .init(uniqueKeysWithValues: (1...1000).map { ($0, bytes($0)) }))
    try cabinet.close()
    #expect(try header() == (records: 32, surplus: 968))
  }

  @Test func `few, large or distant rows have records of their own`() throws {
    let cabinet = try makeStore(rows: 1...7)
    try cabinet.commit((32...63).map { change($0, bytes($0, count: 600)) })
    try cabinet.commit((20...60).map { change($0 * 8, bytes($0)) })
    try cabinet.close()
    #expect(try header() == (records: 7 + 32 + 41, surplus: 0))
  }

  @Test func `the bytes of a pack are as documented`() throws {
    let cabinet = try makeStore(rows: 32...39, byteCount: 1)
    try cabinet.close()
    let key: [UInt8] = [0x00, 0x01]
    let ends = (1...8).flatMap { [$0, 0] as [UInt8] }
    let slacks = Array(repeating: 0 as UInt8, count: 8)
    let head: [UInt8] = [0x01, 0xFF, 0, 0, 0, 0xFF, 0, 0, 0] + ends + slacks
    let value = head + (32...39).flatMap { bytes($0, count: 1) }
    let record = [UInt8(key.count), UInt8(value.count)] + key + value
    #expect(try Data(file()).range(of: Data(record)) != nil)
  }

  @Test func `a row that fits into its slot stays packed, any other row leaves its pack`() throws {
    let cabinet = try makeStore(rows: 1...1000)
    var model = Dictionary(uniqueKeysWithValues: (1...1000).map { ($0 as UInt64, bytes($0)) })
    model[5] = bytes(9999)
    model[6] = bytes(6, count: 40)
    model[8] = []
    model[7] = nil
    try cabinet.commit([change(5, bytes(9999)), change(6, bytes(6, count: 40)), change(7, nil), change(8, [])])
    try expect(cabinet, holds: model)
    model[6] = bytes(6, count: 41)
    try cabinet.commit([change(6, bytes(6, count: 41))])
    for count in [9, 24, 0, 13] {
      model[8] = bytes(8, count: count)
      try cabinet.commit([change(8, bytes(8, count: count))])
      try expect(cabinet, holds: model)
    }
    try cabinet.close()
    #expect(try header() == (records: 33, surplus: 966))
    try expect(TestCabinet(path), holds: model)
  }

  @Test func `many changes rewrite a pack, and spare rows that left it`() throws {
    let cabinet = try makeStore(rows: 1...1000)
    var model = Dictionary(uniqueKeysWithValues: (1...1000).map { ($0 as UInt64, bytes($0)) })
    try cabinet.commit([change(40, bytes(40, count: 99))])
    for row in 33...60 as ClosedRange<UInt64> { model[row] = bytes(row * 3, count: Int(row)) }
    model[61] = nil
    try cabinet.commit((33...61).map { change($0, model[$0]) })
    try expect(cabinet, holds: model)
    try cabinet.close()
    #expect(try header() == (records: 33, surplus: 966))
    try expect(TestCabinet(path), holds: model)
  }

  @Test func `a pack is removed with its last row`() throws {
    let cabinet = try makeStore(rows: 1...1000)
    try cabinet.commit((64...95).map { change($0, nil) })
    for row in 96...127 as ClosedRange<UInt64> { try cabinet.commit([change(row, nil)]) }
    let rest = (1...63).map { $0 as UInt64 } + (128...1000)
    try expect(cabinet, holds: .init(uniqueKeysWithValues: rest.map { ($0, bytes($0)) }))
    try cabinet.close()
    #expect(try header() == (records: 30, surplus: 906))
  }

  @Test func `rows can join their neighbours' pack later`() throws {
    let cabinet = try makeStore(rows: 1...40)
    try cabinet.commit((41...63).map { change($0, bytes($0)) })
    try expect(cabinet, holds: .init(uniqueKeysWithValues: (1...63).map { ($0, bytes($0)) }))
    try cabinet.close()
    #expect(try header() == (records: 2, surplus: 61))
  }

  @Test(arguments: 0..<12)
  func `a wrong bit damages at most the row that it is in`(_ step: Int) throws {
    try makeStore(rows: 1...640, byteCount: 110).close()
    var content = try file()
    // Flip a bit after the buckets, which end at 30,776.
    content[32_768 + step * 4096 + 97 * step] ^= 4
    try Data(content).write(to: URL(filePath: path + "/0002-Song.kch"))
    let cabinet = try TestCabinet(path)
    var readable: Set<UInt64> = []
    for row in 1...640 as ClosedRange<UInt64> {
      let answer = try cabinet.get(.row(row), in: Self.song)
      #expect(answer == .found(bytes(row, count: 110)) || answer == .damaged)
      if answer != .damaged { readable.insert(row) }
    }
    #expect(readable.count >= 639, "\(readable.count)")
    let scan = try cabinet.snapshot().scan(Self.song)
    var scanned: Set<UInt64> = []
    while true {
      do {
        let records = try scan.next()
        if records.isEmpty { break }
        for case (.row(let row), let value?) in records.map({ ($0.key, $0.value) }) {
          #expect(value == bytes(row, count: 110))
          scanned.insert(row)
        }
      } catch { #expect(error.code == TDN_DAMAGED.rawValue) }
    }
    #expect(scanned.isSubset(of: readable) && scanned.count >= readable.count - 32, "\(scanned.count)")
  }
}
