import Synchronization

/// A batch that is converted for a backend that must see neither names nor the entries of trees.
///
/// Codes do not have the order of the keys, so the backend cannot count the keys within bounds. Each batch that puts
/// into a tree therefore also writes the tree's *stamp*, a random value under the tree's number. A batch with a check
/// of a range counts the keys itself in a snapshot, and then expects the stamp of that snapshot. The removal of a range
/// becomes removals of its keys.
struct TreeBatch: ~Copyable {
  private(set) var batch: WriteBatch
  private let sealing: RecordSealing
  private let trees: TreeSealing
  private let sealer: Sealer
  private let stamps: KeyspaceID
  private let treeIDs: Set<KeyspaceID>
  /// The index in the original batch of each change with a byte key, by the offset of its new key in the arena.
  private var origins: [Int: Int] = [:]
  /// The uses of stamps, by tree.
  private var stampUses: [KeyspaceID: StampUse] = [:]
  /// The state in which keys were counted and values read.
  private var snapshot: (any BackendSnapshot)?
  private let chunk = RecordChunk(byteCapacity: 64 << 10, recordLimit: 512)

  private struct StampUse {
    var isPut = false
    var isErased = false
    /// The indexes of the range checks that rely on the stamp.
    var checks: [Int] = []
    /// The indexes of the range checks that do not hold.
    var failed: [Int] = []
    var seen: WriteBatch.Expectation?
    /// The position of the stamp's key in the arena.
    var key = 0..<0
  }

  init(
    _ original: borrowing WriteBatch, sealing: RecordSealing, trees: TreeSealing, sealer: Sealer, stamps: KeyspaceID,
    treeIDs: Set<KeyspaceID>
  ) throws(BackendError) {
    (self.sealing, self.trees, self.sealer) = (sealing, trees, sealer)
    (self.stamps, self.treeIDs) = (stamps, treeIDs)
    batch = WriteBatch(id: original.id, arena: original.arena)
    let changes = original.changes
    batch.reserveCapacity(changes.count)
    if original.hasChangesWithinRemovedRanges {
      throw BackendError(.invalidArgument, "A change concerns a key within a range that the batch removes.")
    }
    var cleared: Set<KeyspaceID> = []
    for (index, change) in changes.enumerated() {
      guard case .bytes(let range) = change.key else {
        if change.kind == .clear { cleared.insert(change.keyspace) }
        if change.kind == .drop, treeIDs.contains(change.keyspace) {
          stampUses[change.keyspace, default: StampUse()].isErased = true
        }
        batch.append(change)
        continue
      }
      guard WriteBatch.fits(change.expectation, change.kind) else {
        throw BackendError(
          .invalidArgument, "A change has an expectation that its kind does not allow.", keyspace: change.keyspace)
      }
      let key = unsafe [UInt8](UnsafeRawBufferPointer(rebasing: batch.arena.bytes[range]))
      guard key.count <= sealing.base.limits.keyByteCount else {
        throw BackendError(
          .limitExceeded, "A key has \(key.count) bytes, over the limit of \(sealing.base.limits.keyByteCount).",
          keyspace: change.keyspace)
      }
      guard treeIDs.contains(change.keyspace) else {
        try append(change, index, key: trees.code(ofName: key))
        continue
      }
      let isEmpty = cleared.contains(change.keyspace)
      if change.kind.isOfRange {
        try check(change, index, isEmpty: isEmpty)
      } else {
        try append(change, index, key: key, isEmpty: isEmpty)
      }
    }
    try appendStamps()
    batch.sort()
  }

  private mutating func append(_ change: WriteBatch.Change, _ origin: Int, key: [UInt8]) {
    var change = change
    let range = batch.arena.append(key)
    change.key = .bytes(range)
    origins[range.lowerBound] = origin
    batch.append(change)
  }

  /// Appends the coded form of a change of one entry.
  private mutating func append(
    _ change: WriteBatch.Change, _ origin: Int, key: [UInt8], isEmpty: Bool
  ) throws(BackendError) {
    var change = change
    let isNumbered = change.kind == .putNumbered
    let tree = change.keyspace
    var place = try isNumbered ? trees.code(ofNumberedEnd: key[...], in: tree) : trees.code(ofKey: key[...], in: tree)
    var sealedKey = key[...]
    if !isNumbered, !isEmpty, let numbered = try trees.numberedPlace(of: key[...], in: change.keyspace),
      try isThere(numbered, in: change.keyspace)
    {
      place = numbered
      sealedKey = key.dropFirst(TreeSealing.numberByteCount)
    }
    if case .token(let token) = change.expectation {
      change.expectation = .token(try isEmpty ? token : storedToken(for: token, at: place, in: change.keyspace))
    }
    if change.kind == .put || isNumbered {
      stampUses[change.keyspace, default: StampUse()].isPut = true
      change.value = try trees.seal(
        key: sealedKey, value: change.value, code: place.suffix(KeyRing.codeByteCount), in: change.keyspace, by: sealer,
        to: batch.arena)
    }
    append(change, origin, key: place)
  }

  // MARK: The state before

  private mutating func currentSnapshot() throws(BackendError) -> any BackendSnapshot {
    if let snapshot { return snapshot }
    let opened = try sealing.base.snapshot()
    snapshot = opened
    return opened
  }

  private mutating func isThere(_ place: [UInt8], in tree: KeyspaceID) throws(BackendError) -> Bool {
    try currentSnapshot().read(key: place, of: tree, into: chunk)
    return chunk.slices.first?.status == .found
  }

  /// Returns the token of the stored envelope around a value with a given token.
  ///
  /// If there is no such value, returns a token that no envelope there has.
  private mutating func storedToken(
    for token: UInt64, at place: [UInt8], in tree: KeyspaceID
  ) throws(BackendError) -> UInt64 {
    guard try isThere(place, in: tree), let slice = chunk.slices.first else { return token }
    let stored = unsafe recordToken(chunk.value(of: slice))
    try trees.open(chunk, of: tree, place: place, by: sealer)
    guard let slice = chunk.slices.first else { return ~stored }
    return unsafe recordToken(chunk.value(of: slice)) == token ? stored : ~stored
  }

  /// Counts the keys within bounds, and notes whether the number is another one than expected.
  ///
  /// Appends removals of the keys if the range is removed.
  private mutating func check(_ change: WriteBatch.Change, _ origin: Int, isEmpty: Bool) throws(BackendError) {
    let (most, isRemoved): (Int, Bool)
    switch change.expectation {
    case .atMost(let count): (most, isRemoved) = (count, false)
    case .exactly(let count): (most, isRemoved) = (count, true)
    default: return
    }
    guard case .bytes(let lower) = change.key else { return }
    if isEmpty {
      if isRemoved, most > 0 { stampUses[change.keyspace, default: StampUse()].failed.append(origin) }
      return
    }
    let bounds = [lower, change.value].map { range in
      unsafe [UInt8](UnsafeRawBufferPointer(rebasing: batch.arena.bytes[range]))
    }
    let snapshot = try currentSnapshot()
    var use = stampUses[change.keyspace] ?? StampUse()
    if use.seen == nil {
      try snapshot.read(key: Self.stampKey(of: change.keyspace), of: stamps, into: chunk)
      let slice = chunk.slices.first { $0.status == .found }
      use.seen = slice.map { unsafe .token(recordToken(chunk.value(of: $0))) } ?? .absent
    }
    let scan = SealedTreeScan(
      try snapshot.scan(change.keyspace), of: change.keyspace, sealing: sealing, trees: trees,
      from: bounds[0].isEmpty ? nil : bounds[0], to: bounds[1].isEmpty ? nil : bounds[1], descending: false)
    use.checks.append(origin)
    let limit = most < .max ? most + 1 : most
    let keys = isRemoved ? try scan.keys(atMost: limit) : []
    let isMet = isRemoved ? keys.count == most : try scan.count(atMost: limit) <= most
    if !isMet { use.failed.append(origin) }
    stampUses[change.keyspace] = use
    guard isMet else { return }
    let removal = WriteBatch.Change(
      keyspace: change.keyspace, kind: .remove, expectation: .anything, key: .bytes(lower), value: 0..<0)
    for key in keys { try append(removal, origin, key: key, isEmpty: false) }
  }

  // MARK: Stamps

  private static func stampKey(of tree: KeyspaceID) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: tree.rawValue >> UInt32($0)) }
  }

  private mutating func appendStamps() throws(BackendError) {
    for tree in stampUses.keys.sorted() {
      guard var use = stampUses[tree] else { continue }
      let key = batch.arena.append(Self.stampKey(of: tree))
      use.key = key
      stampUses[tree] = use
      // Only ranges of a cleared tree were removed.
      if use.seen == nil, !use.isErased, !use.isPut { continue }
      var change = WriteBatch.Change(
        keyspace: stamps, kind: .check, expectation: use.seen ?? .anything, key: .bytes(key), value: 0..<0)
      if use.isErased {
        (change.kind, change.expectation) = (.erase, .anything)
      } else if use.isPut {
        var random = UInt64.random(in: .min ... .max)
        change.kind = .put
        change.value = unsafe withUnsafeBytes(of: &random) { unsafe batch.arena.append($0) }
      }
      batch.append(change)
    }
    guard stampUses.values.contains(where: { !$0.failed.isEmpty }) else { return }
    // The batch must not be applied, but the backend must find every other conflict. No stamp has this key, so the
    // check fails.
    let key = batch.arena.append([0])
    batch.append(
      WriteBatch.Change(keyspace: stamps, kind: .check, expectation: .present, key: .bytes(key), value: 0..<0))
  }

  // MARK: Conflicts

  /// The commit in whose state values were read and keys counted; nil if there was no need.
  var seenCommit: CommitNumber? { snapshot?.commitNumber }

  /// Converts the conflicts of a commit to indexes of the original batch.
  func conflicts(_ found: [Int], in original: borrowing WriteBatch) -> [Int] {
    var conflicts = Set(stampUses.values.flatMap(\.failed))
    let changes = batch.changes
    for index in found where changes.indices.contains(index) {
      let change = changes[index]
      if change.keyspace == stamps {
        // Another batch has put into the tree since its keys were counted.
        conflicts.formUnion(stampUses.values.first { use in .bytes(use.key) == change.key }?.checks ?? [])
      } else if case .bytes(let key) = change.key {
        if let origin = origins[key.lowerBound] { conflicts.insert(origin) }
      } else if let origin = original.changes.firstIndex(where: { $0.hasSamePlace(as: change) }) {
        conflicts.insert(origin)
      }
    }
    return conflicts.sorted()
  }
}

extension WriteBatch.Change {
  /// Tests whether another change has the same kind, and the same row or keyspace.
  ///
  /// The changes must not have byte keys.
  fileprivate func hasSamePlace(as other: Self) -> Bool {
    keyspace == other.keyspace && key == other.key && kind == other.kind
  }
}
