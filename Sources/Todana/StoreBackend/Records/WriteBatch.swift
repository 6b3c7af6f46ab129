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
  public private(set) var hasEmptyKey = false

  public init(id: BatchID = BatchID(), arena: ByteArena = ByteArena()) {
    self.id = id
    self.arena = arena
  }

  /// One change of one record.
  public struct Change: Sendable, Equatable {
    public var keyspace: KeyspaceID
    public var kind: Kind
    public var expectation: Expectation
    /// The key of the record.
    ///
    /// ``Key/row(_:)`` of 0 for ``Kind/clear``, ``Kind/drop`` and ``Kind/adopt``, which have none. For
    /// ``Kind/checkRange`` it is the lower bound, for ``Kind/putNumbered`` the end of the key; both may be empty.
    public var key: Key
    /// The place in the batch's arena of the new value, or of the upper bound of ``Kind/checkRange``; empty for others.
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
    /// Changes nothing, but expects ``Expectation/atMost(_:)`` keys of a tree within bounds; see
    /// ``WriteBatch/appendRangeCheck(of:from:to:atMost:)``.
    case checkRange = 6
    /// Puts a record of a tree under a new key, which begins with the number of the commit: 8 bytes, the highest first.
    ///
    /// The bytes of ``Change/key``, which may be none, follow. Nobody but the commit itself knows its number in advance.
    case putNumbered = 7
    /// Removes the keyspace: its records, its name and its number, which is never given out again.
    ///
    /// It is the only change of its keyspace. Open snapshots go on reading it. See ``WriteBatch/appendDrop(of:)``.
    case drop = 8
    /// A keyspace that was loaded aside joins the others, with all its records.
    ///
    /// It is the only change of its keyspace. See ``WriteBatch/appendAdoption(of:)``.
    case adopt = 9
  }

  /// What must be there before the change, or the whole batch is refused.
  public enum Expectation: Sendable, Equatable {
    case anything
    case absent
    /// A record whose last 8 bytes, as a little-endian number, are this.
    case token(UInt64)
    /// A record, whatever its value.
    case present
    /// Of ``Kind/checkRange``, and of nothing else: so many keys, or fewer.
    case atMost(Int)
  }

  /// Whether kind and expectation go together; a backend refuses other changes as ``BackendError/Code/invalidArgument``.
  public static func fits(_ expectation: Expectation, _ kind: Kind) -> Bool {
    if case .atMost = expectation { return kind == .checkRange }
    return switch kind {
    case .put: true
    case .remove: expectation != .absent
    case .erase, .clear, .drop, .adopt: expectation == .anything
    case .check: expectation != .anything
    case .putNumbered: expectation == .anything || expectation == .absent
    case .checkRange: false
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
    if case .bytes(let range) = change.key, range.isEmpty, !change.kind.mayHaveEmptyKey { hasEmptyKey = true }
    packedChanges.append(PackedChange(change))
  }

  /// Removes all records of a keyspace; what else the batch does there, it does afterwards.
  ///
  /// Row ids go on behind those that were handed out. ``sort()`` puts the change first of its keyspace.
  public mutating func appendClear(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .clear, expectation: .anything, key: .row(0), value: 0..<0))
  }

  /// Expects a number of keys of a tree within bounds, in the state before the batch.
  ///
  /// - Parameters:
  ///   - tree: The tree.
  ///   - lower: The lower bound, inclusive; empty for none.
  ///   - upper: The upper bound, exclusive; empty for none.
  ///   - most: Keys that there may be. As many are read, and one more.
  public mutating func appendRangeCheck(of tree: KeyspaceID, from lower: [UInt8], to upper: [UInt8], atMost most: Int) {
    let (lower, upper) = (arena.append(lower), arena.append(upper))
    append(Change(keyspace: tree, kind: .checkRange, expectation: .atMost(most), key: .bytes(lower), value: upper))
  }

  /// Removes a keyspace with its records, its name and its number.
  public mutating func appendDrop(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .drop, expectation: .anything, key: .row(0), value: 0..<0))
  }

  /// Makes a keyspace that was loaded aside one of the others.
  ///
  /// Its loading is finished (``KeyspaceLoader/finish()``), and its name is not in use, or that of a keyspace which the
  /// batch drops.
  public mutating func appendAdoption(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .adopt, expectation: .anything, key: .row(0), value: 0..<0))
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
