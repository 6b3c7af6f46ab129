extension Property where Value: OrderedValue {
  public static func == (property: Self, value: Value) -> Condition<Root> { property.compared(.equal, value) }
  public static func != (property: Self, value: Value) -> Condition<Root> { property.compared(.notEqual, value) }
  public static func < (property: Self, value: Value) -> Condition<Root> { property.compared(.less, value) }
  public static func <= (property: Self, value: Value) -> Condition<Root> { property.compared(.lessOrEqual, value) }
  public static func > (property: Self, value: Value) -> Condition<Root> { property.compared(.greater, value) }
  public static func >= (property: Self, value: Value) -> Condition<Root> { property.compared(.greaterOrEqual, value) }

  public static func == (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.equal, rhs) }
  public static func != (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.notEqual, rhs) }
  public static func < (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.less, rhs) }
  public static func <= (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.lessOrEqual, rhs) }
  public static func > (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.greater, rhs) }
  public static func >= (lhs: Self, rhs: Self) -> Condition<Root> { lhs.compared(.greaterOrEqual, rhs) }

  /// Returns a condition that is true if the property equals one of the values.
  public func isIn(_ values: some Sequence<Value>) -> Condition<Root> {
    Condition(.test(ListTest(property: self, values: values)))
  }

  /// Returns a condition that is true if the property is at least the range's lower bound and less than its upper
  /// bound.
  public func isIn(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Returns a condition that is true if the property is in the range, both bounds included.
  public func isIn(_ range: ClosedRange<Value>) -> Condition<Root> where Value: Comparable {
    self >= range.lowerBound && self <= range.upperBound
  }

  func compared(_ comparison: Comparison, _ value: Value) -> Condition<Root> {
    Condition(.test(ValueTest(property: self, comparison: comparison, value: value)))
  }

  private func compared(_ comparison: Comparison, _ other: Self) -> Condition<Root> {
    Condition(.test(PropertyTest(left: self, comparison: comparison, right: other)))
  }
}

extension Property {
  /// Returns a condition that is true if the property is at least the range's lower bound and less than its upper
  /// bound.
  ///
  /// It is false if the property is nil.
  public func isIn<Wrapped>(_ range: Range<Wrapped>) -> Condition<Root>
  where Value == Wrapped?, Wrapped: OrderedValue & Comparable {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Returns a condition that is true if the property is in the range, both bounds included.
  ///
  /// It is false if the property is nil.
  public func isIn<Wrapped>(_ range: ClosedRange<Wrapped>) -> Condition<Root>
  where Value == Wrapped?, Wrapped: OrderedValue & Comparable {
    self >= range.lowerBound && self <= range.upperBound
  }
}

extension Property where Value: OptionalText {
  /// Returns a condition that is true if the text begins with another text, compared by bytes.
  public func hasPrefix(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .prefix, part: part)))
  }

  /// Returns a condition that is true if the text ends with another text, compared by bytes.
  public func hasSuffix(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .suffix, part: part)))
  }

  /// Returns a condition that is true if the text contains another text, compared by bytes.
  public func contains(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .contains, part: part)))
  }

  /// Returns a condition that is true if the text matches a pattern of SQL's `LIKE`.
  ///
  /// `%` stands for any number of characters, `_` for one Unicode scalar, and `\\` makes the next character an ordinary
  /// one. Case and accents count; ``folded`` and ``caseInsensitive`` have this method, too. Unless the pattern begins
  /// with an ordinary character and an index is on the text, all objects are read.
  public func like(_ pattern: String) -> Condition<Root> {
    Condition(.test(PatternTest(self, LikePattern(pattern, folding: .none))))
  }

  /// Returns a condition that is true if a regular expression matches the entire text.
  ///
  /// ```swift
  /// Song.where { $0.isrc.matches(regex: "[A-Z]{2}[A-Z0-9]{3}[0-9]{7}") }
  /// ```
  ///
  /// The expression is in the syntax of Swift's `Regex`. All objects are read that the rest of the condition does not
  /// exclude. A query with an invalid expression throws ``StoreError/Code/invalidQuery``. Some expressions, such as
  /// `(a+)+b`, take exponential time for some texts, so do not accept expressions from people whom you do not trust.
  public func matches(regex: String) -> Condition<Root> {
    Condition(.test(PatternTest(self, RegexPattern(regex, isWhole: true, folding: .none))))
  }

  /// Returns a condition that is true if a regular expression matches a part of the text.
  ///
  /// See ``matches(regex:)``.
  public func contains(regex: String) -> Condition<Root> {
    Condition(.test(PatternTest(self, RegexPattern(regex, isWhole: false, folding: .none))))
  }

  /// The text without case, but with accents, for comparisons: `$0.title.caseInsensitive == "ÉCOUTE"`.
  ///
  /// An index on the text does not serve these comparisons.
  public var caseInsensitive: FoldedProperty<Root> {
    let read = read
    let property = Property<Root, FoldedText?>(path: path.caseless) { object throws(StoreError) in
      try read(object).optionalText.map { FoldedText($0, .caseOnly) }
    }
    return FoldedProperty(property: property, folding: .caseOnly)
  }

  /// The text without case and accents, for comparisons: `$0.title.folded == "écoute"`.
  ///
  /// `.folded` of ``IndexPart`` is the corresponding part of an index.
  public var folded: FoldedProperty<Root> {
    let read = read
    let property = Property<Root, FoldedText?>(path: path.folded) { object throws(StoreError) in
      try read(object).optionalText.map { FoldedText($0) }
    }
    return FoldedProperty(property: property, folding: .caseAndAccents)
  }
}

/// A text property without case, and without accents if it is of ``Property/folded``.
public struct FoldedProperty<Root: StoreIdentifiable>: Sendable {
  let property: Property<Root, FoldedText?>
  let folding: Folding

  public static func == (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.equal, rhs) }
  public static func != (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.notEqual, rhs) }
  public static func < (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.less, rhs) }
  public static func <= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.lessOrEqual, rhs) }
  public static func > (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greater, rhs) }
  public static func >= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greaterOrEqual, rhs) }

  /// Returns a condition that is true if the text equals one of the values, ignoring case and accents.
  public func isIn(_ values: some Sequence<String?>) -> Condition<Root> {
    Condition(.test(ListTest(property: property, values: values.map { $0.map { FoldedText($0, folding) } })))
  }

  public func hasPrefix(_ part: String) -> Condition<Root> { matching(.prefix, part) }
  public func hasSuffix(_ part: String) -> Condition<Root> { matching(.suffix, part) }
  public func contains(_ part: String) -> Condition<Root> { matching(.contains, part) }

  /// Returns a condition that is true if the text matches a pattern of SQL's `LIKE`, which is folded, too.
  ///
  /// See ``Property/like(_:)``.
  public func like(_ pattern: String) -> Condition<Root> {
    Condition(.test(PatternTest(self, LikePattern(pattern, folding: folding))))
  }

  /// Returns a condition that is true if a regular expression matches the entire text.
  ///
  /// The text is matched without its accents if they do not count. See ``Property/matches(regex:)``.
  public func matches(regex: String) -> Condition<Root> {
    let matcher = RegexPattern(regex, isWhole: true, folding: folding)
    return Condition(.test(PatternTest(self, matcher)))
  }

  /// Returns a condition that is true if a regular expression matches a part of the text.
  ///
  /// See ``matches(regex:)``.
  public func contains(regex: String) -> Condition<Root> {
    let matcher = RegexPattern(regex, isWhole: false, folding: folding)
    return Condition(.test(PatternTest(self, matcher)))
  }

  private func compared(_ comparison: Comparison, _ value: String?) -> Condition<Root> {
    property.compared(comparison, value.map { FoldedText($0, folding) })
  }

  func matching(_ match: TextMatch, _ part: String) -> Condition<Root> {
    Condition(.test(FoldedTest(property: property, match: match, part: FoldedText(part, folding))))
  }
}

extension Property where Value: Collection & Sendable, Value.Element: OrderedValue {
  /// Returns a condition that is true if the collection contains the value.
  public func contains(_ element: Value.Element) -> Condition<Root> {
    Condition(.test(ElementTest(property: self, element: element)))
  }
}
