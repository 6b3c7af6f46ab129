// Model-based tests: random batches, reads, snapshots, checkpoints and reopenings, compared with plain dictionaries.
//
// A failure prints its seed; `TODANA_TEST_SEED` repeats the run.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct RandomOperationsTests {
  @Test(arguments: TestedBackend.allCases)
  func `random operations agree with a dictionary`(_ kind: TestedBackend) throws {
    for seed in RandomSeeds.seeds(new: 1, long: 40) {
      do {
        var run = try RandomRun(kind, seed: seed)
        for _ in 0..<150 { try run.step() }
        try run.compareAll()
      } catch {
        Issue.record("seed \(seed), \(kind.rawValue): \(error)")
        return
      }
    }
  }
}

private struct Difference: Error, CustomStringConvertible {
  let description: String
}

/// A backend, and the dictionaries that hold its expected records.
private struct RandomRun {
  typealias Records = [[UInt8]: [UInt8]]

  let store: OpenBackend
  let keyspaces: [(id: KeyspaceID, kind: KeyspaceKind)]
  var generator: SeededGenerator
  var model: [Records]
  var snapshots: [(snapshot: any BackendSnapshot, model: [Records])] = []

  init(_ kind: TestedBackend, seed: UInt64) throws {
    store = try OpenBackend(kind)
    keyspaces = [(store.songs, .rows), (store.names, .keys), (store.index, .tree)]
    generator = SeededGenerator(seed: seed)
    model = [[[0, 1]: [1]], [[1]: [1]], [[1]: [1]]]
    // A first commit makes the ids of the keyspaces permanent.
    try store.backend.commit { [store] batch in
      batch.put([1], row: 1, in: store.songs)
      batch.put([1], key: [1], in: store.names)
      batch.put([1], key: [1], in: store.index)
    }
  }

  mutating func step() throws {
    switch Int.random(in: 0..<100, using: &generator) {
    case ..<55: try commit()
    case ..<70: try readSome()
    case ..<80: snapshots.append((try store.backend.snapshot(), model))
    case ..<90: try compareSnapshot()
    case ..<94: try store.backend.operations?.checkpoint()
    case ..<96 where store.kind.lasts:
      snapshots = []
      try store.reopenAfterClosing()
    default: try compareAll()
    }
  }

  private mutating func commit() throws {
    var batch = WriteBatch()
    var changed = model
    var isRefused = false
    if Int.random(in: 0..<15, using: &generator) == 0 {
      let number = Int.random(in: 0..<keyspaces.count, using: &generator)
      batch.appendClear(of: keyspaces[number].id)
      changed[number] = [:]
    }
    let base = changed
    var touched = [Set<[UInt8]>](repeating: [], count: keyspaces.count)
    let changeCount = Int.random(in: 1...(Bool.random(using: &generator) ? 6 : 200), using: &generator)
    // Change either neighbouring rows, which a backend may store together, or any records.
    let isRun = Int.random(in: 0..<3, using: &generator) == 0
    var nextRow = randomKey(of: .rows)
    for _ in 0..<Int.random(in: 1...changeCount, using: &generator) {
      let number = isRun ? 0 : Int.random(in: 0..<keyspaces.count, using: &generator)
      let key = isRun ? nextRow : randomKey(of: keyspaces[number].kind)
      nextRow[1] = max(nextRow[1] &+ 1, 1)
      // A batch may have only one change for each key.
      if !touched[number].insert(key).inserted { continue }
      let old = base[number][key]
      let choice = Int.random(in: 0..<10, using: &generator)
      if choice == 0 {
        append(.erase, key, number, to: &batch, expecting: .anything)
        changed[number][key] = nil
      } else if choice == 1 {
        let isFalse = Int.random(in: 0..<200, using: &generator) == 0
        let holds = old.map { .token(token(of: $0)) } ?? WriteBatch.Expectation.absent
        let another = WriteBatch.Expectation.token(old.map { token(of: $0) &+ 1 } ?? 1)
        append(.check, key, number, to: &batch, expecting: isFalse ? another : holds)
        isRefused = isRefused || isFalse
      } else if old != nil, choice < 4 {
        remove(key, number, from: &batch, expecting: old.map { .token(token(of: $0)) } ?? .anything)
        changed[number][key] = nil
      } else {
        let limit = isRun ? 60 : Int.random(in: 0..<20, using: &generator) == 0 ? 40_000 : 120
        let keepsLength = old != nil && Int.random(in: 0..<4, using: &generator) == 0
        let byteCount = keepsLength ? old?.count ?? 0 : Int.random(in: 0...limit, using: &generator)
        let value = patternedBytes(generator.next(), count: byteCount)
        if value == old { continue }
        isRefused = isRefused || put(value, key, number, old: old, into: &batch)
        changed[number][key] = value
      }
    }
    batch.sort()
    guard batch.isSorted else { throw Difference(description: "a batch with two changes of one key") }
    do throws(BackendError) {
      _ = try store.backend.commit(batch, durability: Bool.random(using: &generator) ? .full : .relaxed)
      if isRefused { throw BackendError(.invalidArgument, "A batch with a false expectation was applied.") }
      model = changed
    } catch {
      if !isRefused || error.code != .conflict { throw error }
    }
  }

  /// Adds a put with a random expectation, and returns true if the expectation does not hold.
  private mutating func put(
    _ value: [UInt8], _ key: [UInt8], _ number: Int, old: [UInt8]?, into batch: inout WriteBatch
  ) -> Bool {
    let isFalse = Int.random(in: 0..<400, using: &generator) == 0
    var expectation = WriteBatch.Expectation.anything
    if let old {
      expectation = isFalse ? .absent : Bool.random(using: &generator) ? .anything : .token(token(of: old))
    } else {
      expectation = isFalse ? .token(1) : Bool.random(using: &generator) ? .anything : .absent
    }
    if keyspaces[number].kind == .rows {
      batch.put(value, row: RowID(key[0]) << 8 | RowID(key[1]), in: keyspaces[number].id, expecting: expectation)
    } else {
      batch.put(value, key: key, in: keyspaces[number].id, expecting: expectation)
    }
    return isFalse
  }

  private func append(
    _ kind: WriteBatch.Kind, _ key: [UInt8], _ number: Int, to batch: inout WriteBatch,
    expecting expectation: WriteBatch.Expectation
  ) {
    let keyspace = keyspaces[number]
    let rowID = RowID(key[0]) << 8 | RowID(key[key.count > 1 ? 1 : 0])
    switch (kind, keyspace.kind) {
    case (.erase, .rows): batch.erase(row: rowID, in: keyspace.id)
    case (.erase, _): batch.erase(key: key, in: keyspace.id)
    case (_, .rows): batch.check(row: rowID, in: keyspace.id, expecting: expectation)
    case (_, _): batch.check(key: key, in: keyspace.id, expecting: expectation)
    }
  }

  private func remove(
    _ key: [UInt8], _ number: Int, from batch: inout WriteBatch, expecting expectation: WriteBatch.Expectation
  ) {
    if keyspaces[number].kind == .rows {
      batch.remove(row: RowID(key[0]) << 8 | RowID(key[1]), in: keyspaces[number].id, expecting: expectation)
    } else {
      batch.remove(key: key, in: keyspaces[number].id, expecting: expectation)
    }
  }

  /// Returns two bytes that encode a row id, or one to four bytes for other keyspaces.
  private mutating func randomKey(of kind: KeyspaceKind) -> [UInt8] {
    if kind == .rows {
      return [UInt8.random(in: 0...3, using: &generator), UInt8.random(in: 1...255, using: &generator)]
    }
    return (0..<Int.random(in: 1...4, using: &generator)).map { _ in UInt8.random(in: 0...8, using: &generator) }
  }

  private mutating func readSome() throws {
    let rows = (0..<30).map { _ in randomKey(of: .rows) }
    try check(
      try store.backend.newest.values(rows.map { RowID($0[0]) << 8 | RowID($0[1]) }, in: keyspaces[0].id)
        == rows.map { model[0][$0] }, "rows read")
    for number in 1...2 {
      let key = randomKey(of: .keys)
      try check(
        try store.backend.newest.value(key: key, in: keyspaces[number].id) == model[number][key], "key \(key) read")
    }
  }

  private mutating func compareSnapshot() throws {
    guard !snapshots.isEmpty else { return }
    let (snapshot, model) = snapshots.remove(at: Int.random(in: 0..<snapshots.count, using: &generator))
    try compare(snapshot, with: model)
  }

  func compareAll() throws {
    try compare(try store.backend.snapshot(), with: model)
    for (number, keyspace) in keyspaces.enumerated() {
      try check(try store.backend.count(of: keyspace.id) == model[number].count, "count of keyspace \(number)")
    }
  }

  private func compare(_ snapshot: any BackendSnapshot, with model: [Records]) throws {
    for (number, keyspace) in keyspaces.enumerated() {
      try check(try snapshot.count(of: keyspace.id) == model[number].count, "count of keyspace \(number)")
    }
    let rows = try snapshot.scan(keyspaces[0].id).remainingRows()
    let byKey = rows.map { ([UInt8($0.key >> 8), UInt8($0.key & 255)], $0.value) }
    try check(Dictionary(uniqueKeysWithValues: byKey) == model[0], "rows scanned")
    let keys = try snapshot.scan(keyspaces[1].id).remainingKeys()
    if TestedBackend.thatTellKeys.contains(store.kind) {
      try check(keys.count == model[1].count && keys.allSatisfy { model[1][$0.key] == $0.value }, "keys scanned")
    } else {
      try check(
        keys.map(\.value).sorted { $0.lexicographicallyPrecedes($1) }
          == model[1].values.sorted { $0.lexicographicallyPrecedes($1) }, "values of keys scanned")
      for (key, value) in model[1] {
        try check(try snapshot.state.value(key: key, in: keyspaces[1].id) == value, "key \(key) read")
      }
    }
    let ordered = model[2].sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let tree = try snapshot.scan(tree: keyspaces[2].id, from: nil, to: nil, descending: false).remainingKeys()
    try check(tree.elementsEqual(ordered) { $0.key == $1.key && $0.value == $1.value }, "tree scanned")
    let backwards = try snapshot.scan(tree: keyspaces[2].id, from: nil, to: nil, descending: true).remainingKeys()
    try check(backwards.map(\.key) == ordered.reversed().map(\.key), "tree scanned backwards")
  }

  private func check(_ holds: Bool, _ what: String) throws {
    if !holds { throw Difference(description: "\(what) differ from the model") }
  }
}
