import Synchronization
import Todana

/// A cache of the entries of keyspaces in the order of their keys.
///
/// Queries consult a tree many times before they read it.
final class SortedEntries: Sendable {
  typealias Entries = [(key: [UInt8], value: [UInt8])]
  private let known = Mutex<[KeyspaceID: Entries]>([:])

  func entries(of keyspace: KeyspaceID, sorting: () -> Entries) -> Entries {
    known.withLock { known in
      if let entries = known[keyspace] { return entries }
      let entries = sorting()
      known[keyspace] = entries
      return entries
    }
  }
}

/// The records of one commit.
struct FaultyContents {
  var rows: [KeyspaceID: [RowID: [UInt8]]] = [:]
  /// The records of keyspaces with byte keys, and of trees.
  var keys: [KeyspaceID: [[UInt8]: [UInt8]]] = [:]
  /// The sorted entries of `keys`, to be replaced when these change.
  var sorted = SortedEntries()

  /// All records; a row id is given as its bytes.
  var records: [KeyspaceID: [[UInt8]: [UInt8]]] {
    var records = keys
    for (keyspace, rows) in rows {
      for (rowID, value) in rows {
        records[keyspace, default: [:]][(0..<8).map { UInt8(truncatingIfNeeded: rowID >> ($0 * 8)) }] = value
      }
    }
    return records
  }

  func count(of keyspace: KeyspaceID) -> Int {
    (rows[keyspace]?.count ?? 0) + (keys[keyspace]?.count ?? 0)
  }
}

/// The state of a ``FaultyBackend``, protected by its lock.
struct FaultyState {
  var contents = FaultyContents()
  var keyspaces: [Keyspace] = []
  var loading: [KeyspaceID: Loading] = [:]
  var lastID: UInt32 = 0
  var nextRowIDs: [KeyspaceID: RowID] = [:]
  var commitNumber: CommitNumber = 0
  var outcomes: [BatchID: CommitNumber] = [:]
  var damagedRows: Set<Place> = []
  var fault: Fault?
  var mustReopen = false
  /// The state that a reopening restores after a failure.
  var recovered: (contents: FaultyContents, commitNumber: CommitNumber, outcome: BatchID?)?
  var flushFault: FlushFault?
  var isClosed = false
  var readCallCount = 0
  var commitCallCount = 0

  struct Place: Hashable {
    var keyspace: KeyspaceID
    var rowID: RowID
  }

  /// A keyspace that is loaded separately, and not adopted yet.
  struct Loading {
    var keyspace: Keyspace
    var rows: [RowID: [UInt8]] = [:]
    var keys: [[UInt8]: [UInt8]] = [:]
    var isLoaded = false
  }

  mutating func takeID() -> KeyspaceID {
    lastID += 1
    return KeyspaceID(rawValue: lastID)
  }

  struct Fault {
    var remainingCommits: Int
    var error: BackendError
    var isApplied: Bool
  }

  /// The fault of the next flush, with the state that is durable before it.
  struct FlushFault {
    var contents: FaultyContents
    var commitNumber: CommitNumber
    var outcomes: [BatchID: CommitNumber]
    var isApplied: Bool
  }

  /// Makes everything durable, or fails as requested.
  mutating func flush() throws(BackendError) {
    guard let fault = flushFault else { return }
    flushFault = nil
    mustReopen = true
    recovered = fault.isApplied ? (contents, commitNumber, nil) : (fault.contents, fault.commitNumber, nil)
    if !fault.isApplied { outcomes = fault.outcomes }
    throw BackendError(.mustReopen, "The flush failed.")
  }

  mutating func commit(
    _ changes: [WriteBatch.Change], arena: [UInt8], id: BatchID, limits: BackendLimits
  ) throws(BackendError) -> CommitNumber {
    commitCallCount += 1
    try check(changes, arena: arena, limits: limits)
    var next = contents
    // Release this reference, so that the dictionaries are changed in place.
    contents = FaultyContents()
    let before = fault == nil ? nil : next
    next.sorted = SortedEntries()
    for change in changes { Self.apply(change, arena: arena, number: commitNumber + 1, to: &next) }
    for change in changes where change.kind == .adopt { adopt(change.keyspace, into: &next) }
    if let fault = takeFault() {
      let unchanged = before ?? next
      contents = unchanged
      if fault.error.code == .mustReopen {
        mustReopen = true
        recovered =
          fault.isApplied ? (next, commitNumber + 1, id) : (unchanged, commitNumber, nil)
      }
      throw fault.error
    }
    contents = next
    keyspaces.removeAll { keyspace in changes.contains { $0.kind == .drop && $0.keyspace == keyspace.id } }
    for change in changes where change.kind == .adopt {
      if let adopted = loading.removeValue(forKey: change.keyspace) { keyspaces.append(adopted.keyspace) }
    }
    for change in changes {
      if case .row(let rowID) = change.key, change.kind != .check {
        damagedRows.remove(Place(keyspace: change.keyspace, rowID: rowID))
      }
    }
    if changes.allSatisfy(\.kind.isCheck) { return commitNumber }
    commitNumber += 1
    outcomes[id] = commitNumber
    return commitNumber
  }

  mutating func recover() {
    guard let recovered, mustReopen else { return }
    contents = recovered.contents
    commitNumber = recovered.commitNumber
    if let outcome = recovered.outcome { outcomes[outcome] = commitNumber }
    mustReopen = false
    self.recovered = nil
  }

  private mutating func takeFault() -> Fault? {
    guard var fault else { return nil }
    if fault.remainingCommits == 0 {
      self.fault = nil
      return fault
    }
    fault.remainingCommits -= 1
    self.fault = fault
    return nil
  }

  private func check(_ changes: [WriteBatch.Change], arena: [UInt8], limits: BackendLimits) throws(BackendError) {
    var conflicts: [Int] = []
    var cleared: Set<KeyspaceID> = []
    for (index, change) in changes.enumerated() {
      guard WriteBatch.fits(change.expectation, change.kind) else {
        throw BackendError(.invalidArgument, "A change of kind \(change.kind) expects \(change.expectation).")
      }
      if change.kind == .clear {
        cleared.insert(change.keyspace)
        continue
      }
      if change.kind == .adopt, loading[change.keyspace]?.isLoaded != true {
        throw BackendError(.invalidArgument, "The keyspace is not loaded entirely.", keyspace: change.keyspace)
      }
      let count = cleared.contains(change.keyspace) ? 0 : Self.keys(of: change, arena: arena, in: contents).count
      if case .atMost(let most) = change.expectation {
        if count > most { conflicts.append(index) }
        continue
      }
      if case .exactly(let expected) = change.expectation {
        if count != expected { conflicts.append(index) }
        continue
      }
      if change.value.count > limits.valueByteCount {
        throw BackendError(.limitExceeded, "The value is too large.", keyspace: change.keyspace)
      }
      if case .bytes(let range) = change.key, range.count > limits.keyByteCount {
        throw BackendError(.limitExceeded, "The key is too long.", keyspace: change.keyspace)
      }
      let value = cleared.contains(change.keyspace) ? nil : value(of: change, arena: arena)
      if !Self.holds(change, value: value) { conflicts.append(index) }
    }
    if !conflicts.isEmpty {
      throw BackendError(.conflict, "Records are not what the batch expects.", conflicts: conflicts)
    }
  }

  private func value(of change: WriteBatch.Change, arena: [UInt8]) -> [UInt8]? {
    switch change.key {
    case .row(let rowID): contents.rows[change.keyspace]?[rowID]
    case .bytes: contents.keys[change.keyspace]?[Self.key(of: change, arena: arena, number: commitNumber + 1)]
    }
  }

  /// Returns the keys in a range; none for a change of another kind.
  private static func keys(of change: WriteBatch.Change, arena: [UInt8], in contents: FaultyContents) -> [[UInt8]] {
    guard change.kind.isOfRange else { return [] }
    let lower = key(of: change, arena: arena, number: 0)
    let upper = Array(arena[change.value])
    return (contents.keys[change.keyspace] ?? [:]).keys.filter { key in
      !key.precedes(lower) && (upper.isEmpty || key.precedes(upper))
    }
  }

  private static func key(of change: WriteBatch.Change, arena: [UInt8], number: CommitNumber) -> [UInt8] {
    guard case .bytes(let range) = change.key else { return [] }
    return (change.kind == .putNumbered ? bigEndianBytes(number) : []) + arena[range]
  }

  private func adopt(_ id: KeyspaceID, into contents: inout FaultyContents) {
    guard let adopted = loading[id] else { return }
    if adopted.keyspace.kind == .rows { contents.rows[id] = adopted.rows } else { contents.keys[id] = adopted.keys }
  }

  private static func holds(_ change: WriteBatch.Change, value: [UInt8]?) -> Bool {
    if change.kind == .remove && value == nil { return false }
    switch change.expectation {
    case .anything: return true
    case .absent: return value == nil
    case .token(let token):
      guard let value, value.count >= 8 else { return false }
      return value.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } == token
    case .present: return value != nil
    case .atMost, .exactly: return true
    }
  }

  private static func apply(
    _ change: WriteBatch.Change, arena: [UInt8], number: CommitNumber, to contents: inout FaultyContents
  ) {
    switch change.kind {
    case .put, .putNumbered, .remove, .erase: break
    case .check, .checkRange, .adopt: return
    case .removeRange:
      for key in keys(of: change, arena: arena, in: contents) { contents.keys[change.keyspace]?[key] = nil }
      return
    case .clear, .drop:
      contents.rows[change.keyspace] = nil
      contents.keys[change.keyspace] = nil
      return
    }
    let isPut = change.kind == .put || change.kind == .putNumbered
    let value = isPut ? Array(arena[change.value]) : nil
    switch change.key {
    case .row(let rowID): contents.rows[change.keyspace, default: [:]][rowID] = value
    case .bytes:
      contents.keys[change.keyspace, default: [:]][key(of: change, arena: arena, number: number)] = value
    }
  }
}
