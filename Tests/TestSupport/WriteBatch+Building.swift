public import Todana

extension WriteBatch {
  /// Puts a row, by default a new one.
  public mutating func put(
    _ value: [UInt8], row: RowID, in keyspace: KeyspaceID, expecting expectation: Expectation = .absent
  ) {
    append(
      Change(keyspace: keyspace, kind: .put, expectation: expectation, key: .row(row), value: arena.append(value)))
  }

  /// Puts a record under a byte key, by default in place of any other.
  public mutating func put(
    _ value: [UInt8], key: [UInt8], in keyspace: KeyspaceID, expecting expectation: Expectation = .anything
  ) {
    let key = arena.append(key)
    append(
      Change(keyspace: keyspace, kind: .put, expectation: expectation, key: .bytes(key), value: arena.append(value)))
  }

  /// Removes a row.
  public mutating func remove(
    row: RowID, in keyspace: KeyspaceID, expecting expectation: Expectation = .anything
  ) {
    append(Change(keyspace: keyspace, kind: .remove, expectation: expectation, key: .row(row), value: 0..<0))
  }

  /// Removes the record under a byte key.
  public mutating func remove(
    key: [UInt8], in keyspace: KeyspaceID, expecting expectation: Expectation = .anything
  ) {
    append(
      Change(
        keyspace: keyspace, kind: .remove, expectation: expectation, key: .bytes(arena.append(key)), value: 0..<0))
  }
}

extension WriteBatch {
  /// Removes a row if it is present.
  public mutating func erase(row: RowID, in keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .erase, expectation: .anything, key: .row(row), value: 0..<0))
  }

  /// Removes the record under a byte key if it is present.
  public mutating func erase(key: [UInt8], in keyspace: KeyspaceID) {
    append(
      Change(
        keyspace: keyspace, kind: .erase, expectation: .anything, key: .bytes(arena.append(key)), value: 0..<0))
  }

  /// Requires that a row is as expected.
  public mutating func check(row: RowID, in keyspace: KeyspaceID, expecting expectation: Expectation) {
    append(Change(keyspace: keyspace, kind: .check, expectation: expectation, key: .row(row), value: 0..<0))
  }

  /// Requires that the record under a byte key is as expected.
  public mutating func check(key: [UInt8], in keyspace: KeyspaceID, expecting expectation: Expectation) {
    append(
      Change(
        keyspace: keyspace, kind: .check, expectation: expectation, key: .bytes(arena.append(key)), value: 0..<0))
  }
}

extension WriteBatch {
  /// Puts a record of a tree under a key that consists of the commit number and `suffix`.
  public mutating func putNumbered(
    _ value: [UInt8], suffix: [UInt8] = [], in tree: KeyspaceID, expecting expectation: Expectation = .anything
  ) {
    let key = arena.append(suffix)
    append(
      Change(
        keyspace: tree, kind: .putNumbered, expectation: expectation, key: .bytes(key), value: arena.append(value)))
  }
}

extension StoreBackend {
  /// Sorts and commits the changes that `build` appends to a new batch.
  @discardableResult
  public func commit(
    _ durability: Durability = .full, _ build: (inout WriteBatch) -> Void
  ) throws(BackendError) -> CommitNumber {
    var batch = WriteBatch()
    build(&batch)
    batch.sort()
    return try commit(batch, durability: durability)
  }
}

/// Returns the last 8 bytes of a record as a little-endian number, which ``WriteBatch/Expectation/token(_:)`` compares.
public func token(of record: [UInt8]) -> UInt64 {
  record.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

/// Returns bytes that depend on `number` and `byteCount` only.
///
/// From 8 bytes on, no two numbers give equal bytes.
public func patternedBytes(_ number: UInt64, count byteCount: Int = 24) -> [UInt8] {
  [UInt8](capacity: byteCount) { output in
    var generator = SeededGenerator(seed: number)
    while output.count < byteCount {
      var word = output.count == 0 ? number : generator.next()
      for _ in 0..<min(8, byteCount - output.count) {
        output.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
  }
}

/// Returns the eight bytes of a number in big-endian order, so that their order is the order of the numbers.
public func bigEndianBytes(_ number: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}
