import Todana

extension DictionaryBackend {
  struct State {
    var commitNumber: CommitNumber = 0
    var keyspaces: [KeyspaceID: KeptRecords] = [:]
    /// Keyspaces that are loaded separately and not adopted yet.
    var loading: [KeyspaceID: KeptRecords] = [:]
    var lastID: UInt32 = 0
    var outcomes: [BatchID: CommitNumber] = [:]
    /// Whether the backend that requested this state is closed.
    var isClosed = false

    func keyspace(_ id: KeyspaceID) throws(BackendError) -> KeptRecords {
      guard !isClosed else { throw BackendError(.closed, "The store was closed.") }
      guard let keyspace = keyspaces[id] else {
        throw BackendError(.noSuchKeyspace, "There is no keyspace \(id.rawValue).")
      }
      return keyspace
    }

    mutating func takeID() -> KeyspaceID {
      lastID += 1
      return KeyspaceID(rawValue: lastID)
    }

    func requireOpen() throws(BackendError) {
      if isClosed { throw BackendError(.closed, "The store was closed.") }
    }
  }
}

extension DictionaryBackend.State {
  /// Applies one change, and returns false if the record is not as expected.
  mutating func apply(
    _ change: WriteBatch.Change, _ arena: ByteArena, _ limits: BackendLimits
  ) throws(BackendError) -> Bool {
    // Takes only the kind: a second reference to the keyspace would make each change copy it.
    let known = change.kind == .adopt ? loading : keyspaces
    guard let kind = known[change.keyspace]?.kind else {
      throw BackendError(.noSuchKeyspace, "There is no keyspace \(change.keyspace.rawValue).")
    }
    guard WriteBatch.fits(change.expectation, change.kind) else {
      throw BackendError(.invalidArgument, "A change of kind \(change.kind) expects \(change.expectation).")
    }
    if [.clear, .drop, .adopt].contains(change.kind) {
      guard change.key == .row(0) else { throw BackendError(.invalidArgument, "A whole keyspace has no key.") }
      if change.kind == .clear { keyspaces[change.keyspace]?.records = [:] }
      if change.kind == .drop { keyspaces[change.keyspace] = nil }
      return true
    }
    var key = try DictionaryBackend.Key(change.key, arena, kind, limits)
    if change.kind == .putNumbered {
      guard kind == .tree, case .bytes(let suffix) = key else {
        throw BackendError(.invalidArgument, "Only a tree's keys begin with the commit's number.")
      }
      guard suffix.count <= limits.keyByteCount - 8 else {
        throw BackendError(.limitExceeded, "The key is too long.")
      }
      key = .bytes(numberBytes(commitNumber + 1) + suffix)
    }
    let old = keyspaces[change.keyspace]?.records[key]
    switch change.expectation {
    case .anything: if change.kind == .remove && old == nil { return false }
    case .absent: if old != nil { return false }
    case .token(let expected): if old.map(token(of:)) != expected { return false }
    case .present: if old == nil { return false }
    case .atMost, .exactly: return false
    }
    if change.kind == .check { return true }
    let isPut = change.kind == .put || change.kind == .putNumbered
    let value = unsafe isPut ? [UInt8](arena.bytes[change.value]) : nil
    keyspaces[change.keyspace]?.records[key] = value
    if change.kind == .put, case .row(let rowID) = key, let next = keyspaces[change.keyspace]?.nextRowID,
      rowID >= next
    {
      keyspaces[change.keyspace]?.nextRowID = rowID + 1  // no overflow: `Key.init` refuses the highest row id
    }
    return true
  }

  /// Checks the number of keys within bounds, or removes them; returns false if there are more or fewer than expected.
  mutating func applyToRange(
    _ change: WriteBatch.Change, _ arena: ByteArena, _ limits: BackendLimits
  ) throws(BackendError) -> Bool {
    let keyspace = try keyspace(change.keyspace)
    guard keyspace.kind == .tree, WriteBatch.fits(change.expectation, change.kind),
      case .bytes(let lower) = try DictionaryBackend.Key(change.key, arena, .tree, limits)
    else {
      throw BackendError(.invalidArgument, "A number of keys is expected of a tree's range.")
    }
    let upper = unsafe [UInt8](arena.bytes[change.value])
    let keys = keyspace.records.keys.filter { key in
      guard case .bytes(let key) = key else { return false }
      return !key.lexicographicallyPrecedes(lower) && (upper.isEmpty || key.lexicographicallyPrecedes(upper))
    }
    if change.kind == .removeRange {
      for key in keys { keyspaces[change.keyspace]?.records[key] = nil }
    }
    switch change.expectation {
    case .atMost(let most): return keys.count <= most
    case .exactly(let count): return keys.count == count
    default: return false
    }
  }

  /// Adopts a keyspace that was loaded separately.
  mutating func adopt(_ id: KeyspaceID) throws(BackendError) {
    guard let adopted = loading.removeValue(forKey: id), adopted.isLoaded else {
      throw BackendError(.invalidArgument, "The keyspace is not loaded entirely.")
    }
    guard !keyspaces.values.contains(where: { $0.kind == adopted.kind && $0.name == adopted.name }) else {
      throw BackendError(.invalidArgument, "A keyspace of this name is there already.")
    }
    keyspaces[id] = adopted
  }
}

/// Returns the last 8 bytes of a record as a little-endian number, which ``WriteBatch/Expectation/token(_:)`` compares.
private func token(of record: [UInt8]) -> UInt64 { record.suffix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }

/// Returns the commit number in big-endian order, with which a key of ``WriteBatch/Kind/putNumbered`` begins.
private func numberBytes(_ number: CommitNumber) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
}
