#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StoreIdentifiable where Self: StoredObject {
  /// The objects that meet a predicate of Foundation.
  ///
  /// ```swift
  /// let query = Song.where(#Predicate<Song> { $0.seconds > 200 && $0.title.starts(with: "B") })
  /// ```
  ///
  /// For code that has predicates, or shares them with other parts of a program; a closure without `#Predicate` says
  /// more, and is checked faster by the compiler. What the predicate is made of becomes the same tests as those of a
  /// closure, and so uses the same indexes: comparisons of properties with values and with each other, `&&`, `||`, `!`,
  /// `starts(with:)` and `contains` of a text, `contains` of an array or a range, properties of referred objects
  /// (`$0.album?.title`), `?? false` and `== true` behind an optional text's test.
  ///
  /// Any other part is evaluated by Foundation for each object that the rest leaves over, a few microseconds each;
  /// ``Store/explain(_:)`` shows it as `predicate …`. If that fails, such as for `!` of nil, the query throws
  /// ``StoreError/Code/invalidQuery``.
  ///
  /// Values are compared as ``OrderedValue`` says, where a part is not evaluated by Foundation: texts by their bytes,
  /// so that `"é"` in one scalar and in two are different; NaN equals itself.
  public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { all.where(predicate) }
}

extension Query {
  /// The same objects, as far as they also meet a predicate of Foundation.
  public func `where`(_ predicate: Predicate<T>) -> Query {
    let translation = PredicateTranslation<T>(variable: predicate.variable, problem: PredicateProblem())
    let condition = translation.node(predicate.expression)
    var query = self
    query.specification.condition = .joinAll([specification.condition, condition])
    if let problem = translation.problem.message { query.specification.problem = problem }
    return query
  }
}
