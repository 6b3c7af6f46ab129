extension Property where Value: IndexedText {
  /// Returns a condition that is true if the text has what the expression describes.
  ///
  /// ```swift
  /// try store.fetch(Song.where { $0.title.matches(.prefix("blu") || .fuzzy("grene")) })
  /// ```
  ///
  /// A property without a text, such as nil, has no words. In a list of texts each term must be found within one text,
  /// but different terms may be found in different ones.
  public func matches(_ expression: TextExpression) -> Condition<Root> {
    Condition(.test(MatchesTest(TextColumn(self), expression)))
  }

  /// Returns a condition that is true if the text has what a person typed.
  ///
  /// ```swift
  /// try store.fetch(Song.where { $0.title.matches("blue gre*") })
  /// ```
  ///
  /// See ``TextExpression/init(typed:)``.
  public func matches(_ text: String) -> Condition<Root> { matches(TextExpression(typed: text)) }
}

extension Properties {
  /// Returns a condition that is true if the texts of a text index of the class have what the expression describes.
  ///
  /// ```swift
  /// try store.fetch(Song.where { $0.matches("\"kind of\" blue -live", in: "everything") })
  /// ```
  ///
  /// The texts are those of all properties of the index. Each term must be found within one text, but different terms
  /// may be found in different ones. Words are compared by the rules of the index. If the class has no such index, the
  /// query throws ``StoreError/Code/invalidQuery``.
  ///
  /// If a class has a property named `matches`, conditions cannot use that property.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - index: The name of a ``TextIndex`` that the class declares.
  /// - Returns: The condition.
  public func matches(_ expression: TextExpression, in index: String) -> Condition<Root> {
    Condition(.test(MatchesTest(Root.self, index: index, expression)))
  }

  /// Returns a condition that is true if the texts of a text index of the class have what a person typed.
  ///
  /// See ``matches(_:in:)-(TextExpression,_)`` and ``TextExpression/init(typed:)``.
  public func matches(_ text: String, in index: String) -> Condition<Root> {
    matches(TextExpression(typed: text), in: index)
  }
}

extension TextIndex {
  /// Returns a condition that is true if the texts of this index of a collection have what the expression describes.
  ///
  /// Words are compared by the rules of the index, whether the collection has it or not.
  ///
  /// - Parameters:
  ///   - expression: The expression.
  ///   - type: The class of the collection's objects, whose property the index has.
  /// - Returns: The condition.
  public func matches<Root: StoredObject>(_ expression: TextExpression, of type: Root.Type) -> Condition<Root> {
    Condition(.test(MatchesTest(self, expression)))
  }
}
