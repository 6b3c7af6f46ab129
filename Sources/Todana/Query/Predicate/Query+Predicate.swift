#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StoreIdentifiable where Self: StoredObject {
  /// Returns a query for the objects that meet a predicate of Foundation.
  ///
  /// ```swift
  /// let query = Song.where(#Predicate<Song> { $0.seconds > 200 && $0.title.starts(with: "B") })
  /// ```
  ///
  /// Use it if a program already has predicates, or shares them with other parts. A closure without `#Predicate` can
  /// express more, and compiles faster.
  ///
  /// The following parts of a predicate become the same tests as in a closure, and so use the same indexes:
  ///
  /// - comparisons of properties with values and with each other
  /// - `&&`, `||`, `!`
  /// - `starts(with:)` and `contains` of a text
  /// - `contains` of an array or a range
  /// - properties of referenced objects (`$0.album?.title`)
  /// - `?? false` and `== true` after a test of an optional text
  ///
  /// Foundation evaluates any other part for each object that the rest of the predicate does not exclude. This takes a
  /// few microseconds per object. ``Store/explain(_:)`` shows such a part as `predicate …`. If the evaluation fails,
  /// for example because of `!` of nil, the query throws ``StoreError/Code/invalidQuery``.
  ///
  /// Parts that are not evaluated by Foundation compare values by the rules of ``OrderedValue``. Texts are compared by
  /// their bytes, so that `"é"` as one scalar and as two are different. NaN equals itself.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { all.where(predicate) }
}

extension Query {
  /// Returns a query for those objects of this query that also meet a predicate of Foundation.
  public func `where`(_ predicate: Predicate<T>) -> Query {
    let translation = PredicateTranslation<T>(variable: predicate.variable, problem: PredicateProblem())
    let condition = translation.node(predicate.expression)
    var query = self
    query.specification.condition = .joinAll([specification.condition, condition])
    if let problem = translation.problem.message { query.specification.problem = problem }
    return query
  }
}
