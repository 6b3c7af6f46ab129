/// Which objects of a class are wanted, in which order, and how many of them: a value, made step by step.
///
/// ```swift
/// let query = Song.where { $0.seconds > 200 && $0.title.hasPrefix("B") }
///   .sorted(by: \.title)
///   .sorted(by: \.seconds, .descending)
///   .limit(20)
/// let songs = try store.fetch(query)
/// ```
///
/// Objects with the same values, and those of a query without a sort, come in the order of their row ids, which is that
/// of insertion: so pages do not overlap. ``OrderedValue`` says how values are compared.
public struct Query<T: StoredObject>: Sendable {
  var specification: QuerySpecification

  init(_ condition: Condition<T>) {
    specification = QuerySpecification(condition: condition.node)
    if condition.isTooDeep {
      specification.problem = "Its conditions stand within each other more than \(Condition<T>.depthLimit) times."
    }
  }

  /// The same objects, as far as they also meet another condition.
  public func `where`<Source: ConditionSource<T>>(_ condition: (Properties<T>) -> Source) -> Query {
    var query = self
    let condition = condition(Properties()).condition
    if condition.isTooDeep { query.specification.problem = Query(condition).specification.problem }
    query.specification.condition = .joinAll([specification.condition, condition.node])
    return query
  }

  /// Sorted by a property; where the query is sorted already, as the next key among those that are equal.
  ///
  /// A key path may lead through references: `\.album?.title`. The objects are loaded then, many at a time; an object
  /// whose reference is nil, or leads to an object that does not exist, comes where nil does.
  ///
  /// - Parameters:
  ///   - keyPath: A stored property, or one of an object that it refers to.
  ///   - order: From the first to the last, or from the last to the first.
  ///   - loading: The references that a computed property reads, which have to be loaded before; `\.self` alone, if it
  ///     reads nothing but its object's own content. A query with a computed property and without this is
  ///     ``StoreError/Code/invalidQuery``.
  /// - Returns: The query with the sort.
  public func sorted<Value: OrderedValue>(
    by keyPath: any KeyPath<T, Value> & Sendable, _ order: SortOrder = .ascending,
    loading: any PartialKeyPath<T> & Sendable...
  ) -> Query {
    adding(SortKey(keyPath, order, loading: loading.isEmpty ? nil : loading))
  }

  /// Sorted by a text without case and accents.
  ///
  /// - Parameters:
  ///   - keyPath: As for ``sorted(by:_:loading:)``.
  ///   - order: From the first to the last, or from the last to the first.
  ///   - loading: As for ``sorted(by:_:loading:)``.
  /// - Returns: The query with the sort.
  public func sorted<Value: OptionalText>(
    byFolded keyPath: any KeyPath<T, Value> & Sendable, _ order: SortOrder = .ascending,
    loading: any PartialKeyPath<T> & Sendable...
  ) -> Query {
    adding(SortKey(folding: keyPath, order, loading: loading.isEmpty ? nil : loading))
  }

  private func adding(_ key: SortKey) -> Query {
    var query = self
    query.specification.sortKeys.append(key)
    return query
  }

  /// Without the first ones; they are passed over at every fetch, so for many pages ``after(_:)`` is faster.
  public func offset(_ count: Int) -> Query {
    var query = self
    query.specification.offset = count
    return query
  }

  /// At most so many.
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
  /// Only what comes behind this is wanted.
  var start: QueryPosition?
  /// The properties that are wanted of the objects; empty: anything, or the objects.
  var wanted: [PropertyPath] = []
  /// What is wrong with the query, for the fetch to throw.
  var problem: String?

  init(condition: ConditionNode) { self.condition = condition }

  /// The number of objects up to the last that is wanted; nil: all.
  var neededCount: Int? { limit.map { $0.addingReportingOverflow(offset).overflow ? .max : $0 + offset } }

  /// Whether all that is read to carry it out are properties of its objects themselves.
  var readsOwnProperties: Bool {
    condition.readsOwnProperties && sortKeys.allSatisfy(\.path.isOwnProperty) && wanted.allSatisfy(\.isOwnProperty)
  }

  /// The properties that are read to carry it out.
  var paths: [PropertyPath] { condition.paths + sortKeys.map(\.path) + wanted }

  /// Whether all objects are wanted that meet the condition.
  var isUnlimited: Bool { limit == nil && offset == 0 && start == nil }

  func check() throws(StoreError) {
    func refusal(_ message: String) -> StoreError { StoreError(.invalidQuery, message) }
    if let problem { throw refusal(problem) }
    if let limit, limit < 0 { throw refusal("The limit of the query is \(limit); it is at least 0.") }
    if let start, start.keys.count != sortKeys.count {
      throw refusal(
        "It is to begin after a position of a query with \(start.keys.count) sort keys; it has \(sortKeys.count).")
    }
    if offset < 0 { throw refusal("The offset of the query is \(offset); it is at least 0.") }
  }
}

extension StoreIdentifiable where Self: StoredObject {
  /// The objects that meet a condition.
  ///
  /// ```swift
  /// let query = Song.where { $0.genre == "Jazz" && $0.seconds > 200 }
  /// ```
  public static func `where`<Source: ConditionSource<Self>>(
    _ condition: (Properties<Self>) -> Source
  ) -> Query<Self> {
    Query(condition(Properties()).condition)
  }

  /// All objects of the class.
  public static var all: Query<Self> { Query(.always) }
}
