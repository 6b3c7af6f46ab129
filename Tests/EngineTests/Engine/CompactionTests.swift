import CStorageEngine
import Foundation
import TestSupport
import Testing

/// Compaction in the background and on request, while the files are in use.
@Suite struct CompactionTests {
  private let directory: TemporaryDirectory
  private var path: String { directory.path("store") }
  private static let song: UInt32 = 1

  init() throws { directory = try TemporaryDirectory() }

  /// The form of a compaction: with enough room for a copy the file is rebuilt; otherwise it is compacted in place.
  enum Form: Int64, CaseIterable {
    case rebuilt = 0x7FFF_FFFF_FFFF
    case inPlace = 0
  }

  private func open(_ form: Form = .rebuilt) throws -> TestCabinet {
    let cabinet = try unsafe TestCabinet(path) { options in unsafe options.compaction_room = form.rawValue }
    #expect(try cabinet.keyspace(TDN_KEYSPACE_ROWS, "Song") == Self.song)
    return cabinet
  }

  private func change(_ row: UInt64, _ value: [UInt8]?) -> CabinetChange {
    CabinetChange(keyspace: Self.song, key: .row(row), value: value)
  }

  private func fileSizes(withLogs: Bool = true) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
      guard withLogs || !name.hasPrefix("log-") else { return sum }
      let size = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int
      return sum + (size ?? 0)
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

  @Test(arguments: Form.allCases)
  func `a tree is compacted while it changes`(_ form: Form) throws {
    var cabinet = try unsafe TestCabinet(path) { options in unsafe options.compaction_room = form.rawValue }
    let tree = try cabinet.keyspace(TDN_KEYSPACE_TREE, "index")
    var model: [[UInt8]: [UInt8]] = [:]
    func key(_ number: Int) -> [UInt8] { bigEndianBytes(UInt64(number)) }
    func change(_ number: Int, _ value: [UInt8]?) -> CabinetChange {
      model[key(number)] = value
      return CabinetChange(keyspace: tree, key: .bytes(key(number)), value: value)
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
    // Remove entire leaves, so that nodes are removed, but too few for a compaction in the background.
    for start in stride(from: 0, to: count, by: 1000) {
      try cabinet.commit((start..<start + 200).map { change($0, nil) })
    }
    try expectModel(cabinet)
    let old = try cabinet.snapshot()
    let oldRecords = try old.range(tree).all()
    var steps = 0
    // The progress closure runs between steps, when commits are possible.
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
    // The new file can be changed like any other.
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
    try expect(cabinet, holds: model)

    let fresh = try TestCabinet(directory.path("fresh"))
    #expect(try fresh.keyspace(TDN_KEYSPACE_ROWS, "Song") == Self.song)
    try fresh.commit((1...rowCount).map { change($0, model[$0]) })
    try fresh.close()
    let freshSize = try FileManager.default.contentsOfDirectory(atPath: directory.path("fresh")).reduce(0) {
      $0 + (try Data(contentsOf: URL(filePath: directory.path("fresh") + "/" + $1)).count)
    }
    let mostBytes = freshSize * 3 / 2
    // On a busy machine, compaction in the background may lag behind the last update.
    let deadline = ContinuousClock.now + .seconds(60)
    var step: UInt64 = 0
    while try fileSizes(withLogs: false) > mostBytes, ContinuousClock.now < deadline {
      Thread.sleep(forTimeInterval: 0.01)
      step += 1
      model[1] = patternedBytes(step, count: 25)
      try cabinet.commit([change(1, model[1])], durability: TDN_RELAXED)
      try cabinet.checkpoint()
    }
    #expect(try cabinet.statistics().compactions > 0)
    try cabinet.close()
    let size = try fileSizes()
    cabinet = try open()
    try expect(cabinet, holds: model)
    try cabinet.close()
    print("\(updateCount) updates of \(rowCount) rows: \(size) bytes, fresh \(freshSize)")
    #expect(size <= mostBytes)
  }

  @Test(arguments: Form.allCases)
  func `the space of deleted rows is given back`(_ form: Form) throws {
    var cabinet = try open(form)
    try cabinet.commit((1...50_000).map { change($0, patternedBytes($0, count: 100)) })
    try cabinet.commit((1...50_000).filter { $0 % 10 != 0 }.map { change($0, nil) })
    // The file may already have been compacted in the background.
    _ = try cabinet.compact(Self.song)
    #expect(try cabinet.statistics().compactions == 1)
    #expect(try !cabinet.compact(Self.song), "there is no more space to free")
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

  @Test(arguments: Form.allCases)
  func `named records are compacted without a change`(_ form: Form) throws {
    let cabinet = try open(form)
    let names = try cabinet.keyspace(TDN_KEYSPACE_KEYS, "names")
    func key(_ number: Int) -> CabinetKey { .bytes(Array("name \(number + 10_000)".utf8)) }
    try cabinet.commit(
      (0..<9000).map { CabinetChange(keyspace: names, key: key($0), value: patternedBytes(UInt64($0), count: 200)) })
    try cabinet.commit((0..<8000).map { CabinetChange(keyspace: names, key: key($0), value: nil) })
    // The file may already have been compacted in the background.
    _ = try cabinet.compact(names)
    #expect(try cabinet.statistics().compactions == 1)
    #expect(try cabinet.count(names) == 1000)
    for number in 8000..<9000 {
      #expect(try cabinet.get(key(number), in: names) == .found(patternedBytes(UInt64(number), count: 200)))
    }
  }

  @Test(arguments: Form.allCases)
  func `an abandoned compaction changes no record`(_ form: Form) throws {
    let cabinet = try open(form)
    // Use too few rows for a compaction in the background.
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

  /// Changes rows on some threads and reads on others while the file is compacted again and again.
  @Test(arguments: Form.allCases)
  func `commits, gets and scans continue during a compaction`(_ form: Form) throws {
    let cabinet = try open(form)
    let rowCount = 3000 as UInt64
    try cabinet.commit((1...rowCount).map { change($0, patternedBytes($0, count: 16)) })
    let rounds = isLongTest ? 400 : 40
    try onThreads(4) { thread in
      var random = SeededGenerator(seed: UInt64(thread))
      switch thread {
      case 0:
        for _ in 0..<rounds { _ = try cabinet.compact(Self.song) }
      case 1, 2:
        // Every value begins with its row's number.
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
            Issue.record("row \(row) is missing")
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
    // Damage the file before rows are removed: afterwards it may be rebuilt in the background at any time.
    let file = path + "/0002-Song.kch"
    var content = try Data(contentsOf: URL(filePath: file))
    // Flip two bits, because a single wrong bit would be repaired.
    content[content.count * 3 / 4] ^= 3
    try content.write(to: URL(filePath: file))
    cabinet = try open()
    try cabinet.commit((1...10_000).map { change($0, nil) })
    #expect { try cabinet.compact(Self.song) } throws: { ($0 as? CabinetError)?.code == TDN_DAMAGED.rawValue }
    let readable = try (10_001...20_000).count { try cabinet.get(.row($0), in: Self.song) != .damaged }
    #expect(readable > 9_800 && readable < 10_000)
  }

  @Test(arguments: Form.allCases) func `a compaction repairs a page with one wrong bit`(_ form: Form) throws {
    var cabinet = try open(form)
    try cabinet.commit((1...200).map { change($0, patternedBytes($0, count: 20_000)) })
    try cabinet.close()
    let file = path + "/0002-Song.kch"
    var content = try Data(contentsOf: URL(filePath: file))
    let value = try #require(content.range(of: Data(patternedBytes(101, count: 20_000))))
    content[value.lowerBound + 9000] ^= 1
    try content.write(to: URL(filePath: file))
    cabinet = try open(form)
    #expect(try cabinet.get(.row(101), in: Self.song) == .damaged)
    try cabinet.commit((1...200).filter { $0 % 4 != 1 }.map { change($0, nil) })
    // The file may already have been rebuilt in the background.
    #expect(try cabinet.compact(Self.song) || form == .rebuilt)
    for row in 1...200 as ClosedRange<UInt64> where row % 4 == 1 {
      #expect(try cabinet.get(.row(row), in: Self.song) == .found(patternedBytes(row, count: 20_000)))
    }
    try cabinet.close()
  }

  /// Removes about half of the records and moves the rest, while snapshots and scans of all earlier states are held.
  @Test func `scans that began before a compaction in place see their own state`() throws {
    let cabinet = try open(.inPlace)
    let names = try cabinet.keyspace(TDN_KEYSPACE_KEYS, "names")
    var random = SeededGenerator(seed: 3)
    var rows: [UInt64: [UInt8]] = [:]
    var keys: [CabinetKey: [UInt8]] = [:]
    struct Held {
      var snapshot: TestSnapshot
      var scan: TestScan
      var keyScan: TestScan
      var rows: [UInt64: [UInt8]]
      var keys: [CabinetKey: [UInt8]]
      var read: [CabinetRecord] = []
      var readKeys: [CabinetRecord] = []
    }
    var held: [Held] = []
    func bytes() -> [UInt8] { patternedBytes(random.next(), count: Int.random(in: 0...9000, using: &random)) }
    for round in 0..<8 as Range<UInt64> {
      for row in (round * 100 + 1)...(round * 100 + 100) { rows[row] = bytes() }
      for number in 0..<60 { keys[.bytes(Array("\(round * 60 + UInt64(number) + 1000)".utf8))] = bytes() }
      try cabinet.commit(
        rows.keys.sorted().map { change($0, rows[$0]) }
          + keys.keys.sorted().map { CabinetChange(keyspace: names, key: $0, value: keys[$0]) })
      let snapshot = try cabinet.snapshot()
      var one = Held(
        snapshot: snapshot, scan: try snapshot.scan(Self.song), keyScan: try snapshot.scan(names), rows: rows,
        keys: keys)
      // Some of the scans have already read a part of the file.
      for _ in 0..<Int(round) % 3 {
        one.read += try one.scan.next(byteCapacity: 40_000)
        one.readKeys += try one.keyScan.next(byteCapacity: 40_000)
      }
      held.append(one)
      let removedRows = rows.keys.filter { _ in Bool.random(using: &random) }.sorted()
      let removedKeys = keys.keys.filter { _ in Bool.random(using: &random) }.sorted()
      for row in removedRows { rows[row] = nil }
      for key in removedKeys { keys[key] = nil }
      try cabinet.commit(
        removedRows.map { change($0, nil) }
          + removedKeys.map { CabinetChange(keyspace: names, key: $0, value: nil) })
      // Changes rows and continues scans between the steps of a compaction.
      func between() throws {
        guard let row = rows.keys.sorted().randomElement(using: &random) else { return }
        rows[row] = Bool.random(using: &random) ? bytes() : nil
        try cabinet.commit([change(row, rows[row])])
        guard let index = held.indices.randomElement(using: &random) else { return }
        held[index].read += try held[index].scan.next(byteCapacity: 30_000)
        held[index].readKeys += try held[index].keyScan.next(byteCapacity: 30_000)
      }
      for keyspace in [Self.song, names] {
        _ = try cabinet.compact(keyspace) {
          #expect(throws: Never.self) { try between() }
          return true
        }
      }
    }
    for index in held.indices {
      var one = held[index]
      one.read += try one.scan.all()
      one.readKeys += try one.keyScan.all()
      #expect(one.read.count == one.rows.count && one.readKeys.count == one.keys.count, "snapshot \(index)")
      for record in one.read {
        guard case .row(let row) = record.key else { continue }
        #expect(record.value == one.rows[row], "row \(row) of snapshot \(index)")
        #expect(try cabinet.get(record.key, in: Self.song, one.snapshot) == .found(record.value ?? []))
      }
      for record in one.readKeys { #expect(record.value == one.keys[record.key]) }
      for row in 1...800 as ClosedRange<UInt64> where one.rows[row] == nil {
        #expect(try cabinet.get(.row(row), in: Self.song, one.snapshot) == .absent, "row \(row) of snapshot \(index)")
      }
    }
    try expect(cabinet, holds: rows)
  }

  private func removeMost(_ cabinet: TestCabinet) {
    let removed = (1...400).filter { $0 % 20 != 0 } as [UInt64]
    #expect(throws: Never.self) { try cabinet.commit(removed.map { change($0, nil) }) }
  }

  /// Guards against a replaced file that was removed only at the next checkpoint, after a rebuild on request or in the
  /// background.
  @Test(arguments: [false, true])
  func `a file that was replaced by a rebuilt one is removed at once`(inBackground: Bool) throws {
    let cabinet = try open()
    try cabinet.commit((1...400).map { change($0, patternedBytes($0, count: 10_000)) })
    try cabinet.checkpoint()
    if inBackground {
      removeMost(cabinet)
      // The background thread may rebuild the file before or after this call. In both cases one file is left.
      _ = try cabinet.compact(Self.song)
    } else {
      var hasBegun = false
      let isCompacted = try cabinet.compact(Self.song) {
        if !hasBegun { removeMost(cabinet) }
        hasBegun = true
        return true
      }
      #expect(isCompacted)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix("-Song.kch") }
    #expect(names == ["0003-Song.kch"])
    #expect(try cabinet.statistics().compactions == 1)
  }

  @Test func `a compaction in place frees nearly all unused space, and takes little room`() throws {
    let cabinet = try open(.inPlace)
    let model = Dictionary(
      uniqueKeysWithValues: (1...400).map { ($0 as UInt64, patternedBytes($0, count: 50_000 + Int($0) * 13)) })
    try cabinet.commit((1...400).map { change($0, model[$0]) })
    try cabinet.checkpoint()
    let whole = try fileSizes()
    let file = path + "/0002-Song.kch"
    var largest = 0
    // Remove rows only after the compaction has begun: otherwise, the file could first be rebuilt in the background.
    let isCompacted = try cabinet.compact(Self.song) {
      if largest == 0 { removeMost(cabinet) }
      largest = max(largest, (try? fileSizes()) ?? 0)
      return true
    }
    #expect(isCompacted)
    // The files may grow by the log of the removals, and by twice the bytes that are moved between checkpoints.
    #expect(largest < whole + (24 << 20))
    let kept = model.filter { $0.key % 20 == 0 }
    let needed = kept.values.reduce(0) { $0 + $1.count }
    let size = try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    #expect(size < needed + 31_000 + kept.count * 40 + 2 * 4096)
    try expect(cabinet, holds: kept)
    // The file can grow again after it was cut, through the log and by direct writes.
    try cabinet.commit((401...402).map { change($0, patternedBytes($0, count: 3000)) })
    try cabinet.commit((403...450).map { change($0, patternedBytes($0, count: 60_000)) })
    try cabinet.commit((403...450).map { change($0, nil) })
    try cabinet.close()
    let again = try open(.inPlace)
    try expect(again, holds: kept.merging((401...402).map { ($0, patternedBytes($0, count: 3000)) }) { one, _ in one })
    try again.close()
  }

  @Test func `damaged records stay in place, and the rest of their file is compacted`() throws {
    var cabinet = try open(.inPlace)
    let model = Dictionary(uniqueKeysWithValues: (1...200).map { ($0 as UInt64, patternedBytes($0, count: 20_000)) })
    try cabinet.commit((1...200).map { change($0, model[$0]) })
    try cabinet.close()
    let file = path + "/0002-Song.kch"
    var content = try Data(contentsOf: URL(filePath: file))
    // Damage a byte in the middle of a value; each value takes five pages.
    let place = try #require(content.range(of: Data(patternedBytes(101, count: 20_000))))
    content[place.lowerBound + 9000] ^= 3
    try content.write(to: URL(filePath: file))
    cabinet = try open(.inPlace)
    try cabinet.commit((1...200).filter { $0 % 4 != 1 }.map { change($0, nil) })
    #expect { try cabinet.compact(Self.song) } throws: { ($0 as? CabinetError)?.code == TDN_DAMAGED.rawValue }
    #expect(try cabinet.get(.row(101), in: Self.song) == .damaged)
    for row in 1...200 as ClosedRange<UInt64> where row % 4 == 1 && row != 101 {
      #expect(try cabinet.get(.row(row), in: Self.song) == .found(patternedBytes(row, count: 20_000)))
    }
    try cabinet.close()
    let size = try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    // The file ends after the records that were moved up to the damaged record.
    #expect(size > 101 * 20_000 && size < 130 * 20_000)
  }
}
