import TestSupport
import Todana

/// A tree that a faulty workload changes before each save.
///
/// Before save *n*, a separate commit puts the keys of *n* and removes the keys of *n* - 3. Every third of these
/// commits clears the tree and puts the remaining keys back. Every third loads the remaining keys into a new tree,
/// which it adopts.
enum FaultTree {
  private static let name = Array("saves in order".utf8)
  private static let keysPerSave = 4

  static func write(_ number: Int, to backend: any StoreBackend) throws(BackendError) {
    let tree = try backend.keyspaceID(of: .tree, named: name)
    let present = try numbers(in: backend, tree)
    // After an error, the tree may already have the keys of this save.
    guard present.last != number else { return }
    let stays = present.filter { $0 > number - 3 } + [number]
    if number % 3 == 1 { return try replace(tree, by: stays, in: backend) }
    try backend.commit { batch in
      for key in keys(of: number) { batch.put(key, key: key, in: tree) }
      if number % 3 == 0 {
        batch.appendClear(of: tree)
        for kept in stays.dropLast() {
          for key in keys(of: kept) { batch.put(key, key: key, in: tree, expecting: .absent) }
        }
      } else {
        for old in present where old <= number - 3 { for key in keys(of: old) { batch.erase(key: key, in: tree) } }
      }
    }
  }

  private static func replace(
    _ tree: KeyspaceID, by numbers: [Int], in backend: any StoreBackend
  ) throws(BackendError) {
    let loader = try backend.loadKeyspace(of: .tree, named: name, expecting: 0)
    for number in numbers {
      var batch = WriteBatch()
      for key in keys(of: number) { batch.put(key, key: key, in: loader.keyspace) }
      try loader.append(batch)
    }
    try loader.finish()
    try backend.commit { batch in
      batch.appendDrop(of: tree)
      batch.appendAdoption(of: loader.keyspace)
    }
  }

  /// Returns a description of a fault of the tree, or nil.
  ///
  /// The tree must belong to save `count` or the next one.
  static func fault(
    in backend: any StoreBackend, after count: Int, startingAt start: Int
  ) throws(BackendError) -> String? {
    let tree = try backend.keyspaceID(of: .tree, named: name)
    let present = try numbers(in: backend, tree)
    let last = present.last ?? start
    guard last == count || last == count + 1 else {
      return "the tree is as before save \(last), the store as after \(count)"
    }
    let expected = Array(max(start + 1, last - 2)..<last + 1)
    return present == expected ? nil : "the tree holds \(present) instead of \(expected)"
  }

  /// Returns the saves whose keys are present, in order, or -1 if the keys of a save are incomplete.
  private static func numbers(in backend: any StoreBackend, _ tree: KeyspaceID) throws(BackendError) -> [Int] {
    let snapshot = try backend.snapshot()
    let scan = try snapshot.scan(tree)
    let chunk = RecordChunk()
    var keys: [[UInt8]] = []
    repeat {
      try scan.next(into: chunk)
      keys += chunk.slices.map { chunk.bytes($0.key) }
    } while !chunk.slices.isEmpty
    let numbers = keys.map { Int($0[0]) << 8 | Int($0[1]) }
    let isWhole = keys.count % keysPerSave == 0 && numbers.indices.allSatisfy { numbers[$0] == numbers[$0 / 4 * 4] }
    guard isWhole else { return [-1] }
    return stride(from: 0, to: numbers.count, by: keysPerSave).map { numbers[$0] }
  }

  /// Returns the keys of a save, which are long enough for several leaves.
  private static func keys(of number: Int) -> [[UInt8]] {
    (0..<keysPerSave).map { index in
      [UInt8(number >> 8), UInt8(number & 0xFF), UInt8(index)] + [UInt8](repeating: 0x2E, count: 900)
    }
  }
}
