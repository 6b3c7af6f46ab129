extension Store {
  /// Finds records of a class that the program does not have, by a condition in a text.
  ///
  /// ```swift
  /// try store.findRecords(ofClassNamed: "Song", where: "seconds > 200", sortedBy: "title", limit: 10) { record, values, _ in
  ///   print(record.rowID, values)
  /// }
  /// ```
  ///
  /// The names are those of the class's ``StoredObject/contentFields``, which a program that has the class has saved. The
  /// grammar is that of the query texts of classes (<doc:QueryText>), without arguments. A reference is compared by the
  /// number of its row. Values of the types `codable` and `dictionary`, and lists, cannot be named. An index of the class
  /// is used if it is over fields that have the names and types of the properties.
  ///
  /// - Parameters:
  ///   - name: The stored name of the class, as in ``catalog``.
  ///   - condition: The condition; nil for all records.
  ///   - sort: The fields to sort by, such as `"genre, seconds DESC"`; nil for the order of row ids.
  ///   - offset: The number of records at the beginning of the result that are left out.
  ///   - limit: The largest number of records; nil for all.
  ///   - onDamage: The policy for records that cannot be read, including those of other versions of the class than the
  ///     saved fields describe (``StoreError/Code/unreadableContent``).
  ///   - body: Receives a record, the values of its fields, and a flag that ends the loop when set.
  /// - Returns: The names of the indexes that were used; none if all records were read.
  /// - Throws: Errors of `body`; ``QueryTextError``; ``StoreError``: ``StoreError/Code/unknownClass``, or
  ///   ``StoreError/Code/invalidQuery`` if no fields of the class are known.
  /// - Complexity: O(*n*) in the records of the class, or in the entries of an index.
  @discardableResult
  public func findRecords(
    ofClassNamed name: String, where condition: String? = nil, sortedBy sort: String? = nil, offset: Int = 0,
    limit: Int? = nil, onDamage: DamagePolicy = .fail,
    _ body: (RawRecord, [ContentValue], inout Bool) throws -> Void
  ) throws -> [String] {
    let keyspace = try keyspace(ofClassNamed: name)
    guard let layout = try contentLayouts.first(where: { $0.className.utf8.elementsEqual(name.utf8) }) else {
      throw StoreError(
        .invalidQuery, "The class has no contentFields, so its records cannot be searched by conditions.",
        className: name)
    }
    let rawClass = RawClass(layout)
    var query = QuerySpecification(condition: .always)
    if let condition {
      var reader = try QueryTextReader(condition, ofClassNamed: name, fields: rawClass.fields)
      query.condition = try reader.readCondition().simplified
    }
    if let sort {
      var reader = try QueryTextReader(sort, ofClassNamed: name, fields: rawClass.fields)
      query.sortKeys = try reader.readSortKeys()
    }
    (query.offset, query.limit) = (offset, limit)
    try query.check(in: self)
    let search = RecordSearch(query, of: rawClass, keyspace, in: self, onDamage: onDamage.reportingOnce)
    return try withSnapshot { try search.run(body) }
  }
}

/// A query for records of a class that the program does not have, which is being carried out.
private struct RecordSearch {
  private let query: QuerySpecification
  private let rawClass: RawClass
  private let keyspace: KeyspaceID
  private let store: Store
  private let onDamage: DamagePolicy
  private let envelope: RecordEnvelope

  init(
    _ query: QuerySpecification, of rawClass: RawClass, _ keyspace: KeyspaceID, in store: Store, onDamage: DamagePolicy
  ) {
    self.query = query
    self.rawClass = rawClass
    self.keyspace = keyspace
    self.store = store
    self.onDamage = onDamage
    envelope = store.envelope(of: keyspace)
  }

  func run(_ body: (RawRecord, [ContentValue], inout Bool) throws -> Void) throws -> [String] {
    let plan = try plan()
    var sorted = SortedRows(by: query.sortKeys, limit: query.neededCount, start: nil)
    let row = RawRow()
    func add(_ record: RawRecord) throws(StoreError) {
      row.values = try values(of: record)
      guard try query.condition.holds(for: row) else { return }
      if query.sortKeys.isEmpty {
        sorted.append(rowID: record.rowID)
      } else {
        try sorted.append(row, rowID: record.rowID)
      }
    }
    if let rowIDs = try rowIDs(of: plan) {
      try forEachRecord(rowIDs, add)
    } else {
      try forEachRecord(add)
    }
    sorted.sort()
    let found = sorted.rows.dropFirst(query.offset).prefix(query.limit ?? .max).map(\.rowID)
    var failure: (any Error)?
    var stop = false
    try forEachRecord(found) { record throws(StoreError) in
      guard failure == nil, !stop else { return }
      let values = try values(of: record)
      do {
        try store.checkNotClosed()
        try body(record, values, &stop)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return plan.indexes.map(\.name)
  }

  private func values(of record: RawRecord) throws(StoreError) -> [ContentValue] {
    if let values = rawClass.layout.values(of: record) { return values }
    let reason =
      record.version == rawClass.layout.version
      ? "The record does not match the class's contentFields."
      : "The record has version \(record.version), and the known contentFields are those of version "
        + "\(rawClass.layout.version)."
    throw StoreError(.unreadableContent, reason, className: rawClass.name, rowID: record.rowID)
  }

  // MARK: Finding rows

  private func plan() throws(StoreError) -> ExecutionPlan {
    let snapshot = try store.snapshotForReading()
    let table = ClassTable(store: store, type: RawRow.self, name: rawClass.name)
    let planner = Planner(
      query, of: table, indexes: try indexes(), recordCount: try store.savedCount(of: keyspace)
    ) { tree, range throws(StoreError) in
      do throws(BackendError) {
        return try snapshot.estimatedCount(tree: tree, from: range.lower, to: range.upper)
      } catch {
        throw store.translate(error)
      }
    }
    return try planner.plan()
  }

  /// Returns the complete indexes of the class that are over its content fields.
  private func indexes() throws(StoreError) -> [ClassIndex] {
    let prefix = ClassIndex.keyspacePrefix(ofClass: rawClass.name)
    var indexes: [ClassIndex] = []
    for tree in try store.onRecords({ sealing throws(BackendError) in try sealing.keyspaces() })
    where tree.kind == .tree && tree.name.starts(with: prefix) {
      do throws(StoreError) {
        guard let header = try store.indexHeader(of: tree.id).0,
          let index = rawClass.index(
            named: String(decoding: tree.name.dropFirst(prefix.count), as: UTF8.self), header, keyspace: tree.id)
        else { continue }
        indexes.append(index)
      } catch {
        // The records can be found without a damaged index.
        guard error.code == .damagedRecord || error.code == .damagedIndex else { throw error }
      }
    }
    return indexes
  }

  /// Returns the rows that an index leads to; nil if all records have to be read.
  private func rowIDs(of plan: ExecutionPlan) throws(StoreError) -> [RowID]? {
    switch plan.access {
    case .nothing: return []
    case .scan, .rows, .text: return nil
    case .index(let access): return try rowIDs(of: access).sorted()
    case .union(let accesses):
      var rowIDs: Set<RowID> = []
      for access in accesses { rowIDs.formUnion(try self.rowIDs(of: access)) }
      return rowIDs.sorted()
    case .intersection(let accesses):
      var rowIDs: Set<RowID>?
      for access in accesses {
        let others = try self.rowIDs(of: access)
        rowIDs = rowIDs?.intersection(others) ?? Set(others)
      }
      return (rowIDs ?? []).sorted()
    }
  }

  private func rowIDs(of access: IndexAccess) throws(StoreError) -> [RowID] {
    var reader = IndexReader(access, store, try store.snapshotForReading())
    defer { reader.finish() }
    var rowIDs: [RowID] = []
    while try reader.read(into: &rowIDs) {}
    return rowIDs
  }

  // MARK: Records

  private func forEachRecord(_ rowIDs: [RowID], _ body: (RawRecord) throws(StoreError) -> Void) throws(StoreError) {
    try store.readRows(rowIDs, of: keyspace) { _, slice, chunk throws(StoreError) in
      if slice.status != .absent { try give(slice, in: chunk, body) }
    }
  }

  private func forEachRecord(_ body: (RawRecord) throws(StoreError) -> Void) throws(StoreError) {
    let scan = try store.scan(keyspace)
    let chunk = store.takeChunk()
    defer { store.giveBack(chunk) }
    while try store.next(of: scan, into: chunk, onDamage: onDamage) {
      for slice in chunk.slices { try give(slice, in: chunk, body) }
    }
  }

  private func give(
    _ slice: RecordChunk.Slice, in chunk: RecordChunk, _ body: (RawRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try body(try store.rawRecord(slice, in: chunk, envelope: envelope, className: rawClass.name))
    } catch {
      try onDamage.handle(error)
    }
  }
}
