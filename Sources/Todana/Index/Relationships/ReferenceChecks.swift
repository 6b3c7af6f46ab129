/// The expectations of a save about other stores, so that no reference of a relationship leads to a missing object.
///
/// - **Targets.** A save that adds a reference expects that the target exists.
/// - **Referrers.** A save that deletes an object expects that nothing refers to it but the owners that the save changes
///   or deletes itself: exactly as many entries in the index of the relationship as it removes.
///
/// Two saves that add references to the same object do not conflict.
struct ReferenceChecks {
  /// The rows that must exist, by class.
  private var targets: [KeyspaceID: Set<RowID>] = [:]
  /// The class of the last target that was added: usually that of the next one, too.
  private var lastTable: ClassTable?
  /// The rows that are deleted, by class, in ascending order; without classes to which no relationship leads.
  private var deleted: [DeletedRows] = []

  /// The deleted rows of one class.
  private struct DeletedRows {
    let table: ClassTable
    let classID: KeyspaceID
    let runs: [ClosedRange<RowID>]
  }

  /// Consecutive deleted rows.
  struct Run {
    let classID: KeyspaceID
    let rows: ClosedRange<RowID>
  }

  /// Collects the pending deletes of a store.
  init(in store: Store) {
    for table in store.registry.tables
    where table.pending.deleteCount > 0 && table.hasDeleteRules
      && (table.incoming.contains(where: \.isRuledByTargets) || !store.unknownReferrers.isEmpty)
    {
      guard let classID = table.classID else { continue }
      table.pending.sort()
      var runs: [ClosedRange<RowID>] = []
      for object in table.pending.objects where object.state.contains(.deleted) {
        if let last = runs.last, last.upperBound + 1 == object.rowID {
          runs[runs.count - 1] = last.lowerBound...object.rowID
        } else {
          runs.append(object.rowID...object.rowID)
        }
      }
      deleted.append(DeletedRows(table: table, classID: classID, runs: runs))
    }
    deleted.sort { $0.classID < $1.classID }
  }

  var hasDeletes: Bool { !deleted.isEmpty }
  /// Whether targets must exist.
  var hasTargets: Bool { !targets.isEmpty }

  /// Returns the deleted rows that a relationship may lead to, in the order of the keys of its index.
  func deletedRuns(for relationship: ClassRelationship) -> [Run] {
    guard hasDeletes, relationship.isRuledByTargets else { return [] }
    return deleted.filter { $0.table.incoming.contains { $0 === relationship } }.flatMap { deleted in
      deleted.runs.map { Run(classID: deleted.classID, rows: $0) }
    }
  }

  /// Notes that an owner refers to a target that it did not refer to before.
  ///
  /// The check is left out for a target that the save itself inserts or updates.
  mutating func add(target: AnyObjectID, in store: Store) {
    if lastTable?.classID != target.classID { lastTable = store.registry[target.classID] }
    if let object = lastTable?.identity[target.rowID], object.state.isPending { return }
    targets[target.classID, default: []].insert(target.rowID)
  }

  /// Adds the checks that concern no index of a class with changes.
  func append(to batch: inout WriteBatch, of store: Store) {
    if hasDeletes {
      for owners in store.registry.tables where owners.pending.isEmpty {
        for relationship in owners.relationships {
          guard let tree = relationship.index.keyspace else { continue }
          for run in deletedRuns(for: relationship) {
            let (lower, upper) = relationship.key.bounds(of: run.rows, run.classID)
            batch.appendRangeCheck(of: tree, from: lower, to: upper, atMost: 0)
          }
        }
      }
      for unknown in store.unknownReferrers {
        for isOptional in [false, true] {
          for deleted in deleted {
            for rows in deleted.runs {
              let (lower, upper) = ReferenceKey(isOptional: isOptional).bounds(of: rows, deleted.classID)
              batch.appendRangeCheck(of: unknown.tree, from: lower, to: upper, atMost: 0)
            }
          }
        }
      }
    }
    for classID in targets.keys.sorted() {
      batch.appendPresenceChecks(of: targets[classID, default: []].sorted(), in: classID)
    }
  }
}

/// The entries of one relationship's index that a save removes because their targets are deleted.
struct DeletedReferences {
  struct Check {
    let lower: [UInt8]
    let upper: [UInt8]
    var count: Int
  }

  /// For each run of deleted rows, the bounds of its entries, and the number of entries that the save removes.
  private(set) var checks: [Check] = []
  /// The indexes of the entries that must exist, among those that the save removes.
  private(set) var expected: [Range<Int>] = []

  /// Counts the entries that a save removes, for each run of deleted rows.
  ///
  /// - Parameters:
  ///   - removed: The entries, in order.
  ///   - relationship: The relationship of their index.
  ///   - runs: The deleted rows, in the order of the keys.
  init(
    among removed: IndexKeys, of relationship: ClassRelationship, _ runs: [ReferenceChecks.Run]
  ) {
    var position = 0
    for run in runs {
      let (lower, upper) = relationship.key.bounds(of: run.rows, run.classID)
      position = Self.position(of: lower, in: removed, from: position)
      let end = Self.position(of: upper, in: removed, from: position)
      checks.append(Check(lower: lower, upper: upper, count: end - position))
      if end > position { expected.append(position..<end) }
      position = end
    }
  }

  /// Returns the position of the first entry that is not before a key.
  private static func position(of key: [UInt8], in keys: IndexKeys, from start: Int) -> Int {
    var (low, high) = (start, keys.entries.count)
    while low < high {
      let middle = (low + high) / 2
      let isBefore = unsafe key.withUnsafeBytes { unsafe Bytes.order(keys.bytes(of: keys.entries[middle]), $0) } < 0
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Replaces the counts by those of an index that is being built, which may lack entries.
  ///
  /// - Returns: A target whose owner the save does not know; nil if there is none.
  mutating func count(
    in tree: KeyspaceID, _ removed: IndexKeys, of relationship: ClassRelationship, _ store: Store
  ) throws(StoreError) -> AnyObjectID? {
    let snapshot = try store.onRecords { sealing throws(BackendError) in try sealing.snapshot() }
    var unseen: AnyObjectID?
    expected = []
    for index in checks.indices {
      var count = 0
      var position = 0
      try unsafe store.forEachKey(of: tree, from: checks[index].lower, to: checks[index].upper, in: snapshot) {
        key throws(StoreError) in
        count += 1
        let bytes = unsafe Array(key)
        position = Self.position(of: bytes, in: removed, from: position)
        if position < removed.entries.count, unsafe removed.bytes(of: removed.entries[position]).elementsEqual(bytes) {
          expected.append(position..<position + 1)
        } else if let rows = unsafe relationship.key.rows(of: key) {
          unseen = unseen ?? AnyObjectID(classID: unsafe relationship.key.classID(of: key), rowID: rows.target)
        }
      }
      checks[index].count = count
    }
    return unseen
  }
}
