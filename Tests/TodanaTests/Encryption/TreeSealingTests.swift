import Dispatch
import Foundation
import SmallBackend
import TestSupport
import Testing
import Todana

/// Trees and names in an encrypted backend that leaves sealing to the library.
struct TreeSealingTests {
  static let secret = StoreSecret.key([UInt8](repeating: 0xA5, count: 16))

  @Test(arguments: 1...(LongTests.areEnabled ? 100 : 4))
  func `a sealed tree behaves like a plain one`(_ seed: Int) throws {
    var run = try SealedTreeRun(seed: UInt64(seed))
    for step in 0..<60 {
      do {
        try run.step()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
  }

  @Test func `only one of several writers that expect an empty range succeeds`() throws {
    let base = try DictionaryBackend(secret: Self.secret)
    let tree = try RecordSealing(base).keyspaceID(of: .tree, named: Array("tree".utf8))
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      // A separate session, like one of another process.
      let sealing = RecordSealing(DictionaryBackend(sharing: base))
      for prefix in 0..<60 as Range<UInt8> {
        do {
          _ = try sealing.keyspaces()
          var batch = WriteBatch()
          batch.appendRangeCheck(of: tree, from: [prefix], to: [prefix + 1], atMost: 0)
          batch.put([UInt8(thread)], key: [prefix, UInt8(thread)], in: tree)
          batch.sort()
          _ = try sealing.commit(batch, durability: .full)
        } catch {
          #expect((error as? BackendError)?.code == .conflict, "\(error)")
          #expect((error as? BackendError)?.conflicts == [0], "the check of the range")
        }
      }
    }
    let sealing = RecordSealing(base)
    _ = try sealing.keyspaces()
    let found = try sealing.snapshot().scan(tree).remainingKeys()
    #expect(found.map { $0.0[0] } == Array(0..<60))
  }

  @Test func `another session reads back keys and names`() throws {
    let base = try DictionaryBackend(secret: Self.secret)
    let sealing = RecordSealing(base)
    let tree = try sealing.keyspaceID(of: .tree, named: Array("tree of titles".utf8))
    var batch = WriteBatch()
    batch.put([1, 2, 3], key: Array("title".utf8), in: tree)
    _ = try sealing.commit(batch, durability: .full)

    let other = RecordSealing(try DictionaryBackend(sharing: base, secret: Self.secret))
    #expect(try other.keyspaces().map { String(decoding: $0.name, as: UTF8.self) } == ["tree of titles"])
    #expect(try other.keyspaceID(of: .tree, named: Array("tree of titles".utf8)) == tree)
    #expect(try other.snapshot().scan(tree).remainingKeys().map(\.0) == [Array("title".utf8)])
    let error = #expect(throws: BackendError.self) {
      try DictionaryBackend(sharing: base, secret: .key([UInt8](repeating: 1, count: 16)))
    }
    #expect(error?.code == .wrongKey)
  }

  @Test func `a sealed tree is loaded in the order of its plain keys`() throws {
    let sealing = RecordSealing(try DictionaryBackend(secret: Self.secret))
    let entries = (0..<3000 as Range<UInt64>).map { (key: bigEndianBytes($0), value: patternedBytes($0, count: 20)) }
    let loader = try sealing.loadKeyspace(of: .tree, named: Array("tree".utf8), expecting: entries.count)
    func batch(_ range: Range<Int>) -> WriteBatch {
      var batch = WriteBatch()
      for entry in entries[range] { batch.put(entry.value, key: entry.key, in: loader.keyspace) }
      return batch
    }
    for start in stride(from: 0, to: entries.count, by: 500) {
      try loader.append(batch(start..<start + 500))
      let error = #expect(throws: BackendError.self) { try loader.append(batch(start..<start + 1)) }
      #expect(error?.code == .invalidArgument)
    }
    #expect(try sealing.keyspaces().isEmpty)
    try loader.finish()
    #expect(throws: BackendError.self) { try loader.append(batch(0..<1)) }
    var adoption = WriteBatch()
    adoption.appendAdoption(of: loader.keyspace)
    _ = try sealing.commit(adoption, durability: .full)
    #expect(try sealing.keyspaces().map(\.id) == [loader.keyspace])
    let found = try sealing.snapshot().scan(loader.keyspace).remainingKeys()
    #expect(found.map(\.0) == entries.map(\.key) && found.map(\.1) == entries.map(\.value))
  }

  @Test func `an entry in the place of another is refused, and hides no other`() throws {
    let base = try DictionaryBackend(secret: Self.secret)
    let sealing = RecordSealing(base)
    let tree = try sealing.keyspaceID(of: .tree, named: Array("tree".utf8))
    var batch = WriteBatch()
    for number in 0..<50 as Range<UInt8> { batch.put([number], key: [number], in: tree) }
    _ = try sealing.commit(batch, durability: .full)
    let stored = try base.allKeys(of: tree).keys.sorted { $0.lexicographicallyPrecedes($1) }
    base.exchangeValues(of: stored[3], and: stored[7], in: tree)

    var damagedCount = 0
    let chunk = RecordChunk()
    for number in 0..<50 as Range<UInt8> {
      do throws(BackendError) {
        try sealing.read(key: [number], of: tree, into: chunk)
        #expect(chunk.values == [[number]])
      } catch {
        #expect(error.code == .damaged)
        damagedCount += 1
      }
    }
    #expect(damagedCount == 2)
    let scan = try sealing.snapshot().scan(tree)
    let error = #expect(throws: BackendError.self) { try scan.next(into: chunk) }
    #expect(error?.code == .damaged && error?.keyspace == tree)
    #expect(try scan.remainingKeys().count == 48)
  }

  @Test(arguments: [false, true], [100, 1 << 20])
  func `entries are sorted within the memory limit and beyond it`(descending: Bool, byteLimit: Int) throws {
    var generator = SeededGenerator(seed: 7)
    var entries: [[UInt8]: [UInt8]] = [:]
    let sorter = EntrySorter(descending: descending, byteLimit: byteLimit)
    for number in 0..<2000 as Range<UInt64> {
      let key = patternedBytes(generator.next(), count: Int.random(in: 1...20, using: &generator))
      guard entries[key] == nil else { continue }
      entries[key] = patternedBytes(number, count: Int.random(in: 0...100, using: &generator))
      try unsafe entries[key]?.withUnsafeBytes { try unsafe sorter.append(key: key, value: $0) }
    }
    try sorter.finish()
    var found: [[UInt8]] = []
    while let entry = try unsafe sorter.next() {
      let key = unsafe [UInt8](entry.key)
      #expect(unsafe [UInt8](entry.value) == entries[key])
      found.append(key)
    }
    #expect(found == entries.keys.sorted { $0.lexicographicallyPrecedes($1) != descending })
  }
}

private struct Difference: Error, CustomStringConvertible {
  let description: String
}

/// A run that applies the same batches to a sealed tree and to a plain one.
private struct SealedTreeRun {
  let sides: [RecordSealing]
  let trees: [KeyspaceID]
  var generator: SeededGenerator
  /// The keys used so far; some begin with a number.
  var keys: [[UInt8]]
  var snapshots: [[any BackendSnapshot]] = []

  init(seed: UInt64) throws {
    let sides = [
      RecordSealing(DictionaryBackend()), RecordSealing(try DictionaryBackend(secret: TreeSealingTests.secret)),
    ]
    self.sides = sides
    // The keyspace of the stamps takes a number as well.
    trees = try ["first", "second"].map { name in
      let ids = try sides.map { try $0.keyspaceID(of: .tree, named: Array(name.utf8)) }
      try #require(ids[0] == ids[1])
      return ids[0]
    }
    generator = SeededGenerator(seed: seed)
    keys = [[0], [0, 0], [0, 0, 0, 0, 0, 0, 0, 1], [0xFF], [UInt8](repeating: 0xFF, count: 1000), [0x80]]
    for _ in 0..<40 {
      keys.append(patternedBytes(generator.next(), count: Int.random(in: 1...12, using: &generator)))
    }
  }

  mutating func step() throws {
    try commit()
    let tree = trees.randomElement(using: &generator) ?? trees[0]
    for _ in 0..<4 {
      let key = randomKey()
      try compare("a read") { side in
        let chunk = RecordChunk()
        try side.read(key: key, of: tree, into: chunk)
        return "\(chunk.values)"
      }
    }
    let bounds = [
      Bool.random(using: &generator) ? randomKey() : nil, Bool.random(using: &generator) ? randomKey() : nil,
    ]
    let descending = Bool.random(using: &generator)
    let recordLimit = Int.random(in: 1...50, using: &generator)
    let all: ([any BackendSnapshot]) throws -> Void = { [self] snapshots in
      try compare("a scan", of: snapshots) { snapshot in
        let scan = try snapshot.scan(tree: tree, from: bounds[0], to: bounds[1], descending: descending)
        var found =
          "\(try snapshot.count(of: tree)) \(try snapshot.estimatedCount(tree: tree, from: bounds[0], to: bounds[1]))"
        let chunk = RecordChunk(byteCapacity: 1000, recordLimit: recordLimit)
        repeat {
          try scan.next(into: chunk)
          for (slice, value) in zip(chunk.slices, chunk.values) {
            found += "\(chunk.bytes(slice.key)): \(value ?? []) "
          }
        } while !chunk.slices.isEmpty
        return found
      }
    }
    let now = try sides.map { try $0.snapshot() }
    try all(now)
    if let old = snapshots.randomElement(using: &generator) { try all(old) }
    if Int.random(in: 0..<8, using: &generator) == 0 { snapshots.append(now) }
    try keepNumberedKeys(of: now[0], in: tree)
  }

  private mutating func randomKey() -> [UInt8] { keys.randomElement(using: &generator) ?? [1] }

  private mutating func keepNumberedKeys(of snapshot: any BackendSnapshot, in tree: KeyspaceID) throws {
    let numbered = try snapshot.scan(tree).remainingKeys().map(\.0).filter {
      $0.count >= 8 && $0.prefix(4) == [0, 0, 0, 0]
    }
    keys = keys.filter { $0.prefix(4) != [0, 0, 0, 0] } + [[0, 0, 0, 0, 0, 0, 0, 1]] + numbered.suffix(20)
  }

  private mutating func commit() throws {
    var changes: [(inout WriteBatch) -> Void] = []
    for tree in trees {
      if Int.random(in: 0..<20, using: &generator) == 0 { changes.append { $0.appendClear(of: tree) } }
      if Int.random(in: 0..<3, using: &generator) == 0 {
        let (lower, upper) = (
          Bool.random(using: &generator) ? randomKey() : [], Bool.random(using: &generator) ? randomKey() : []
        )
        let most = Int.random(in: 0..<60, using: &generator)
        changes.append { $0.appendRangeCheck(of: tree, from: lower, to: upper, atMost: most) }
      }
      var touched: Set<[UInt8]> = []
      for _ in 0..<Int.random(in: 0..<12, using: &generator) {
        let key = randomKey()
        guard touched.insert(key).inserted else { continue }
        let expectation = try randomExpectation(of: key, in: tree)
        let isLong = Int.random(in: 0..<30, using: &generator) == 0
        let value = patternedBytes(
          generator.next(), count: Int.random(in: 0...(isLong ? 40_000 : 30), using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: changes.append { $0.erase(key: key, in: tree) }
        case 1 where expectation != .anything: changes.append { $0.check(key: key, in: tree, expecting: expectation) }
        case 2, 3:
          changes.append { $0.remove(key: key, in: tree, expecting: expectation == .absent ? .anything : expectation) }
        default: changes.append { $0.put(value, key: key, in: tree, expecting: expectation) }
        }
      }
      if Int.random(in: 0..<3, using: &generator) == 0 {
        let suffix = patternedBytes(generator.next(), count: Int.random(in: 0...9, using: &generator))
        changes.append { $0.putNumbered([1, 2, 3], suffix: suffix, in: tree) }
      }
    }
    try compare("a commit") { side in
      var batch = WriteBatch()
      for change in changes { change(&batch) }
      batch.sort()
      do throws(BackendError) {
        return "\(try side.commit(batch, durability: .full))"
      } catch {
        return
          "\(error.code) \(error.conflicts.map { "\($0): \(batch.changes[$0].kind) \(batch.changes[$0].expectation)" })"
      }
    }
  }

  /// Returns an expectation that is met in most cases.
  private mutating func randomExpectation(of key: [UInt8], in tree: KeyspaceID) throws -> WriteBatch.Expectation {
    let chunk = RecordChunk()
    try sides[0].read(key: key, of: tree, into: chunk)
    let value = chunk.values.first ?? nil
    switch Int.random(in: 0..<30, using: &generator) {
    case 0: return .token(1)
    case 1: return value == nil ? .present : .absent
    case 2..<10: return value.map { .token(token(of: $0)) } ?? .absent
    case 10..<20: return value == nil ? .absent : .present
    default: return .anything
    }
  }

  private func compare(_ what: String, _ body: (RecordSealing) throws -> String) throws {
    try compare(what, of: sides, body)
  }

  private func compare<Side>(_ what: String, of sides: [Side], _ body: (Side) throws -> String) throws {
    let found = try sides.map(body)
    guard found[0] == found[1] else {
      throw Difference(description: "\(what): plain \(found[0].prefix(600)), sealed \(found[1].prefix(600))")
    }
  }
}
