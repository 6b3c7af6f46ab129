/// Everything that one save changes: applied wholly or not at all.
///
/// Changes are grouped by keyspace and sorted by key, at most one for each key; ``sort()`` sees to the order.
public struct WriteBatch: ~Copyable {
  /// The identity by which ``StoreBackend/outcome(of:)`` knows the batch.
  public let id: BatchID
  /// Holds the values and byte keys that the changes point into.
  public let arena: ByteArena
  /// The changes as they are kept, 40 bytes each: a save of a million rows holds a million of them.
  package private(set) var packedChanges: [PackedChange] = []
  /// An empty byte key was appended, which no backend takes.
  package private(set) var hasEmptyKey = false

  public init(id: BatchID = BatchID(), arena: ByteArena = ByteArena()) {
    self.id = id
    self.arena = arena
  }

  /// One change of one record.
  public struct Change: Sendable, Equatable {
    public var keyspace: KeyspaceID
    public var kind: Kind
    public var expectation: Expectation
    /// ``Key/row(_:)`` of 0 for ``Kind/clear``, which has none.
    public var key: Key
    /// Where the new value stands in the batch's arena; empty but for ``Kind/put``.
    public var value: Range<Int>

    public init(
      keyspace: KeyspaceID, kind: Kind, expectation: Expectation, key: Key, value: Range<Int>
    ) {
      self.keyspace = keyspace
      self.kind = kind
      self.expectation = expectation
      self.key = key
      self.value = value
    }
  }

  public enum Kind: UInt8, Sendable {
    case put = 1
    /// Of a record that exists: removing one that does not is a conflict.
    case remove = 2
    /// Removes the record if there is one; its expectation is ``Expectation/anything``.
    case erase = 3
    /// Changes nothing, but has an expectation, which is not ``Expectation/anything``: that must hold, or the batch is
    /// refused.
    case check = 4
    /// Removes all records of the keyspace, in the same time however many there are.
    ///
    /// It comes first of its keyspace: the other changes find that empty. See ``WriteBatch/appendClear(of:)``.
    case clear = 5
  }

  /// What must be there before the change, or the whole batch is refused.
  public enum Expectation: Sendable, Equatable {
    case anything
    case absent
    /// A record whose last 8 bytes, as a little-endian number, are this.
    case token(UInt64)
  }

  /// Whether kind and expectation go together.
  package static func fits(_ expectation: Expectation, _ kind: Kind) -> Bool {
    switch kind {
    case .put: true
    case .remove: expectation != .absent
    case .erase, .clear: expectation == .anything
    case .check: expectation != .anything
    }
  }

  public enum Key: Sendable, Equatable {
    case row(RowID)
    /// A byte key, by its place in the batch's arena; it has at least one byte.
    case bytes(Range<Int>)
  }

  /// The changes, in the order in which they were appended or sorted.
  public var changes: Changes { Changes(packed: packedChanges) }

  public mutating func append(_ change: Change) {
    if case .bytes(let range) = change.key, range.isEmpty { hasEmptyKey = true }
    packedChanges.append(PackedChange(change))
  }

  /// Removes all records of a keyspace; what else the batch does there, it does afterwards.
  ///
  /// Row ids go on behind those that were handed out. ``sort()`` puts the change first of its keyspace.
  public mutating func appendClear(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .clear, expectation: .anything, key: .row(0), value: 0..<0))
  }

  public mutating func reserveCapacity(_ count: Int) { packedChanges.reserveCapacity(count) }

  /// Makes room for so many more changes.
  ///
  /// Not less than twice as much as there is, so that doing so again and again copies little.
  mutating func reserveMore(_ count: Int) {
    let needed = packedChanges.count + count
    guard needed > packedChanges.capacity else { return }
    packedChanges.reserveCapacity(max(needed, packedChanges.count * 2))
  }

  public var isEmpty: Bool { packedChanges.isEmpty }

  mutating func sortPackedChanges(by precedes: (PackedChange, PackedChange) -> Bool) {
    packedChanges.sort(by: precedes)
  }
}
