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
  /// - Complexity: O(number of objects of the class).
  public func suggestions<T: StoredObject>(
    for text: String, of type: T.Type, in index: String, limit: Int = 10, includingPending: Bool = true,
    onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [TextSuggestion] {
    try begin()
    let table = try table(for: type)
    guard let columns = type.textIndexes.first(where: { $0.name == index })?.columns else {
      throw StoreError(
        .invalidQuery, "The class has no text index \"\(index)\".", className: table.name)
    }
    guard limit > 0, var completion = WordCompletion(of: text) else { return [] }
    let run = try begin(type.all, includingPending: includingPending, onDamage: onDamage)
    try run.forEachContent(inOrder: false) { object throws(StoreError) in
      var texts: [TextList] = []
      for column in columns { texts.append(try column.texts(of: object)) }
      guard completion.count(texts) else {
        throw StoreError(.unreadableContent, "A text of text index \"\(index)\" is too long.", rowID: object.rowID)
      }
    }
    try end()
    return completion.best(limit).map { TextSuggestion(text: $0.word, count: $0.count) }
  }
}
