/// A query for objects of a class: a condition, an order, and the number of objects.
///
/// A query is a value. Each method returns a new one:
///
/// ```swift
/// let query = Song.where { $0.seconds > 200 && $0.title.hasPrefix("B") }
///   .sorted(by: \.title)
///   .sorted(by: \.seconds, .descending)
///   .limit(20)
/// let songs = try store.fetch(query)
/// ```
///
/// Objects with equal values, and those of a query without a sort, come in the order of their row ids: the order of
/// insertion. So pages do not overlap. Values are compared by the rules of ``OrderedValue``.
public struct Query<T: StoredObject>: Sendable {
  var specification: QuerySpecification

  /// Makes a query for the objects that meet a condition.
  ///
  /// `Song.where { … }` is shorter for a class whose properties are known at compile time.
  public init(where condition: Condition<T>) { self.init(condition) }

  init(_ condition: Condition<T>) {
    specification = QuerySpecification(condition: condition.node)
    if condition.isTooDeep {
      specification.problem = "The conditions of the query are nested more than \(Condition<T>.depthLimit) levels deep."
    }
  }

  // `where` is overloaded for the two types of conditions. As one generic method, it would take the compiler seconds to
  // check ten conditions joined by `&&`.

  /// Returns a query for those objects of this query that also meet another condition.
  public func `where`(_ condition: (Properties<T>) -> Condition<T>) -> Query { adding(condition(Properties())) }

  /// Returns a query for those objects of this query for which a property is true.
  public func `where`(_ property: (Properties<T>) -> Property<T, Bool>) -> Query {
    adding(property(Properties()).condition)
  }

  private func adding(_ condition: Condition<T>) -> Query {
    var query = self
    if condition.isTooDeep { query.specification.problem = Query(condition).specification.problem }
    query.specification.condition = .joinAll([specification.condition, condition.node])
    return query
  }

  /// Returns the query sorted by a property.
  ///
  /// If the query is already sorted, the property is used for objects whose earlier sort keys are equal.
  ///
  /// A key path may lead through references: `\.album?.title`. The objects are then loaded, many at a time. An object
  /// whose reference is nil, or leads to an object that does not exist, is sorted as if the value were nil.
  ///
  /// - Parameters:
  ///   - keyPath: A stored property, or one of an object that it refers to.
  ///   - order: The direction of the sort.
  ///   - loading: The references that a computed property reads, whose objects are loaded beforehand. Pass `\.self`
  ///     alone if the property reads only the content of its own object. Without this argument, a query with a computed
  ///     property throws ``StoreError/Code/invalidQuery``.
  /// - Returns: The query with the sort.
  public func sorted<Value: OrderedValue>(
    by keyPath: any KeyPath<T, Value> & Sendable, _ order: SortOrder = .ascending,
    loading: any PartialKeyPath<T> & Sendable...
  ) -> Query {
    adding(SortKey(keyPath, order, loading: loading.isEmpty ? nil : loading))
  }

  /// Returns the query sorted by a text, without its case and accents.
  ///
  /// - Parameters:
  ///   - keyPath: As for ``sorted(by:_:loading:)``.
  ///   - order: The direction of the sort.
  ///   - loading: As for ``sorted(by:_:loading:)``.
  /// - Returns: The query with the sort.
  public func sorted<Value: OptionalText>(
    byFolded keyPath: any KeyPath<T, Value> & Sendable, _ order: SortOrder = .ascending,
    loading: any PartialKeyPath<T> & Sendable...
  ) -> Query {
    adding(SortKey(folding: keyPath, order, loading: loading.isEmpty ? nil : loading))
  }

  /// Returns the query sorted by how well its objects fit its text conditions, the most relevant first.
  ///
  /// The relevance depends on all objects of the class, which are therefore read by each fetch. Such a query has no
  /// positions (``after(_:)-(T)``): use ``offset(_:)``. Without a text condition outside of `!`, the fetch throws
  /// ``StoreError/Code/invalidQuery``.
  ///
  /// ```swift
  /// let query = Song.where { $0.title.matches("blue") }.sorted(by: .relevance).limit(20)
  /// ```
  public func sorted(by rank: TextRank) -> Query { adding(SortKey(nil)) }

  /// Returns the query sorted by a property that code derives from the content of objects.
  public func sorted<Value: OrderedValue>(
    by property: DerivedProperty<T, Value>, _ order: SortOrder = .ascending
  ) -> Query {
    adding(SortKey(property, order))
  }

  /// Returns the query sorted by a text that code derives from the content of objects, without its case and accents.
  public func sorted<Value: OptionalText>(
    byFolded property: DerivedProperty<T, Value>, _ order: SortOrder = .ascending
  ) -> Query {
    adding(SortKey(folding: property, order))
  }

  private func adding(_ key: SortKey) -> Query {
    var query = self
    query.specification.sortKeys.append(key)
    return query
  }

  /// Returns the query for objects of the class and of its registered subclasses.
  ///
  /// Without it, a query finds objects of exactly its class. Each class uses its own indexes. Objects with equal sort
  /// keys come in the order of their identities: by class, then by row. A sorted query reads all objects that meet the
  /// condition.
  public func includingSubclasses(_ including: Bool = true) -> Query {
    var query = self
    query.specification.includesSubclasses = including
    return query
  }

  /// Returns the query for the objects of a collection.
  ///
  /// Needed for a class whose objects are in collections (``StoredObject/isInCollections``). A fetch throws
  /// ``StoreError/Code/unknownCollection`` if there is no such collection.
  public func `in`(collection name: String) -> Query {
    var query = self
    query.specification.collection = name
    return query
  }

  /// Returns the query without its first objects.
  ///
  /// They are skipped again by every fetch, so `after(_:)` is faster for many pages.
  public func offset(_ count: Int) -> Query {
    var query = self
    query.specification.offset = count
    return query
  }

  /// Returns the query with a maximum number of objects.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.specification.limit = count
    return query
  }
}

/// A query without the type of its objects.
struct QuerySpecification: Sendable {
  var condition: ConditionNode
  var sortKeys: [SortKey] = []
  var offset = 0
  var limit: Int?
  /// Whether the result has objects of registered subclasses as well.
  var includesSubclasses = false
  /// The name of the collection whose objects the result has; nil for a class.
  var collection: String?
  /// The position after which the result begins; nil for the beginning.
  var start: QueryPosition?
  /// Whether the start is from an object with a pending change, whose saved values may differ.
  var startsAfterPending = false
  /// The only properties that are read from the result; empty if any properties, or whole objects, are needed.
  var wanted: [PropertyPath] = []
  /// Whether the condition tests rows, in place of the identities that the program named.
  var testsRows = false
  /// Whether the condition asks for references to an object that exists, which an index of kept references has.
  var usesKeptReferences = false
  /// The error in the query, which the fetch throws.
  var problem: String?

  init(condition: ConditionNode) { self.condition = condition }

  /// The number of objects up to the end of the result, including those that are skipped; nil for all.
  var neededCount: Int? { limit.map { $0.addingReportingOverflow(offset).overflow ? .max : $0 + offset } }

  /// Whether carrying out the query reads only properties of its objects themselves.
  var readsOwnProperties: Bool {
    condition.readsOwnProperties && sortKeys.allSatisfy(\.path.isOwnProperty) && wanted.allSatisfy(\.isOwnProperty)
  }

  /// The properties that carrying out the query reads.
  var paths: [PropertyPath] { condition.paths + sortKeys.map(\.path) + wanted }

  var sortsByRelevance: Bool { sortKeys.contains(where: \.isRelevance) }

  /// Whether the result contains all objects that meet the condition.
  var isUnlimited: Bool { limit == nil && offset == 0 && start == nil }

  func check(in store: Store) throws(StoreError) {
    func refusal(_ message: String) -> StoreError { StoreError(.invalidQuery, message) }
    if let problem = problem ?? condition.problem { throw refusal(problem) }
    if sortsByRelevance, Relevance(condition) == nil {
      throw refusal("The query is sorted by relevance, but has no text condition: add one with matches(…).")
    }
    for targets in condition.referenceTargets { try targets.check(in: store) }
    if let limit, limit < 0 { throw refusal("The limit of the query is \(limit), but must be 0 or more.") }
    if let start, start.keys.count != sortKeys.count {
      throw refusal(
        "The query has \(sortKeys.count) sorts, but its start position has \(start.keys.count): add sorts first.")
    }
    if offset < 0 { throw refusal("The offset of the query is \(offset), but must be 0 or more.") }
  }
}

extension StoreIdentifiable where Self: StoredObject {
  /// Returns a query for the objects that meet a condition.
  ///
  /// ```swift
  /// let query = Song.where { $0.genre == "Jazz" && $0.seconds > 200 }
  /// ```
  public static func `where`(_ condition: (Properties<Self>) -> Condition<Self>) -> Query<Self> {
    Query(condition(Properties()))
  }

  /// Returns a query for the objects for which a property is true.
  ///
  /// ```swift
  /// let query = Song.where { $0.isFavourite }
  /// ```
  public static func `where`(_ property: (Properties<Self>) -> Property<Self, Bool>) -> Query<Self> {
    Query(property(Properties()).condition)
  }

  /// A query for all objects of the class.
  public static var all: Query<Self> { Query(.always) }
}
