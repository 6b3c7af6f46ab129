/// All changes of one save, which are applied together or not at all.
///
/// Changes are grouped by keyspace and sorted by key, at most one for each key; ``sort()`` establishes this order.
public struct WriteBatch: ~Copyable {
  /// The identity with which ``StoreBackend/outcome(of:)`` looks up the batch.
  public let id: BatchID
  /// The values and byte keys to which the changes refer.
  public let arena: ByteArena
  /// The changes in packed form, 40 bytes each, as a save of a million rows has a million changes.
  package private(set) var packedChanges: [PackedChange] = []
  /// Whether there are checks of rows between the other changes of a keyspace.
  private(set) var hasPresenceChecks = false
  /// Whether an empty byte key was appended, which no backend accepts.
  public private(set) var hasEmptyKey = false

  public init(id: BatchID = BatchID(), arena: ByteArena = ByteArena()) {
    self.id = id
    self.arena = arena
  }

  /// One change of one record or keyspace.
  public struct Change: Sendable, Equatable {
    public var keyspace: KeyspaceID
    public var kind: Kind
    public var expectation: Expectation
    /// The key of the record.
    ///
    /// It is ``Key/row(_:)`` of 0 for ``Kind/clear``, ``Kind/drop`` and ``Kind/adopt``, which have no key. For
    /// ``Kind/checkRange`` and ``Kind/removeRange`` it is the lower bound, for ``Kind/putNumbered`` the end of the key;
    /// all of these may be empty.
    public var key: Key
    /// The position of the new value in the batch's arena.
    ///
    /// For ``Kind/checkRange`` and ``Kind/removeRange`` it is the position of the upper bound; for other kinds without a
    /// value it is empty.
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
    /// Removes an existing record; removing a missing one is a conflict.
    case remove = 2
    /// Removes the record if there is one; its expectation is ``Expectation/anything``.
    case erase = 3
    /// Changes nothing; if its expectation does not hold, the batch is refused.
    ///
    /// The expectation must not be ``Expectation/anything``.
    case check = 4
    /// Removes all records of the keyspace, in constant time.
    ///
    /// It is the first change of its keyspace: the other changes find the keyspace empty. See
    /// ``WriteBatch/appendClear(of:)``.
    case clear = 5
    /// Changes nothing, but expects ``Expectation/atMost(_:)`` keys of a tree within bounds.
    ///
    /// See ``WriteBatch/appendRangeCheck(of:from:to:atMost:)``.
    case checkRange = 6
    /// Puts a record of a tree under a new key that begins with the number of the commit.
    ///
    /// The number takes 8 bytes, the most significant first. The bytes of ``Change/key``, which may be none, follow.
    /// Only the commit itself knows its number in advance.
    case putNumbered = 7
    /// Removes the keyspace: its records, its name and its number, which is never assigned again.
    ///
    /// It is the only change of its keyspace. Open snapshots continue to read the keyspace. See
    /// ``WriteBatch/appendDrop(of:)``.
    case drop = 8
    /// Adds a separately loaded keyspace to the others, with all its records.
    ///
    /// It is the only change of its keyspace. See ``WriteBatch/appendAdoption(of:)``.
    case adopt = 9
    /// Removes all keys of a tree within bounds, of which it expects ``Expectation/exactly(_:)`` a number.
    ///
    /// See ``WriteBatch/appendRangeRemoval(of:from:to:exactly:)``.
    case removeRange = 10
  }

  /// The state that a change requires before the batch; if it does not hold, the whole batch is refused.
  public enum Expectation: Sendable, Equatable {
    case anything
    case absent
    /// A record whose last 8 bytes, as a little-endian number, are equal to this token.
    case token(UInt64)
    /// A record with any value.
    case present
    /// At most this number of keys within bounds, for ``Kind/checkRange`` alone.
    case atMost(Int)
    /// Exactly this number of keys within bounds, for ``Kind/removeRange`` alone.
    case exactly(Int)
  }

  /// Returns whether a kind may have an expectation.
  ///
  /// A backend refuses other changes as ``BackendError/Code/invalidArgument``.
  public static func fits(_ expectation: Expectation, _ kind: Kind) -> Bool {
    switch expectation {
    case .atMost: return kind == .checkRange
    case .exactly: return kind == .removeRange
    default: break
    }
    return switch kind {
    case .put: true
    case .remove: expectation != .absent
    case .erase, .clear, .drop, .adopt: expectation == .anything
    case .check: expectation != .anything
    case .putNumbered: expectation == .anything || expectation == .absent
    case .checkRange, .removeRange: false
    }
  }

  public enum Key: Sendable, Equatable {
    case row(RowID)
    /// A byte key of at least one byte, by its position in the batch's arena.
    case bytes(Range<Int>)
  }

  /// The changes, in the order in which they were appended or sorted.
  public var changes: Changes { Changes(packed: packedChanges) }

  public mutating func append(_ change: Change) {
    if case .bytes(let range) = change.key, range.isEmpty, !change.kind.mayHaveEmptyKey { hasEmptyKey = true }
    packedChanges.append(PackedChange(change))
  }

  /// Removes all records of a keyspace before the batch's other changes there.
  ///
  /// Row ids continue after the ones that were handed out. ``sort()`` moves the change to the first place of its
  /// keyspace.
  public mutating func appendClear(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .clear, expectation: .anything, key: .row(0), value: 0..<0))
  }

  /// Requires a maximum number of keys of a tree within bounds, in the state before the batch.
  ///
  /// - Parameters:
  ///   - tree: The tree.
  ///   - lower: The lower bound, inclusive; empty for none.
  ///   - upper: The upper bound, exclusive; empty for none.
  ///   - most: The largest number of keys that is accepted. The commit reads at most one key more than that.
  public mutating func appendRangeCheck(of tree: KeyspaceID, from lower: [UInt8], to upper: [UInt8], atMost most: Int) {
    let (lower, upper) = (arena.append(lower), arena.append(upper))
    append(Change(keyspace: tree, kind: .checkRange, expectation: .atMost(most), key: .bytes(lower), value: upper))
  }

  /// Removes all keys of a tree within bounds, of which there must be a certain number in the state before the batch.
  ///
  /// No other change of the batch may put or remove a key within the bounds: such a batch is
  /// ``BackendError/Code/invalidArgument``.
  ///
  /// - Parameters:
  ///   - tree: The tree.
  ///   - lower: The lower bound, inclusive; empty for none.
  ///   - upper: The upper bound, exclusive; empty for none.
  ///   - count: The number of keys. The commit reads at most one key more than that before it changes anything.
  public mutating func appendRangeRemoval(
    of tree: KeyspaceID, from lower: [UInt8], to upper: [UInt8], exactly count: Int
  ) {
    let (lower, upper) = (arena.append(lower), arena.append(upper))
    append(Change(keyspace: tree, kind: .removeRange, expectation: .exactly(count), key: .bytes(lower), value: upper))
  }

  /// Removes a keyspace with its records, its name and its number.
  public mutating func appendDrop(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .drop, expectation: .anything, key: .row(0), value: 0..<0))
  }

  /// Adds a separately loaded keyspace to the others.
  ///
  /// Its loading must be finished (``KeyspaceLoader/finish()``). No other keyspace may have its name, except one that
  /// the batch drops.
  public mutating func appendAdoption(of keyspace: KeyspaceID) {
    append(Change(keyspace: keyspace, kind: .adopt, expectation: .anything, key: .row(0), value: 0..<0))
  }

  public mutating func reserveCapacity(_ count: Int) { packedChanges.reserveCapacity(count) }

  /// Reserves room for a number of additional changes.
  ///
  /// If the array grows, its capacity at least doubles, so that repeated calls copy little.
  mutating func reserveMore(_ count: Int) {
    let needed = packedChanges.count + count
    guard needed > packedChanges.capacity else { return }
    packedChanges.reserveCapacity(max(needed, packedChanges.count * 2))
  }

  public var isEmpty: Bool { packedChanges.isEmpty }

  /// Inserts changes of rows among those of the same keyspace, in the order of the rows; both are in order.
  mutating func insertInOrder(_ added: [PackedChange], of keyspace: KeyspaceID) {
    hasPresenceChecks = true
    guard let start = packedChanges.firstIndex(where: { $0.keyspace == keyspace.rawValue }) else {
      return packedChanges.append(contentsOf: added)
    }
    let end = packedChanges[start...].firstIndex { $0.keyspace != keyspace.rawValue } ?? packedChanges.count
    var merged: [PackedChange] = []
    merged.reserveCapacity(end - start + added.count)
    var next = 0
    for change in packedChanges[start..<end] {
      while next < added.count, added[next].key < change.key {
        merged.append(added[next])
        next += 1
      }
      merged.append(change)
    }
    merged += added[next...]
    packedChanges.replaceSubrange(start..<end, with: merged)
  }

  mutating func sortPackedChanges(by precedes: (PackedChange, PackedChange) -> Bool) {
    packedChanges.sort(by: precedes)
  }
}
