internal import Logging

extension Store {
  /// Returns the objects of a query, loaded, in its order.
  ///
  /// ```swift
  /// let songs = try store.fetch(Song.where { $0.seconds > 200 }.sorted(by: \.title).limit(20))
  /// ```
  ///
  /// The query reads the state of one commit, with the changes that are pending in this store. Conditions and order use
  /// saved or pending values. An object that was already loaded may have been changed by another store since. It keeps
  /// its values in memory until ``refresh()``.
  ///
  /// - Parameters:
  ///   - query: A query for exactly this class.
  ///   - includingPending: Whether the pending changes of this store count; otherwise only saved records do.
  ///   - onDamage: The policy for records that cannot be read, including those that may not belong to the result.
  /// - Returns: The objects.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/invalidQuery`` or ``StoreError/Code/scanRefused``. If a record
  ///   is the cause, the error has its class and row.
  /// - Complexity: See ``explain(_:)``; at best O(log *n*) plus the size of the result.
  public func fetch<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    if query.specification.asksForAll, !query.specification.includesSubclasses {
      return try fetchAll(
        of: [table(of: query)], T.self, includingPending: includingPending, onDamage: onDamage)
    }
    if query.specification.includesSubclasses {
      var objects: [T] = []
      try forEachObject(of: query, includingPending: includingPending, onDamage: onDamage) { object in
        objects.append(object)
        return true
      }
      try end()
      return objects
    }
    let run = try begin(query, includingPending: includingPending, onDamage: onDamage)
    // Appending to an array of a generic type is slow.
    var objects: [StoredObject] = []
    try run.forEachObject { object in
      objects.append(object)
      return true
    }
    try end()
    // The table's class is T, and arrays of objects have one layout.
    return unsafe unsafeBitCast(objects, to: [T].self)
  }

  /// Calls back with each object of a query, loaded, in its order.
  func forEachObject<T: StoredObject>(
    of query: Query<T>, includingPending: Bool, onDamage: DamagePolicy, _ body: (T) throws(StoreError) -> Bool
  ) throws(StoreError) {
    // The class of the tables is T, or a subclass of it.
    if query.specification.includesSubclasses {
      return try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in
        try run.forEachObject { object throws(StoreError) in try body(unsafe unsafeDowncast(object, to: T.self)) }
      }
    }
    try begin(query, includingPending: includingPending, onDamage: onDamage).forEachObject {
      object throws(StoreError) in try body(unsafe unsafeDowncast(object, to: T.self))
    }
  }

  /// Returns the first object of a query; nil if there is none.
  ///
  /// With ``DamagePolicy/report(_:)``, this is the first object that can be read.
  public func first<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> T? {
    try fetch(
      query.limit(min(1, query.specification.limit ?? 1)), includingPending: includingPending, onDamage: onDamage
    ).first
  }

  /// Returns the number of objects of a query, within its offset and limit.
  ///
  /// A record that is not needed to test the condition is counted without being read (``DamagePolicy``).
  public func count<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Int {
    if query.specification.asksForAll {
      try begin()
      return try countAll(of: tables(of: query), includingPending: includingPending)
    }
    if query.specification.includesSubclasses {
      return try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in try run.count() }
    }
    return try begin(
      query, includingPending: includingPending, onDamage: onDamage, readingRecords: false
    ).count()
  }

  /// Tests whether a query has any objects.
  public func exists<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Bool {
    let firstOnly = query.limit(min(1, query.specification.limit ?? 1))
    return try count(firstOnly, includingPending: includingPending, onDamage: onDamage) > 0
  }

  /// Returns the identities of the objects of a query, in its order.
  ///
  /// Records that are needed neither for the condition nor for the order are not read. Therefore, some of these objects
  /// may be impossible to load.
  public func ids<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [ObjectID<T>] {
    if query.specification.includesSubclasses {
      return try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in
        try run.ids().map { ObjectID(unchecked: $0) }
      }
    }
    let run = try begin(query, includingPending: includingPending, onDamage: onDamage, readingRecords: false)
    let rowIDs = try run.rowIDs()
    guard let classID = run.table.classID else { return [] }
    return rowIDs.map { ObjectID(unchecked: AnyObjectID(classID: classID, rowID: $0)) }
  }

  /// Returns the plan of a query at present: the indexes it uses, the number of entries it reads, and the sorts.
  ///
  /// ```swift
  /// print(try store.explain(Song.where { $0.seconds > 200 }.sorted(by: \.title)))
  /// ```
  ///
  /// The plan is that of ``fetch(_:includingPending:onDamage:)-(Query<T>,_,_)``. If a text index finds most objects of a
  /// class, reading all is as fast, but ``count(_:includingPending:onDamage:)`` and ``ids(_:includingPending:onDamage:)``
  /// use the index alone.
  public func explain<T: StoredObject>(_ query: Query<T>) throws(StoreError) -> QueryPlan {
    try begin()
    if query.specification.includesSubclasses {
      return try withSubclasses(query, true, .fail, isExplained: true) { $0.explanation }
    }
    let table = try table(of: query)
    return try withNewestIndexes(of: table) { () throws(StoreError) in
      try QueryRun(query.specification, of: table, in: self, includingPending: true).explanation
    }
  }

  /// Returns the table of a query for one class or one collection.
  func table<T: StoredObject>(of query: Query<T>) throws(StoreError) -> ClassTable {
    guard let name = query.specification.collection else { return try table(for: T.self) }
    return try table(ofCollection: name, T.self)
  }

  /// Returns the tables of a query, with those of subclasses if it includes them.
  func tables<T: StoredObject>(of query: Query<T>) throws(StoreError) -> [ClassTable] {
    if query.specification.collection != nil { return [try table(of: query)] }
    return try tables(for: T.self, includingSubclasses: query.specification.includesSubclasses)
  }

  /// Begins a query.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - includingPending: Whether pending changes count.
  ///   - onDamage: The policy for records that cannot be read.
  ///   - readingRecords: Whether the records of the result are read, also if no condition and no order needs them.
  /// - Returns: The query in the present state.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/scanRefused``.
  func begin<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool, onDamage: DamagePolicy, readingRecords: Bool = true
  ) throws(StoreError) -> QueryRun {
    try begin()
    try refuseIdentities(in: query)
    let table = try table(of: query)
    let run = try withNewestIndexes(of: table) { () throws(StoreError) in
      try QueryRun(
        query.specification, of: table, in: self, includingPending: includingPending, onDamage: onDamage,
        readingRecords: readingRecords)
    }
    // A ranking may need no scan, and is checked when that is known.
    if run.isUnboundedScan, !run.isRankedByIndex { try check(scan: run) }
    try run.reportSkippedRows()
    return run
  }

  /// Carries out a query for a class and its subclasses in one state.
  func withSubclasses<T: StoredObject, Result>(
    _ query: Query<T>, _ includingPending: Bool, _ onDamage: DamagePolicy, isExplained: Bool = false,
    _ body: (SubclassRun) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try begin()
    try refuseIdentities(in: query)
    let tables = try tables(of: query)
    return try readingOneState { () throws(StoreError) in
      let run = try SubclassRun(
        query.specification, of: tables, in: self, includingPending: includingPending, onDamage: onDamage)
      if isExplained { return try body(run) }
      for part in run.runs { if case .scan = part.plan.access, part.plan.fallback == nil { try check(scan: part) } }
      try run.reportSkippedRows()
      return try body(run)
    }
  }

  /// Throws if a query compares or sorts by identities.
  ///
  /// Records are read into an object that has their content, but no identity.
  private func refuseIdentities<T: StoredObject>(in query: Query<T>) throws(StoreError) {
    let paths = query.specification.condition.paths + query.specification.sortKeys.map(\.path)
    // Making the path of a generic class takes longer than comparing the types.
    guard paths.contains(where: { $0.firstValueType == ObjectID<T>?.self }) else { return }
    let identity = PropertyPath(\T.id)
    guard paths.contains(where: { $0.keyPaths.first == identity.keyPaths.first }) else { return }
    throw StoreError(
      .invalidQuery,
      "A query cannot compare or sort ids: fetch by ids. Without a sort, results are in the order of their ids.")
  }

  /// Refuses or logs a run that reads all objects, as the configuration says.
  func check(scan run: QueryRun) throws(StoreError) {
    switch configuration.scans {
    case .allowed: return
    case .logged(let count):
      guard run.plan.expectedCount > Double(count) else { return }
      configuration.logger?.notice("A query reads all objects of a class: \(run.explanation)")
    case .refused(let count):
      guard run.plan.expectedCount > Double(count) else { return }
      throw StoreError(
        .scanRefused, "The query would read all \(Int(run.plan.expectedCount)) objects: no index can be used for it.",
        className: run.table.name)
    }
  }
}

extension QuerySpecification {
  /// Whether the query is for all objects of the class in the order of their row ids.
  var asksForAll: Bool {
    guard case .always = condition.simplified else { return false }
    return sortKeys.isEmpty && limit == nil && offset == 0 && start == nil && problem == nil
  }
}
