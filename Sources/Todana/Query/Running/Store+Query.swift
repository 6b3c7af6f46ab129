internal import Logging

extension Store {
  /// The objects that a query asks for, loaded, in its order.
  ///
  /// ```swift
  /// let songs = try store.fetch(Song.where { $0.seconds > 200 }.sorted(by: \.title).limit(20))
  /// ```
  ///
  /// Reads the state of one commit, with what is pending in this store. Conditions and order go by what is saved, or
  /// pending: an object that is loaded already and was changed by another store since shows what it was loaded with,
  /// until ``refresh()``.
  ///
  /// - Parameters:
  ///   - query: Of exactly this class.
  ///   - includingPending: Whether objects are judged by what is pending in this store; else by what is saved.
  ///   - onDamage: The policy for records that cannot be read, also those that may not belong to the result.
  /// - Returns: The objects.
  /// - Throws: ``StoreError``: ``StoreError/Code/invalidQuery``, ``StoreError/Code/scanRefused``; with class and row
  ///   where a record is at fault.
  /// - Complexity: As ``explain(_:)`` says: at best O(log *n*) and the size of the result.
  public func fetch<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    if query.specification.asksForAll {
      return try fetch(T.self, includingPending: includingPending, onDamage: onDamage)
    }
    let run = try begin(query, includingPending: includingPending, onDamage: onDamage)
    var objects: [T] = []
    try run.forEachObject { object in
      // The table's class is T.
      objects.append(unsafe unsafeDowncast(object, to: T.self))
      return true
    }
    return objects
  }

  /// The first object of a query; nil if it has none.
  ///
  /// With ``DamagePolicy/report(_:)``, the first one that can be read.
  public func first<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> T? {
    try fetch(
      query.limit(min(1, query.specification.limit ?? 1)), includingPending: includingPending, onDamage: onDamage
    ).first
  }

  /// The number of objects of a query, its offset and limit taken into account.
  ///
  /// A record counts without being read where the condition is met without it (``DamagePolicy``).
  public func count<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Int {
    if query.specification.asksForAll { return try count(T.self, includingPending: includingPending) }
    return try begin(query, includingPending: includingPending, onDamage: onDamage).count()
  }

  /// Whether a query has any object.
  public func exists<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Bool {
    let firstOnly = query.limit(min(1, query.specification.limit ?? 1))
    return try count(firstOnly, includingPending: includingPending, onDamage: onDamage) > 0
  }

  /// The identities of the objects of a query, in its order.
  ///
  /// Records that conditions and order do not need are not read, so these may be of objects that cannot be loaded.
  public func ids<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [ObjectID<T>] {
    let run = try begin(query, includingPending: includingPending, onDamage: onDamage)
    let rowIDs = try run.rowIDs()
    guard let classID = run.table.classID else { return [] }
    return rowIDs.map { ObjectID(unchecked: AnyObjectID(classID: classID, rowID: $0)) }
  }

  /// How a query would be carried out now: which indexes it uses, how much is read, what is sorted.
  ///
  /// ```swift
  /// print(try store.explain(Song.where { $0.seconds > 200 }.sorted(by: \.title)))
  /// ```
  public func explain<T: StoredObject>(_ query: Query<T>) throws(StoreError) -> QueryPlan {
    try begin()
    return try QueryRun(query.specification, of: table(for: T.self), in: self, includingPending: true).explanation
  }

  func begin<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool, onDamage: DamagePolicy
  ) throws(StoreError) -> QueryRun {
    try begin()
    try refuseIdentities(in: query)
    let run = try QueryRun(
      query.specification, of: table(for: T.self), in: self, includingPending: includingPending, onDamage: onDamage)
    if case .scan = run.plan.access { try check(scan: run) }
    try run.reportSkippedRows()
    return run
  }

  /// What a record is looked at as has its content, and no identity that could be compared.
  private func refuseIdentities<T: StoredObject>(in query: Query<T>) throws(StoreError) {
    let paths = query.specification.condition.paths + query.specification.sortKeys.map(\.path)
    // To make the path of a generic class takes longer than to look at the types.
    guard paths.contains(where: { $0.firstValueType == ObjectID<T>?.self }) else { return }
    let identity = PropertyPath(\T.id)
    guard paths.contains(where: { $0.keyPaths.first == identity.keyPaths.first }) else { return }
    throw StoreError(
      .invalidQuery, "A query cannot compare identities: fetch by ids; results without a sort come in their order.")
  }

  private func check(scan run: QueryRun) throws(StoreError) {
    switch configuration.scans {
    case .allowed: return
    case .logged(let count):
      guard run.plan.expectedCount > Double(count) else { return }
      configuration.logger?.notice("A query looks at all objects: \(run.explanation)")
    case .refused(let count):
      guard run.plan.expectedCount > Double(count) else { return }
      throw StoreError(
        .scanRefused, "The query looks at all \(Int(run.plan.expectedCount)) objects; no index serves it.",
        className: run.table.name)
    }
  }
}

extension QuerySpecification {
  /// Whether it is every object of the class, in the order of row ids.
  var asksForAll: Bool {
    guard case .always = condition.simplified else { return false }
    return sortKeys.isEmpty && limit == nil && offset == 0 && start == nil && problem == nil
  }
}
