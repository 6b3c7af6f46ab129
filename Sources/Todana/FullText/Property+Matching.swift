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
    Condition(.test(MatchesTest(property: self, expression: expression)))
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
