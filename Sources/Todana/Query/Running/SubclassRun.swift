/// A query for objects of a class and of its registered subclasses that is being carried out in one state of a store.
///
/// Each class is a query of its own, with its own indexes. Objects with equal sort keys come in the order of their
/// identities: by class, then by row.
struct SubclassRun {
  /// The queries of the classes, in the order of the classes' numbers.
  private(set) var runs: [QueryRun]
  private let query: QuerySpecification

  /// A row of the result.
  private struct Place {
    let run: Int
    let rowID: RowID
  }

  init(
    _ query: QuerySpecification, of tables: [ClassTable], in store: Store, includingPending: Bool,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) {
    try query.check(in: store)
    var query = query
    let onDamage = onDamage.reportingOnce
    var numbered: [(classID: KeyspaceID?, table: ClassTable)] = []
    for table in tables { numbered.append((try table.classIDForReading(), table)) }
    numbered.sort { ($0.classID?.rawValue ?? .max) < ($1.classID?.rawValue ?? .max) }
    // The object after which the result begins is of one class, and its saved values count for all classes.
    if query.startsAfterPending, !includingPending, let number = query.start?.classNumber,
      let owner = numbered.first(where: { $0.classID?.rawValue == number })
    {
      query.start = try QueryRun(query, of: owner.table, in: store, includingPending: false, onDamage: onDamage).start
    }
    query.startsAfterPending = false
    var runs: [QueryRun] = []
    for (classID, table) in numbered {
      var part = query
      part.limit = query.neededCount
      part.offset = 0
      if let start = query.start { part.start = start.begin(ofClass: classID) }
      runs.append(
        try QueryRun(part, of: table, in: store, includingPending: includingPending, onDamage: onDamage))
    }
    self.runs = runs
    self.query = query
  }

  func reportSkippedRows() throws(StoreError) { for run in runs { try run.reportSkippedRows() } }

  // MARK: Results

  func count() throws(StoreError) -> Int {
    var total = 0
    for run in runs { total += try run.count() }
    return max(0, min(total, query.neededCount ?? .max) - query.offset)
  }

  func ids() throws(StoreError) -> [AnyObjectID] {
    try places(readableOnly: false).compactMap { place in
      runs[place.run].classID.map { AnyObjectID(classID: $0, rowID: place.rowID) }
    }
  }

  /// Calls back with each object, loaded, in the order of the query.
  func forEachObject(_ body: (StoredObject) throws(StoreError) -> Bool) throws(StoreError) {
    if query.sortKeys.isEmpty, query.isUnlimited {
      var isWanted = true
      for run in runs where isWanted {
        try run.forEachObject { object throws(StoreError) in
          isWanted = try body(object)
          return isWanted
        }
      }
      return
    }
    var isWanted = true
    try forEachPart(of: try places(readableOnly: true)) { run, rowIDs throws(StoreError) in
      guard isWanted else { return }
      try run.forEachObject(of: rowIDs) { object throws(StoreError) in
        isWanted = try body(object)
        return isWanted
      }
    }
  }

  /// Calls back with the content of each object of the result, as ``QueryRun/forEachContent(inOrder:_:)``.
  func forEachContent(inOrder: Bool, _ body: (StoredObject) throws(StoreError) -> Void) throws(StoreError) {
    if query.isUnlimited, !inOrder || query.sortKeys.isEmpty {
      for run in runs { try run.forEachContent(inOrder: inOrder, body) }
      return
    }
    try forEachPart(of: try places(readableOnly: true)) { run, rowIDs throws(StoreError) in
      try run.forEachContent(of: rowIDs, body)
    }
  }

  /// Calls back with the wanted properties of each object of the result, as
  /// ``QueryRun/forEachWanted(inOrder:fromContent:startingOver:_:)``.
  func forEachWanted(
    inOrder: Bool, fromContent: Bool, _ body: (WantedValues) throws(StoreError) -> Void
  ) throws(StoreError) {
    if query.isUnlimited, !inOrder {
      for run in runs { try run.forEachWanted(inOrder: false, fromContent: fromContent, body) }
      return
    }
    let wanted = runs.first?.wantedOfObjects ?? WantedValues(ofObjects: nil)
    try forEachContent(inOrder: inOrder) { object throws(StoreError) in try wanted.give(object, to: body) }
  }

  /// The plans of all classes.
  var explanation: QueryPlan {
    let plans = runs.map { ($0.table.name, $0.explanation) }
    return QueryPlan(
      access: plans.contains { $0.1.access == .scan } ? .scan : plans.first?.1.access ?? .nothing,
      indexNames: plans.flatMap { plan in plan.1.indexNames.map { "\(plan.0): \($0)" } },
      expectedCount: plans.map(\.1.expectedCount).reduce(0, +), sorts: !query.sortKeys.isEmpty,
      answersFromIndex: plans.allSatisfy(\.1.answersFromIndex),
      steps: plans.flatMap { name, plan in plan.steps.map { "\(name): \($0)" } })
  }

  // MARK: Order

  /// Returns the relevance of objects, for which it reads all objects of the classes.
  func relevance() throws(StoreError) -> Relevance { try QueryRun.relevance(for: query, in: runs) }

  /// Returns the run that sorts by a relevance.
  func ranked(by relevance: Relevance) throws(StoreError) -> SubclassRun {
    var ranked = self
    for index in runs.indices { ranked.runs[index] = try runs[index].ranked(by: relevance) }
    return ranked
  }

  /// Returns the rows of the result in order.
  ///
  /// - Parameter readableOnly: Whether the limit and the offset count only objects whose records can be read, if
  ///   unreadable records are reported.
  /// - Returns: The rows.
  /// - Throws: ``StoreError``.
  private func places(readableOnly: Bool) throws(StoreError) -> [Place] {
    if runs.contains(where: \.needsRelevance) {
      return try ranked(by: try relevance()).places(readableOnly: readableOnly)
    }
    var places: [Place] = []
    let needed = query.neededCount ?? .max
    if query.sortKeys.isEmpty {
      for (number, run) in runs.enumerated() where places.count < needed {
        places += try run.rowIDs(readableOnly: readableOnly).map { Place(run: number, rowID: $0) }
      }
    } else {
      var keyed: [(key: [UInt8], place: Place)] = []
      for (number, run) in runs.enumerated() {
        let sorted = try run.allSortedRows()
        keyed += sorted.rows.map { (sorted.key(of: $0), Place(run: number, rowID: $0.rowID)) }
      }
      // The parts are sorted, and a stable sort keeps the order of classes and rows among equal keys.
      keyed.sort { $0.key.lexicographicallyPrecedes($1.key) }
      places = keyed.map(\.place)
    }
    return Array(places.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  /// Calls back with successive rows of one class.
  private func forEachPart(
    of places: [Place], _ body: (QueryRun, [RowID]) throws(StoreError) -> Void
  ) throws(StoreError) {
    var start = 0
    while start < places.count {
      var end = start + 1
      while end < places.count, places[end].run == places[start].run { end += 1 }
      try body(runs[places[start].run], places[start..<end].map(\.rowID))
      start = end
    }
  }
}

extension QueryRun {
  /// Returns all rows of the result, saved and pending, with the keys that they are sorted by.
  fileprivate func allSortedRows() throws(StoreError) -> SortedRows {
    var sorted = SortedRows(by: query.sortKeys, limit: query.limit, start: query.start)
    for object in try matchingPendingObjects() {
      do throws(StoreError) {
        try sorted.append(object, rowID: object.rowID)
      } catch {
        try onDamage.handle(error)
      }
    }
    try appendMatches(to: &sorted)
    sorted.sort()
    if let limit = query.limit { sorted.keepFirst(limit) }
    return sorted
  }
}
