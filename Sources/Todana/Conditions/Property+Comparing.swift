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

  /// The text without case and accents, for comparisons: `$0.title.folded == "écoute"`.
  ///
  /// ``IndexPart/folded(_:)`` is the corresponding part of an index.
  public var folded: FoldedProperty<Root> {
    let read = read
    let property = Property<Root, FoldedText?>(path: path.folded) { object throws(StoreError) in
      try read(object).optionalText.map { FoldedText($0) }
    }
    return FoldedProperty(property: property)
  }
}

/// A text property that is compared without regard to case and accents (``Property/folded``).
public struct FoldedProperty<Root: StoreIdentifiable>: Sendable {
  let property: Property<Root, FoldedText?>

  public static func == (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.equal, rhs) }
  public static func != (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.notEqual, rhs) }
  public static func < (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.less, rhs) }
  public static func <= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.lessOrEqual, rhs) }
  public static func > (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greater, rhs) }
  public static func >= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greaterOrEqual, rhs) }

  /// Returns a condition that is true if the text equals one of the values, ignoring case and accents.
  public func isIn(_ values: some Sequence<String?>) -> Condition<Root> {
    Condition(.test(ListTest(property: property, values: values.map { $0.map { FoldedText($0) } })))
  }

  public func hasPrefix(_ part: String) -> Condition<Root> { matching(.prefix, part) }
  public func hasSuffix(_ part: String) -> Condition<Root> { matching(.suffix, part) }
  public func contains(_ part: String) -> Condition<Root> { matching(.contains, part) }

  private func compared(_ comparison: Comparison, _ value: String?) -> Condition<Root> {
    property.compared(comparison, value.map { FoldedText($0) })
  }

  private func matching(_ match: TextMatch, _ part: String) -> Condition<Root> {
    Condition(.test(FoldedTest(property: property, match: match, part: FoldedText(part))))
  }
}

extension Property where Value: Collection & Sendable, Value.Element: OrderedValue {
  /// Returns a condition that is true if the collection contains the value.
  public func contains(_ element: Value.Element) -> Condition<Root> {
    Condition(.test(ElementTest(property: self, element: element)))
  }
}

extension Property {
  /// Returns a condition that is true if the property refers to the object; for nil, if it refers to none.
  ///
  /// If the object was not inserted, the condition is false for every object.
  public static func == <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    if let rhs, rhs.anyID == nil { return .never }
    return lhs.refers(to: rhs?.anyID)
  }

  public static func != <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    !(lhs == rhs)
  }

  /// Returns a condition that is true if the property refers to the object with this identity.
  public static func == <Target: StoredObject>(
    lhs: Self, rhs: ObjectID<Target>
  ) -> Condition<Root> where Value == Target? {
    lhs.refers(to: rhs.untyped)
  }

  private func refers<Target: StoredObject>(to target: AnyObjectID?) -> Condition<Root> where Value == Target? {
    let read = read
    let test = ReferenceTest<Root>(
      path: path, isOptional: true, read: { object throws(StoreError) in try read(object) }, target: target)
    return Condition(.test(test))
  }

  /// Returns a condition that is true if the list of references contains the object.
  public func contains<Target: StoredObject>(_ object: Target) -> Condition<Root> where Value == [Target] {
    guard let target = object.anyID else { return .never }
    return Condition(.test(ReferenceListTest(property: self, target: target)))
  }

  /// Returns a condition that is true if the list of references contains the object with this identity.
  public func contains<Target: StoredObject>(_ id: ObjectID<Target>) -> Condition<Root> where Value == [Target] {
    Condition(.test(ReferenceListTest(property: self, target: id.untyped)))
  }
}

extension Property where Value: StoredObject {
  /// Returns a condition that is true if the property refers to the object.
  public static func == (lhs: Self, rhs: Value) -> Condition<Root> {
    guard let target = rhs.anyID else { return .never }
    let read = lhs.read
    let test = ReferenceTest<Root>(
      path: lhs.path, isOptional: false, read: { object throws(StoreError) in try read(object) }, target: target)
    return Condition(.test(test))
  }

  public static func != (lhs: Self, rhs: Value) -> Condition<Root> { !(lhs == rhs) }
}
