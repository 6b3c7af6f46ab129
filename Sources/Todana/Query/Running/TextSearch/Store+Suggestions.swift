extension Store {
  /// Returns the words of a text index that a person may mean by the last word that was typed so far.
  ///
  /// ```swift
  /// try store.suggestions(for: "blu", of: Song.self, in: "title", limit: 5)
  /// ```
  ///
  /// Words that begin with it come first, those of most objects before others. Then come words that it may be misspelled
  /// for: with one change if it has 3 to 5 letters, with one or two if it is longer. After a space nothing is suggested.
  ///
  /// - Parameters:
  ///   - text: The text typed so far.
  ///   - type: The class; objects of its subclasses do not count.
  ///   - index: The name of a ``TextIndex`` of the class.
  ///   - limit: The maximum number of suggestions.
  ///   - includingPending: Whether the pending changes of this store count; otherwise only saved records do.
  ///   - onDamage: The policy for records that cannot be read.
  /// - Returns: The suggestions, with the numbers of objects that have them.
  /// - Throws: ``StoreError``, such as ``StoreError/Code/invalidQuery`` if the class has no such index.
  /// - Complexity: O(number of different words with the beginning), and if these are fewer than the limit, O(number of all
  ///   different words). Objects that the text index does not have yet are read; without a built index, all are.
  public func suggestions<T: StoredObject>(
    for text: String, of type: T.Type, in index: String, limit: Int = 10, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [TextSuggestion] {
    try begin()
    let table = try table(for: type)
    guard let index = table.textIndexes.first(where: { $0.name == index }) else {
      throw StoreError(
        .invalidQuery, "The class has no text index \"\(index)\".", className: table.name)
    }
    guard limit > 0, var completion = WordCompletion(of: text) else { return [] }
    let indexedRun = try QueryRun(
      type.all.specification, of: table, in: self, includingPending: includingPending, onDamage: onDamage)
    if var suggestions = try IndexedSuggestions(completion, from: index, indexedRun),
      let words = try suggestions.best(limit)
    {
      try end()
      return words.map(TextSuggestion.init)
    }
    let run = try begin(type.all, includingPending: includingPending, onDamage: onDamage)
    try run.forEachContent(inOrder: false) { object throws(StoreError) in
      try completion.count(object, of: index)
    }
    try end()
    return completion.best(limit).map(TextSuggestion.init)
  }
}
