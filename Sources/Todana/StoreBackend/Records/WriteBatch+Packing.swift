extension WriteBatch {
  /// A ``Change`` in 40 bytes, with the fields of `tdn_change` of StorageEngineCommit.h.
  ///
  /// With this layout the embedded backend passes a batch without a conversion; `KyotoBackend` checks the layout.
  package struct PackedChange: Sendable {
    package var keyspace: UInt32
    package var kind: UInt8
    package var expectation: UInt8
    /// The length of a byte key; 0 for rows.
    ///
    /// For a key of more than 65,535 bytes it is 65,535, which exceeds every backend's limit.
    package var keyLength: UInt16
    /// The row id, or the offset of a byte key; 0 for changes that concern the whole keyspace.
    package var key: UInt64
    package var expected: UInt64
    package var valueOffset: UInt64
    package var valueLength: UInt64
  }

  /// The changes of a batch, each unpacked when it is accessed.
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
    case .exactly(let count): (expectation, expected) = (5, UInt64(clamping: count))
    }
  }
}

extension WriteBatch.Change {
  fileprivate init(_ packed: WriteBatch.PackedChange) {
    keyspace = KeyspaceID(rawValue: packed.keyspace)
    // The raw value was packed from a kind, so the default is never used.
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
    case 5: expectation = .exactly(Int(clamping: packed.expected))
    default: expectation = .anything
    }
  }
}
