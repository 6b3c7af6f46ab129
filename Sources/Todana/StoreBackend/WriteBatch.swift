/// Everything that one save changes: applied wholly or not at all.
///
/// Changes are grouped by structure and sorted by key, at most one for each key; ``sort()`` sees to the order.
public struct WriteBatch: ~Copyable {
  /// The identity by which ``StoreBackend/outcome(of:)`` knows the batch.
  public let id: BatchID
  public private(set) var changes: [Change]
  /// Holds the values and byte keys that the changes point into.
  public let arena: ByteArena

  public init(id: BatchID = BatchID(), arena: ByteArena = ByteArena()) {
    self.id = id
    self.changes = []
    self.arena = arena
  }

  /// One change of one record.
  public struct Change: Sendable {
    public var structure: ClassID
    public var kind: Kind
    public var expectation: Expectation
    public var key: Key
    /// Where the new value stands in the batch's arena; empty for a removal.
    public var value: Range<Int>

    public init(
      structure: ClassID, kind: Kind, expectation: Expectation, key: Key, value: Range<Int>
    ) {
      self.structure = structure
      self.kind = kind
      self.expectation = expectation
      self.key = key
      self.value = value
    }
  }

  public enum Kind: Sendable {
    case put
    /// Of a record that exists: removing one that does not is a conflict.
    case remove
  }

  /// What must be there before the change, or the whole batch is refused.
  public enum Expectation: Sendable, Equatable {
    case anything
    case absent
    /// A record whose last 8 bytes, as a little-endian number, are this.
    case token(UInt64)
  }

  public enum Key: Sendable, Equatable {
    case row(RowID)
    /// A byte key, by its place in the batch's arena.
    case bytes(Range<Int>)
  }

  public mutating func append(_ change: Change) { changes.append(change) }

  public mutating func reserveCapacity(_ count: Int) { changes.reserveCapacity(count) }

  public var isEmpty: Bool { changes.isEmpty }

  /// Orders the changes by structure, then rows by number and byte keys by length, then bytes.
  ///
  /// - Complexity: O(*n*) for changes that are in order already, else O(*n* log *n*).
  public mutating func sort() {
    var isSorted = true
    for index in changes.indices.dropFirst()
    where
      !Self.precedes(changes[index - 1], changes[index], in: arena)
    {
      isSorted = false
      break
    }
    if !isSorted {
      let arena = arena
      changes.sort { Self.precedes($0, $1, in: arena) }
    }
  }

  private static func precedes(_ lhs: Change, _ rhs: Change, in arena: ByteArena) -> Bool {
    if lhs.structure != rhs.structure { return lhs.structure < rhs.structure }
    switch (lhs.key, rhs.key) {
    case (.row(let left), .row(let right)): return left < right
    case (.bytes(let left), .bytes(let right)):
      if left.count != right.count { return left.count < right.count }
      let bytes = unsafe arena.bytes
      return unsafe bytes[left].lexicographicallyPrecedes(bytes[right])
    case (.row, .bytes): return true
    case (.bytes, .row): return false
    }
  }
}
