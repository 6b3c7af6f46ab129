import CStorageEngine
import TestSupport
import Testing

/// Random changes, conflicts, reads, scans, held snapshots, checkpoints, compactions and reopenings, compared with
/// dictionaries.
@Suite struct CabinetModelTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var seed: UInt64
    var storage = TDN_STORAGE_DIRECTORY
    var openFiles: Int32 = 256
    var snapshotMemory: Int64 = 64 << 20
    var compactsInPlace = false

    var testDescription: String {
      "seed \(seed), storage \(storage.rawValue), \(openFiles) open files\(compactsInPlace ? ", in place" : "")"
    }
  }

  static let cases = [
    Case(seed: 1), Case(seed: 2, openFiles: 1), Case(seed: 3, snapshotMemory: 3000),
    Case(seed: 4, openFiles: 2, snapshotMemory: 0), Case(seed: 5, storage: TDN_STORAGE_MEMORY),
    Case(seed: 6, storage: TDN_STORAGE_TEMPORARY, snapshotMemory: 10_000),
    Case(seed: 7, compactsInPlace: true), Case(seed: 8, openFiles: 1, compactsInPlace: true),
    Case(seed: 9, storage: TDN_STORAGE_TEMPORARY, snapshotMemory: 3000, compactsInPlace: true),
  ]

  @Test(arguments: cases)
  func `random operations agree with a model`(_ testCase: Case) throws {
    let directory = try TemporaryDirectory()
    let isTemporary = testCase.storage == TDN_STORAGE_TEMPORARY
    var walk = try CabinetWalk(path: isTemporary ? directory.path : directory.path("store"), testCase)
    for _ in 0..<(isLongTest ? 2000 : 120) { try walk.step() }
    try walk.finish()
  }
}

private struct CabinetWalk {
  typealias Model = [CabinetKey: [UInt8]]

  struct HeldSnapshot {
    var snapshot: TestSnapshot
    var models: [UInt32: Model]
    var scans: [HeldScan] = []
  }
  struct HeldScan {
    var keyspace: UInt32
    var scan: TestScan
    var isDescending: Bool
    var records: [CabinetRecord] = []
  }

  let path: String
  let testCase: CabinetModelTests.Case
  var random: SeededGenerator
  var cabinet: TestCabinet
  var models: [UInt32: Model] = [:]
  var snapshots: [HeldSnapshot] = []
  var lastRow: [UInt32: UInt64] = [:]  // reserved or put so far
  var lengthLimits: [Int] = []  // of the values in the current commit

  // Song and Sparse have rows, Buffers has keys, Index is a tree.
  static let names = ["Song", "Sparse", "Buffers", "Index/ü"]
  static let kinds = [TDN_KEYSPACE_ROWS, TDN_KEYSPACE_ROWS, TDN_KEYSPACE_KEYS, TDN_KEYSPACE_TREE]
  static let keyspaces: ClosedRange<UInt32> = 1...4
  func hasRows(_ keyspace: UInt32) -> Bool { keyspace <= 2 }
  func isTree(_ keyspace: UInt32) -> Bool { keyspace == 4 }

  init(path: String, _ testCase: CabinetModelTests.Case) throws {
    self.path = path
    self.testCase = testCase
    random = SeededGenerator(seed: testCase.seed)
    cabinet = try Self.open(path, testCase)
    // Commit a record to every keyspace, so that all keyspaces, with their ids and row counters, exist after a
    // reopening.
    var changes: [CabinetChange] = []
    for keyspace in Self.keyspaces {
      let key = hasRows(keyspace) ? CabinetKey.row(1) : .bytes([7])
      changes.append(CabinetChange(keyspace: keyspace, key: key, value: [1], expectation: .absent))
      models[keyspace] = [key: [1]]
      lastRow[keyspace] = 1
    }
    #expect(try cabinet.commit(changes) == [])
  }

  static func open(_ path: String, _ testCase: CabinetModelTests.Case) throws -> TestCabinet {
    let cabinet = try unsafe TestCabinet(path) { options in
      unsafe options.storage = Int32(testCase.storage.rawValue)
      unsafe options.descriptor_limit = testCase.openFiles
      unsafe options.snapshot_limit = testCase.snapshotMemory
      unsafe options.log_limit = 1 << 20
      if testCase.compactsInPlace { unsafe options.compaction_room = 0 }
    }
    for (index, name) in names.enumerated() {
      #expect(try cabinet.keyspace(kinds[index], name) == UInt32(index + 1))
    }
    return cabinet
  }

  mutating func step() throws {
    if testCase.compactsInPlace, Int.random(in: 0..<8, using: &random) == 0 {
      _ = try cabinet.compact(UInt32.random(in: Self.keyspaces, using: &random))
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<55: try commit()
    case ..<65: try checkGets()
    case ..<72:
      if snapshots.count < 4 { snapshots.append(HeldSnapshot(snapshot: try cabinet.snapshot(), models: models)) }
    case ..<80: try openScan()
    case ..<90: try advanceScans()
    case ..<94:
      if let index = snapshots.indices.randomElement(using: &random) {
        try finish(snapshots.remove(at: index))
      }
    case ..<96: try cabinet.checkpoint()
    case ..<97: try checkAll()
    case ..<98: _ = try cabinet.compact(UInt32.random(in: Self.keyspaces, using: &random))
    default: if testCase.storage == TDN_STORAGE_DIRECTORY { try reopen() }
    }
  }

  mutating func finish() throws {
    for snapshot in snapshots { try finish(snapshot) }
    snapshots = []
    try checkAll()
    try cabinet.close()
  }

  mutating func reopen() throws {
    for snapshot in snapshots { try finish(snapshot) }
    snapshots = []
    if Bool.random(using: &random) {
      try cabinet.close()
      cabinet = try Self.open(path, testCase)
    } else {
      let interrupted = try cabinet.snapshot()
      try cabinet.reopen()
      #expect(throws: CabinetError.self) { try interrupted.count(1) }
      // Ids that were reserved but not committed may be reserved again.
      for keyspace in Self.keyspaces {
        let rows = models[keyspace, default: [:]].keys.map { if case .row(let row) = $0 { row } else { 0 } as UInt64 }
        lastRow[keyspace] = rows.max() ?? 0
      }
    }
    try checkAll()
  }

  // MARK: Committing

  mutating func commit() throws {
    var after = models
    var rowsAfter = lastRow
    var changes: [CabinetChange] = []
    var conflicts: [Int] = []
    let isWrong = Int.random(in: 0..<6, using: &random) == 0
    // Rows share records only if all neighbours are small.
    lengthLimits = Bool.random(using: &random) ? [8, 60] : [8, 60, 60, 60, 5000]
    for keyspace in Self.keyspaces where Bool.random(using: &random) {
      if Int.random(in: 0..<20, using: &random) == 0 {
        changes.append(.clear(keyspace))
        after[keyspace] = [:]
      }
      let base = after[keyspace, default: [:]]
      for key in try newKeys(keyspace) {
        var change = self.change(keyspace, key, old: base[key])
        if isWrong && Int.random(in: 0..<10, using: &random) == 0 {
          spoil(&change, old: base[key])
          conflicts.append(changes.count)
        }
        if change.kind != TDN_CHECK { after[keyspace]?[key] = change.value }
        if case .row(let row) = key, change.value != nil { rowsAfter[keyspace] = max(rowsAfter[keyspace] ?? 0, row) }
        changes.append(change)
      }
    }
    let durability = Int.random(in: 0..<8, using: &random) == 0 ? TDN_FULL : TDN_RELAXED
    #expect(try cabinet.commit(changes, durability: durability) == conflicts)
    if conflicts.isEmpty {
      models = after
      lastRow = rowsAfter
    }
  }

  private mutating func newKeys(_ keyspace: UInt32) throws -> [CabinetKey] {
    let isLarge = Int.random(in: 0..<6, using: &random) == 0
    let count = Int.random(in: 1...(isLarge ? 2500 : 40), using: &random)
    if hasRows(keyspace) && Bool.random(using: &random) {
      let first = try cabinet.reserveRows(keyspace, count)
      #expect(first > lastRow[keyspace] ?? 0)
      lastRow[keyspace] = first + UInt64(count) - 1
      return (0..<UInt64(count)).map { .row(first + $0) }
    }
    if hasRows(keyspace) && Bool.random(using: &random) {
      let first = UInt64.random(in: 1...(lastRow[keyspace] ?? 1), using: &random)
      return (0..<UInt64(count)).map { .row(first + $0) }
    }
    return Set((0..<count).map { _ in someKey(keyspace) }).sorted()
  }

  /// Returns a key that is probably in use.
  private mutating func someKey(_ keyspace: UInt32) -> CabinetKey {
    if hasRows(keyspace) { return .row(UInt64.random(in: 1...((lastRow[keyspace] ?? 0) + 5), using: &random)) }
    let length = Int.random(in: 1...4, using: &random)
    return .bytes((0..<length).map { _ in UInt8.random(in: 0..<12, using: &random) })
  }

  private mutating func change(_ keyspace: UInt32, _ key: CabinetKey, old: [UInt8]?) -> CabinetChange {
    var change = CabinetChange(keyspace: keyspace, key: key, value: nil)
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      change.kind = TDN_ERASE
      return change
    case 1:
      change.kind = TDN_CHECK
      change.expectation = old.map { .token(token(of: $0)) } ?? .absent
      return change
    default: break
    }
    if old == nil || Int.random(in: 0..<3, using: &random) > 0 {
      let limit = lengthLimits.randomElement(using: &random) ?? 60
      let keepsLength = Int.random(in: 0..<3, using: &random) == 0
      let length = old.flatMap { keepsLength ? $0.count : nil } ?? Int.random(in: 0...limit, using: &random)
      change.value = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    if Bool.random(using: &random) { change.expectation = old.map { .token(token(of: $0)) } ?? .absent }
    return change
  }

  /// Modifies the change so that it must conflict.
  private mutating func spoil(_ change: inout CabinetChange, old: [UInt8]?) {
    // An erasure cannot conflict.
    if change.kind == TDN_ERASE { change.kind = nil }
    guard let old else {
      change.expectation = .token(5)
      if change.kind == nil && Bool.random(using: &random) {
        change.value = nil
        change.expectation = .any
      }
      return
    }
    change.expectation = .token(token(of: old) &+ 1)
    if (change.value != nil || change.kind == TDN_CHECK) && Bool.random(using: &random) { change.expectation = .absent }
  }

  // MARK: Reading

  private func answer(_ model: Model?, _ key: CabinetKey) -> CabinetAnswer {
    model?[key].map { .found($0) } ?? .absent
  }

  mutating func checkGets() throws {
    for keyspace in Self.keyspaces {
      for _ in 0..<20 {
        let key = someKey(keyspace)
        #expect(try cabinet.get(key, in: keyspace) == answer(models[keyspace], key))
        for held in snapshots {
          #expect(try cabinet.get(key, in: keyspace, held.snapshot) == answer(held.models[keyspace], key))
        }
      }
    }
  }

  mutating func openScan() throws {
    guard let index = snapshots.indices.randomElement(using: &random) else { return }
    let keyspace = UInt32.random(in: Self.keyspaces, using: &random)
    let isDescending = isTree(keyspace) && Bool.random(using: &random)
    let snapshot = snapshots[index].snapshot
    let scan =
      try isTree(keyspace) ? snapshot.range(keyspace, descending: isDescending) : snapshot.scan(keyspace)
    snapshots[index].scans.append(HeldScan(keyspace: keyspace, scan: scan, isDescending: isDescending))
  }

  mutating func advanceScans() throws {
    for snapshot in snapshots.indices {
      for scan in snapshots[snapshot].scans.indices {
        let byteCapacity = Int.random(in: 10...20_000, using: &random)
        let sliceCapacity = Int.random(in: 1...200, using: &random)
        snapshots[snapshot].scans[scan].records +=
          try snapshots[snapshot].scans[scan].scan.next(byteCapacity: byteCapacity, sliceCapacity: sliceCapacity)
      }
    }
  }

  func finish(_ held: HeldSnapshot) throws {
    for scan in held.scans {
      check(scan.records + (try scan.scan.all()), held.models[scan.keyspace], scan.keyspace, scan.isDescending)
    }
    for keyspace in Self.keyspaces {
      #expect(try held.snapshot.count(keyspace) == held.models[keyspace]?.count)
    }
  }

  func checkAll() throws {
    let snapshot = try cabinet.snapshot()
    for keyspace in Self.keyspaces {
      #expect(try cabinet.count(keyspace) == models[keyspace]?.count)
      let scan = try isTree(keyspace) ? snapshot.range(keyspace) : snapshot.scan(keyspace)
      check(try scan.all(), models[keyspace], keyspace, false)
    }
  }

  private func check(_ records: [CabinetRecord], _ model: Model?, _ keyspace: UInt32, _ isDescending: Bool) {
    #expect(records.count == model?.count, "keyspace \(keyspace)")
    for record in records { #expect(record.value == model?[record.key]) }
    guard isTree(keyspace) else {
      #expect(Set(records.map(\.key)).count == records.count)
      return
    }
    for (left, right) in zip(records, records.dropFirst()) {
      guard case (.bytes(let left), .bytes(let right)) = (left.key, right.key) else { return }
      #expect(isDescending ? right.lexicographicallyPrecedes(left) : left.lexicographicallyPrecedes(right))
    }
  }
}
