extension WriteBatch {
  /// A ``Change`` in 40 bytes, field by field what `tdn_change` of StorageEngineCommit.h is.
  ///
  /// So that the embedded backend hands a batch over as it stands; `KyotoBackend` checks the layout.
  package struct PackedChange: Sendable {
    package var keyspace: UInt32
    package var kind: UInt8
    package var expectation: UInt8
    /// Of a byte key; 0 for rows.
    ///
    /// A key of more than 65,535 bytes saturates, which is over every backend's limit.
    package var keyLength: UInt16
    /// The row id, or the offset of a byte key; 0 where all records are removed.
    package var key: UInt64
    package var expected: UInt64
    package var valueOffset: UInt64
    package var valueLength: UInt64
  }

  /// The changes of a batch, unpacked one by one as they are asked for.
  public struct Changes: RandomAccessCollection, Sendable {
    let packed: [PackedChange]

    public var startIndex: Int { 0 }
    public var endIndex: Int { packed.count }
    public subscript(position: Int) -> Change { Change(packed[position]) }
  }
}

extension WriteBatch.PackedChange {
  init(_ change: WriteBatch.Change) {
    keyspace = change.keyspace.rawValue
    kind = change.kind.rawValue
    valueOffset = UInt64(change.value.lowerBound)
    valueLength = UInt64(change.value.count)
    switch change.key {
    case .row(let rowID):
      key = rowID
      keyLength = 0
    case .bytes(let range):
      key = UInt64(range.lowerBound)
      keyLength = UInt16(clamping: range.count)
    }
    switch change.expectation {
    case .anything: (expectation, expected) = (0, 0)
    case .absent: (expectation, expected) = (1, 0)
    case .token(let token): (expectation, expected) = (2, token)
    case .present: (expectation, expected) = (3, 0)
    case .atMost(let count): (expectation, expected) = (4, UInt64(clamping: count))
    }
  }
}

extension WriteBatch.Change {
  fileprivate init(_ packed: WriteBatch.PackedChange) {
    keyspace = KeyspaceID(rawValue: packed.keyspace)
    // Packed from a kind.
    kind = WriteBatch.Kind(rawValue: packed.kind) ?? .put
    let valueStart = Int(packed.valueOffset)
    value = valueStart..<valueStart + Int(packed.valueLength)
    if packed.keyLength == 0, !kind.mayHaveEmptyKey {
      key = .row(packed.key)
    } else {
      let keyStart = Int(packed.key)
      key = .bytes(keyStart..<keyStart + Int(packed.keyLength))
    }
    switch packed.expectation {
    case 1: expectation = .absent
    case 2: expectation = .token(packed.expected)
    case 3: expectation = .present
    case 4: expectation = .atMost(Int(clamping: packed.expected))
    default: expectation = .anything
    }
  }
}
