import CKyotoCabinet
import Foundation
import TestSupport
import Testing

/// Files that are made as small as they get, by themselves and when asked, while they are used.
@Suite struct CompactionTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("store") }
  private static let song: UInt32 = 1

  init() throws { directory = try TemporaryDirectory() }

  private func open() throws -> TestCabinet {
    let cabinet = try TestCabinet(path)
    #expect(try cabinet.structure(TDN_STRUCTURE_ROWS, "Song") == Self.song)
    return cabinet
  }

  private func change(_ row: UInt64, _ value: [UInt8]?) -> CabinetChange {
    CabinetChange(structure: Self.song, key: .row(row), value: value)
  }

  private func fileSizes() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
      sum + (try Data(contentsOf: URL(filePath: path + "/" + name)).count)
    }
  }

  private func expect(_ cabinet: TestCabinet, holds model: [UInt64: [UInt8]]) throws {
    #expect(try cabinet.count(Self.song) == model.count)
    let records = try cabinet.snapshot().scan(Self.song).all()
    #expect(records.count == model.count)
    for record in records {
      guard case .row(let row) = record.key else { continue }
      #expect(record.value == model[row], "row \(row)")
    }
  }

  @Test func `a tree is compacted while it changes`() throws {
    var cabinet = try TestCabinet(path)
    let tree = try cabinet.structure(TDN_STRUCTURE_TREE, "index")
    var model: [[UInt8]: [UInt8]] = [:]
    func key(_ number: Int) -> [UInt8] { bigEndianBytes(UInt64(number)) }
    func change(_ number: Int, _ value: [UInt8]?) -> CabinetChange {
      model[key(number)] = value
      return CabinetChange(structure: tree, key: .bytes(key(number)), value: value)
    }
    func expectModel(_ cabinet: TestCabinet) throws {
      let records = try cabinet.snapshot().range(tree).all()
      #expect(try cabinet.count(tree) == model.count)
      #expect(records.count == model.count)
      let isInOrder = zip(records, records.dropFirst()).allSatisfy { $0.key < $1.key }
      #expect(isInOrder)
      for record in records {
        guard case .bytes(let key) = record.key else { continue }
        #expect(record.value == model[key])
      }
    }
    let count = 30_000
    try cabinet.commit((0..<count).map { change($0, patternedBytes(UInt64($0), count: 60)) })
    // Whole leaves, so that nodes go; not so many that the file is compacted in the background.
    for start in stride(from: 0, to: count, by: 1000) {
      try cabinet.commit((start..<start + 200).map { change($0, nil) })
    }
    try expectModel(cabinet)
    let old = try cabinet.snapshot()
    let oldRecords = try old.range(tree).all()
    var steps = 0
    // The progress is called between steps, where commits come through.
    let isCompacted = try cabinet.compact(tree) {
      steps += 1
      guard steps < 200 else { return true }
      let number = steps * 137 % count
      #expect(throws: Never.self) {
        try cabinet.commit([change(number, steps % 3 == 0 ? patternedBytes(UInt64(steps), count: 90) : [7])])
      }
      return true
    }
    #expect(isCompacted && steps > 3)
    try expectModel(cabinet)
    #expect(try old.range(tree).all().map(\.value) == oldRecords.map(\.value))
    // The new file goes on as any other.
    try cabinet.commit((0..<500).map { change($0 * 3, patternedBytes(UInt64($0), count: 40)) })
    try expectModel(cabinet)
    #expect(try !cabinet.compact(tree))
    try cabinet.close()
    cabinet = try TestCabinet(path)
    try expectModel(cabinet)
    try cabinet.close()
  }

  @Test func `many updates of few rows leave a file that is hardly larger than a fresh one`() throws {
    let rowCount = isLongTest ? 100_000 : 20_000 as UInt64
    let updateCount = isLongTest ? 2_000_000 : 200_000
    var random = SeededGenerator(seed: 1)
    var model: [UInt64: [UInt8]] = [:]
    for row in 1...rowCount { model[row] = patternedBytes(row, count: 24) }
    var cabinet = try open()
    try cabinet.commit((1...rowCount).map { change($0, model[$0]) })
    for _ in 0..<updateCount / 1000 {
      var rows: Set<UInt64> = []
      while rows.count < 1000 { rows.insert(UInt64.random(in: 1...rowCount, using: &random)) }
      for row in rows {
        model[row] = patternedBytes(row &* random.next(), count: Int.random(in: 20...30, using: &random))
      }
      try cabinet.commit(rows.sorted().map { change($0, model[$0]) }, durability: TDN_RELAXED)
    }
    #expect(try cabinet.statistics().compactions > 0)
    try expect(cabinet, holds: model)
    try cabinet.close()
    let size = try fileSizes()
    cabinet = try open()
    try expect(cabinet, holds: model)
    try cabinet.close()

    let fresh = try TestCabinet(directory.path("fresh"))
    #expect(try fresh.structure(TDN_STRUCTURE_ROWS, "Song") == Self.song)
    try fresh.commit((1...rowCount).map { change($0, model[$0]) })
    try fresh.close()
    let freshSize = try FileManager.default.contentsOfDirectory(atPath: directory.path("fresh")).reduce(0) {
      $0 + (try Data(contentsOf: URL(filePath: directory.path("fresh") + "/" + $1)).count)
    }
    print("\(updateCount) updates of \(rowCount) rows: \(size) bytes, fresh \(freshSize)")
    #expect(Double(size) <= Double(freshSize) * 1.5)
  }

  @Test func `the space of deleted rows is given back`() throws {
    var cabinet = try open()
    try cabinet.commit((1...50_000).map { change($0, patternedBytes($0, count: 100)) })
    try cabinet.commit((1...50_000).filter { $0 % 10 != 0 }.map { change($0, nil) })
    // That may have happened in the background already.
    _ = try cabinet.compact(Self.song)
    #expect(try cabinet.statistics().compactions == 1)
    #expect(try !cabinet.compact(Self.song), "there is nothing left to gain")
    let model = Dictionary(
      uniqueKeysWithValues: (1...5000).map { ($0 * 10 as UInt64, patternedBytes($0 * 10, count: 100)) })
    try expect(cabinet, holds: model)
    try cabinet.close()
    #expect(try fileSizes() < 1_000_000)
    cabinet = try open()
    try expect(cabinet, holds: model)
    for (row, value) in model { #expect(try cabinet.get(.row(row), in: Self.song) == .found(value)) }
  }

  @Test func `rows that were saved one by one are packed`() throws {
    var model: [UInt64: [UInt8]] = [:]
    let cabinet = try open()
    for row in 1...5000 as ClosedRange<UInt64> {
      model[row] = patternedBytes(row, count: row % 500 == 0 ? 3000 : 20)
      try cabinet.commit([change(row, model[row])], durability: TDN_RELAXED)
    }
    try cabinet.checkpoint()
    let before = try fileSizes()
    #expect(try cabinet.compact(Self.song))
    try expect(cabinet, holds: model)
    try cabinet.close()
    #expect(try fileSizes() < before * 3 / 4)
  }

  @Test func `named records are compacted as they are`() throws {
    let cabinet = try open()
    let names = try cabinet.structure(TDN_STRUCTURE_KEYS, "names")
    func key(_ number: Int) -> CabinetKey { .bytes(Array("name \(number + 10_000)".utf8)) }
    try cabinet.commit(
      (0..<9000).map { CabinetChange(structure: names, key: key($0), value: patternedBytes(UInt64($0), count: 200)) })
    try cabinet.commit((0..<8000).map { CabinetChange(structure: names, key: key($0), value: nil) })
    // That may have happened in the background already.
    _ = try cabinet.compact(names)
    #expect(try cabinet.statistics().compactions == 1)
    #expect(try cabinet.count(names) == 1000)
    for number in 8000..<9000 {
      #expect(try cabinet.get(key(number), in: names) == .found(patternedBytes(UInt64(number), count: 200)))
    }
  }

  @Test func `giving up changes nothing`() throws {
    let cabinet = try open()
    // Too few for the background to look at.
    try cabinet.commit((1...2000).map { change($0, patternedBytes($0, count: 100)) })
    try cabinet.commit((1...1500).map { change($0, nil) })
    for limit in 0..<8 {
      var calls = 0
      let isCompacted = try cabinet.compact(Self.song) {
        calls += 1
        return calls <= limit
      }
      if isCompacted { break }
      #expect(calls == limit + 1)
    }
    let model = Dictionary(uniqueKeysWithValues: (1501...2000).map { ($0 as UInt64, patternedBytes($0, count: 100)) })
    try expect(cabinet, holds: model)
  }

  /// Threads change rows of their own, others read, while the file is compacted again and again.
  @Test func `commits, gets and scans go on meanwhile`() throws {
    let cabinet = try open()
    let rowCount = 3000 as UInt64
    try cabinet.commit((1...rowCount).map { change($0, patternedBytes($0, count: 16)) })
    let rounds = isLongTest ? 400 : 40
    try onThreads(4) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      switch thread {
      case 0:
        for _ in 0..<rounds { _ = try cabinet.compact(Self.song) }
      case 1, 2:
        // Every row keeps its number in front, whatever its length.
        for _ in 0..<rounds * 4 {
          let first = UInt64.random(in: 1...rowCount - 100, using: &random)
          let rows = Set((0..<40).map { _ in first + UInt64.random(in: 0..<100, using: &random) }).sorted()
          let changes = rows.map {
            change($0, patternedBytes($0, count: 8) + patternedBytes($0, count: Int.random(in: 0...40, using: &random)))
          }
          try cabinet.commit(changes, durability: TDN_RELAXED)
        }
      default:
        for _ in 0..<rounds * 2 {
          let records = try cabinet.snapshot().scan(Self.song).all()
          #expect(records.count == Int(rowCount))
          for record in records {
            guard case .row(let row) = record.key, let value = record.value else { continue }
            #expect(Array(value.prefix(8)) == patternedBytes(row, count: 8))
          }
          let row = UInt64.random(in: 1...rowCount, using: &random)
          guard case .found(let value) = try cabinet.get(.row(row), in: Self.song) else {
            Issue.record("row \(row) is gone")
            continue
          }
          #expect(Array(value.prefix(8)) == patternedBytes(row, count: 8))
        }
      }
    }
    #expect(try cabinet.count(Self.song) == Int(rowCount))
    try cabinet.close()
    #expect(try open().count(Self.song) == Int(rowCount))
  }

  @Test func `a damaged record keeps its file from being rebuilt, and nothing is lost`() throws {
    var cabinet = try open()
    try cabinet.commit((1...20_000).map { change($0, patternedBytes($0, count: 100)) })
    try cabinet.close()
    // Before the rows are removed: afterwards the file may be rebuilt in the background at any moment.
    let file = path + "/0002-Song.kch"
    var content = try Data(contentsOf: URL(filePath: file))
    content[content.count * 3 / 4] ^= 1
    try content.write(to: URL(filePath: file))
    cabinet = try open()
    try cabinet.commit((1...10_000).map { change($0, nil) })
    #expect { try cabinet.compact(Self.song) } throws: { ($0 as? CabinetError)?.code == TDN_DAMAGED.rawValue }
    let readable = try (10_001...20_000).count { try cabinet.get(.row($0), in: Self.song) != .damaged }
    #expect(readable > 9_800 && readable < 10_000)
  }
}
