// Text searches without blocking the isolation domain of the store (`Store.fetchAsync`).
extension Store {
  /// Returns the objects of a query with text conditions, each with its relevance and its matches, without blocking.
  ///
  /// Another thread searches. Objects that are deleted in the meantime are left out. See
  /// ``hits(_:includingPending:onDamage:)`` and ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  public nonisolated(nonsending) func hitsAsync<T: StoredObject>(
    _ query: Query<T>, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [TextHit<T>] {
    let onDamage = onDamage.reportingOnce
    let stream = try RowStream(of: self, includingPending: includingPending, onDamage: onDamage)
    let found = try await onCopy(includingPending: includingPending, onDamage: onDamage) {
      store, onDamage throws(StoreError) in
      try store.hits(query, includingPending: includingPending, onDamage: onDamage).compactMap { hit in
        hit.object.id.map { (id: $0, score: hit.score) }
      }
    }
    let searches = Relevance(query.specification.condition)?.searches ?? []
    let objects = try await stream.objects(found.map(\.id))
    return zip(objects, found).compactMap { object, found in
      object.map { TextHit(object: $0, score: found.score, searches: searches) }
    }
  }

  /// Returns the words of a text index that a person may mean by the last word that was typed so far, without blocking.
  ///
  /// See ``suggestions(for:of:in:limit:includingPending:onDamage:)`` and
  /// ``fetchAsync(_:includingPending:onDamage:)-(Query<T>,_,_)``.
  public nonisolated(nonsending) func suggestionsAsync<T: StoredObject>(
    for text: String, of type: T.Type, in index: String, limit: Int = 10, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) async throws(StoreError) -> [TextSuggestion] {
    try await onCopy(includingPending: includingPending, onDamage: onDamage) { store, onDamage throws(StoreError) in
      try store.suggestions(
        for: text, of: type, in: index, limit: limit, includingPending: includingPending, onDamage: onDamage)
    }
  }
}
