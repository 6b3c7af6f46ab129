// The relationships of the classes of a store.
extension Store {
  /// Connects the relationships of some classes with their indexes, which are known already, and those of all classes
  /// with their targets.
  ///
  /// - Throws: ``StoreError/Code/invalidRelationship``.
  func prepareRelationships(of tables: [ClassTable], _ keyspaces: [Keyspace]) throws(StoreError) {
    for table in tables {
      for named in try ClassRelationship.all(of: table.type, className: table.name) {
        let indexName = named.index.name
        guard let index = table.indexes.first(where: { $0.name == indexName }) else { continue }
        index.hasKeptReferences = named.declaration.onTargetDelete == .keep
        table.relationships.append(
          ClassRelationship(named.declaration, name: named.name, of: table, index: index))
      }
    }
    connectRelationships(keyspaces)
  }

  /// Connects the relationships of all classes with the tables of their targets.
  func connectRelationships(_ keyspaces: [Keyspace]) {
    let all = registry.tables.flatMap(\.relationships)
    let unknown = keyspaces.filter { keyspace in
      guard keyspace.kind == .tree, let names = ClassIndex.names(fromKeyspace: keyspace.name) else { return false }
      return ClassRelationship.isIndexOfRuledReferences(named: names.name)
        && !registry.tables.contains { $0.name.utf8.elementsEqual(names.className.utf8) }
    }
    unknownReferrers = unknown.map { UnknownReferrers(tree: $0.id, className: $0.owningClassName) }
    for table in registry.tables {
      table.incoming = all.filter { table.type.inherits(from: $0.declaration.target) }
      let hidesTargets = table.relationships.contains {
        $0.declaration.onTargetDelete == .keep && $0.declaration.removeTargets != nil
      }
      table.completeContent =
        !hidesTargets
        ? nil
        : { [unowned self, unowned table] owner throws(StoreError) in try removeAbsentTargets(of: owner, in: table) }
      table.hasDeleteRules =
        table.relationships.contains { $0.declaration.onDelete != .nothing }
        || table.incoming.contains(where: \.isRuledByTargets) || !unknown.isEmpty
    }
  }
}

/// A class that the store was opened without, and whose objects refer to others through a relationship.
struct UnknownReferrers {
  /// The index of the references.
  let tree: KeyspaceID
  let className: String
}

// Reading the references of relationships.
extension Store {
  /// Calls back with each saved reference of a relationship to one of some rows.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - rowIDs: Rows of a class of targets, in ascending order.
  ///   - classID: The number of that class.
  ///   - snapshot: The state to read.
  ///   - body: Receives the owner's row and the target's row; the same pair once.
  /// - Throws: ``StoreError/Code/indexNotReady``; the errors of owners that cannot be read, if their references are not
  ///   known therefore.
  func forEachReference(
    of relationship: ClassRelationship, to rowIDs: [RowID], _ classID: KeyspaceID, in snapshot: any BackendSnapshot,
    _ body: (_ owner: RowID, _ target: RowID) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !rowIDs.isEmpty, let owners = try relationship.owners.classIDForReading() else { return }
    guard let tree = relationship.index.keyspace, try isUsable(relationship, tree, in: snapshot) else {
      return try scanReferences(of: relationship, owners, to: rowIDs, classID, in: snapshot, body)
    }
    for run in RowRuns(rowIDs) {
      let (lower, upper) = relationship.key.bounds(of: rowIDs[run.lowerBound]...rowIDs[run.upperBound - 1], classID)
      var position = run.lowerBound
      try unsafe forEachKey(of: tree, from: lower, to: upper, in: snapshot) { key throws(StoreError) in
        guard let rows = unsafe relationship.key.rows(of: key) else { throw damagedEntry(of: relationship) }
        // The entries are in the order of the targets.
        while position < run.upperBound, rowIDs[position] < rows.target { position += 1 }
        if position < run.upperBound, rowIDs[position] == rows.target { try body(rows.owner, rows.target) }
      }
    }
  }

  /// Calls back with each saved reference of a relationship to an object of a class.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - classID: The number of the class.
  ///   - snapshot: The state to read.
  ///   - body: Receives the owner's row and the target's row; the same pair once.
  /// - Throws: As ``forEachReference(of:to:_:in:_:)``.
  func forEachReference(
    of relationship: ClassRelationship, toAllOf classID: KeyspaceID, in snapshot: any BackendSnapshot,
    _ body: (_ owner: RowID, _ target: RowID) -> Void
  ) throws(StoreError) {
    guard let owners = try relationship.owners.classIDForReading() else { return }
    guard let tree = relationship.index.keyspace, try isUsable(relationship, tree, in: snapshot) else {
      return try scanReferences(of: relationship, owners, to: nil, classID, in: snapshot) { body($0, $1) }
    }
    let (lower, upper) = relationship.key.bounds(of: 0...RowID.max, classID)
    try unsafe forEachKey(of: tree, from: lower, to: upper, in: snapshot) { key throws(StoreError) in
      guard let rows = unsafe relationship.key.rows(of: key) else { throw damagedEntry(of: relationship) }
      body(rows.owner, rows.target)
    }
  }

  /// Calls back with each target of an owner whose record cannot be read, as far as the index knows them.
  ///
  /// - Complexity: O(*n*) in all entries of the index.
  func forEachIndexedTarget(
    of owner: RowID, _ relationship: ClassRelationship, in snapshot: any BackendSnapshot,
    _ body: (AnyObjectID) -> Void
  ) throws(StoreError) {
    guard let tree = relationship.index.keyspace else { return }
    let (lower, upper) = ([IndexHeader.entryByte], [IndexHeader.entryByte + 1])
    try unsafe forEachKey(of: tree, from: lower, to: upper, in: snapshot) { key throws(StoreError) in
      guard let rows = unsafe relationship.key.rows(of: key), rows.owner == owner else { return }
      body(AnyObjectID(classID: unsafe relationship.key.classID(of: key), rowID: rows.target))
    }
  }

  /// Returns whether the index of a relationship has all references in a state.
  private func isUsable(
    _ relationship: ClassRelationship, _ tree: KeyspaceID, in snapshot: any BackendSnapshot
  ) throws(StoreError) -> Bool {
    guard case .complete(let since) = session.indexes[tree], since <= snapshot.commitNumber else { return false }
    guard session.indexes.skipsRows(tree) else { return true }
    let reasons = try reasons(
      forRowsSkippedBy: relationship.index, of: relationship.owners, in: snapshot, isLeftOut: { _ in false },
      stopsAtFirst: true)
    // An owner that cannot be read may refer to any object.
    if let reason = reasons?.first { throw reason }
    return reasons != nil
  }

  /// Reads all owners, for references to some rows, or to all.
  private func scanReferences(
    of relationship: ClassRelationship, _ owners: KeyspaceID, to rowIDs: [RowID]?, _ classID: KeyspaceID,
    in snapshot: any BackendSnapshot, _ body: (_ owner: RowID, _ target: RowID) throws(StoreError) -> Void
  ) throws(StoreError) {
    if case .refused(let most) = configuration.scans {
      let count = try onRecords { _ throws(BackendError) in try snapshot.count(of: owners) }
      guard count <= most else {
        throw StoreError(
          .indexNotReady,
          "The index of the relationship \"\(relationship.name)\" is not complete, and the store's configuration refuses "
            + "to read all objects instead. Build it with buildIndexes.",
          className: relationship.owners.name)
      }
    }
    let scan = try onRecords { _ throws(BackendError) in try snapshot.scan(owners) }
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    var scratch = ScratchObject(self, relationship.owners)
    while try next(of: scan, into: chunk) {
      for slice in chunk.slices {
        let owner = try scratch.read(slice, in: chunk)
        var targets: Set<RowID> = []
        relationship.declaration.forEachTarget(owner) { id in
          if id.classID == classID, rowIDs?.containsSorted(id.rowID) ?? true { targets.insert(id.rowID) }
        }
        for target in targets { try body(slice.rowID, target) }
      }
    }
  }

  /// Calls back with each key of a tree within bounds.
  func forEachKey(
    of tree: KeyspaceID, from lower: [UInt8], to upper: [UInt8], in snapshot: any BackendSnapshot,
    _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Void
  ) throws(StoreError) {
    let scan: any BackendScan
    do throws(BackendError) {
      scan = try snapshot.scan(tree: tree, from: lower, to: upper, descending: false)
    } catch {
      throw translate(error)
    }
    let chunk = takeChunk()
    defer { giveBack(chunk) }
    while try next(of: scan, into: chunk) {
      for slice in chunk.slices {
        guard slice.status == .found else {
          throw StoreError(.damagedIndex, "An entry of the index of a relationship is damaged: rebuild the index.")
        }
        try unsafe body(UnsafeRawBufferPointer(rebasing: chunk.arena.bytes[slice.key]))
      }
    }
  }

  private func damagedEntry(of relationship: ClassRelationship) -> StoreError {
    StoreError(
      .damagedIndex, "An entry of the index \"\(relationship.index.name)\" is damaged: rebuild it.",
      className: relationship.owners.name)
  }
}

/// The runs of rows that are read with one scan each: the rows of a run are consecutive, or nearly so.
struct RowRuns: Sequence, IteratorProtocol {
  private let rowIDs: [RowID]
  private var start = 0
  /// The largest difference between neighbours.
  ///
  /// Reading over the entries of a few other rows is faster than another scan.
  private static let largestGap: RowID = 8

  init(_ rowIDs: [RowID]) { self.rowIDs = rowIDs }

  /// Returns the indexes of the next run.
  mutating func next() -> Range<Int>? {
    guard start < rowIDs.count else { return nil }
    var end = start + 1
    while end < rowIDs.count, rowIDs[end] - rowIDs[end - 1] <= Self.largestGap { end += 1 }
    defer { start = end }
    return start..<end
  }
}
