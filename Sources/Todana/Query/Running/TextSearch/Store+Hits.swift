extension Store {
  /// Returns the objects of a query with text conditions, each with its relevance and its matches.
  ///
  /// ```swift
  /// let query = Song.where { $0.title.matches("blue gre*") }.sorted(by: .relevance).limit(20)
  /// for hit in try store.hits(query) {
  ///   print(hit.object.title, hit.score, hit.snippet(of: \.title, open: "[", close: "]"))
  /// }
  /// ```
  ///
  /// The hits come in the order of the query.
  ///
  /// - Parameters:
  ///   - query: A query with at least one text condition outside of `!`.
  ///   - includingPending: As for ``fetch(_:includingPending:onDamage:)->[T]``.
  ///   - onDamage: As for ``fetch(_:includingPending:onDamage:)->[T]``.
  /// - Returns: The hits.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/invalidQuery`` without a text condition, or
  ///   ``StoreError/Code/scanRefused``.
  /// - Complexity: O(number of objects of the class), because the relevance depends on all of them; less if a text index
  ///   has the numbers of its words.
  public func hits<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [TextHit<T>] {
    var hits: [TextHit<T>] = []
    func add(_ object: StoredObject, _ relevance: Relevance) throws(StoreError) {
      hits.append(
        TextHit(
          // The class of the tables is T, or a subclass of it.
          object: unsafe unsafeDowncast(object, to: T.self), score: try relevance.value(of: object),
          searches: relevance.searches))
    }
    if query.specification.includesSubclasses {
      try withSubclasses(query, includingPending, onDamage) { run throws(StoreError) in
        let relevance = try run.relevance()
        try run.ranked(by: relevance).forEachObject { object throws(StoreError) in
          try add(object, relevance)
          return true
        }
      }
    } else {
      let run = try begin(query, includingPending: includingPending, onDamage: onDamage)
      let relevance = try run.relevance()
      try run.ranked(by: relevance).forEachObject { object throws(StoreError) in
        try add(object, relevance)
        return true
      }
    }
    try end()
    return hits
  }
}
