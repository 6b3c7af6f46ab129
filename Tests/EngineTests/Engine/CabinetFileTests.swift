import CStorageEngine
import Foundation
import TestSupport
import Testing

/// The data files after opening, closing and changes.
@Suite struct CabinetFileTests {
  private func content(of directory: String) throws -> [String: Data] {
    var content: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) where name != "lock" {
      content[name] = try Data(contentsOf: URL(filePath: directory + "/" + name))
    }
    return content
  }

  private func rows(_ keyspace: UInt32, _ rows: some Sequence<UInt64>, _ value: [UInt8]?) -> [CabinetChange] {
    rows.map { CabinetChange(keyspace: keyspace, key: .row($0), value: value) }
  }

  @Test func `opening, reading and closing changes no file`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let first = try TestCabinet(path)
    let song = try first.keyspace(TDN_KEYSPACE_ROWS, "Song")
    let index = try first.keyspace(TDN_KEYSPACE_TREE, "index")
    try first.commit(rows(song, 1...500, [1]) + [CabinetChange(keyspace: index, key: .bytes([1]), value: [2])])
    try first.commit(rows(song, 100...200, nil))
    try first.close()
    let before = try content(of: path)

    for _ in 0..<2 {
      let cabinet = try TestCabinet(path)
      #expect(try cabinet.get(.row(5), in: song) == .found([1]))
      #expect(try cabinet.get(.bytes([1]), in: index) == .found([2]))
      #expect(try cabinet.snapshot().scan(song).all().count == 399)
      try cabinet.close()
      #expect(try content(of: path) == before)
    }
  }

  /// Uses rows far apart, which have their own records, and neighbours, which share packs of different sizes.
  @Test(arguments: [(8, 1.0), (1, 1.1)])
  func `space of removed records is reused after reopening`(_ distance: UInt64, growth: Double) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    let value = Array(repeating: UInt8(7), count: 100)
    var sizes: [Int] = []
    for round in 0..<4 {
      let cabinet = try TestCabinet(path)
      let song = try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song")
      func rowsOfRound(_ round: Int) -> some Sequence<UInt64> {
        (UInt64(round) * 1000..<UInt64(round + 1) * 1000).lazy.map { $0 * distance + 1 }
      }
      if round > 0 { try cabinet.commit(rows(song, rowsOfRound(round - 1), nil)) }
      // The free blocks are stored in the file only when the store is closed.
      try cabinet.close()
      let again = try TestCabinet(path)
      #expect(try again.keyspace(TDN_KEYSPACE_ROWS, "Song") == song)
      try again.commit(rows(song, rowsOfRound(round), value))
      #expect(try again.count(song) == 1000)
      try again.close()
      sizes.append(try Data(contentsOf: URL(filePath: path + "/0002-Song.kch")).count)
    }
    #expect(Double(sizes.max() ?? 0) <= Double(sizes[0]) * growth, "\(sizes)")
  }

  @Test func `data files are named by number and keyspace`() throws {
    let directory = try TemporaryDirectory()
    let cabinet = try TestCabinet(directory.path("store"))
    for (kind, name) in [(TDN_KEYSPACE_ROWS, "My/Söng"), (TDN_KEYSPACE_TREE, String(repeating: "x", count: 100))] {
      let keyspace = try cabinet.keyspace(kind, name)
      let key = kind == TDN_KEYSPACE_ROWS ? CabinetKey.row(1) : .bytes([1])
      try cabinet.commit([CabinetChange(keyspace: keyspace, key: key, value: [1])])
    }
    try cabinet.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("store"))
    #expect(names.contains("0002-My_S__ng.kch"))
    #expect(names.contains("0003-\(String(repeating: "x", count: 64)).kct"))
  }
}
