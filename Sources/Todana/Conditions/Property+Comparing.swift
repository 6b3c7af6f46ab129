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

  /// Whether the property is one of the values.
  public func isIn(_ values: some Sequence<Value>) -> Condition<Root> {
    Condition(.test(ListTest(property: self, values: values)))
  }

  /// Whether the property is at least the range's first value and below its end.
  public func isIn(_ range: Range<Value>) -> Condition<Root> where Value: Comparable {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether the property is between the range's first and last value.
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
  /// Whether the optional property is at least the range's first value and below its end.
  public func isIn<Wrapped>(_ range: Range<Wrapped>) -> Condition<Root>
  where Value == Wrapped?, Wrapped: OrderedValue & Comparable {
    self >= range.lowerBound && self < range.upperBound
  }

  /// Whether the optional property is between the range's first and last value.
  public func isIn<Wrapped>(_ range: ClosedRange<Wrapped>) -> Condition<Root>
  where Value == Wrapped?, Wrapped: OrderedValue & Comparable {
    self >= range.lowerBound && self <= range.upperBound
  }
}

extension Property where Value: OptionalText {
  /// Whether the text begins with another, by bytes.
  public func hasPrefix(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .prefix, part: part)))
  }

  /// Whether the text ends in another, by bytes.
  public func hasSuffix(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .suffix, part: part)))
  }

  /// Whether another text stands somewhere in the text, by bytes.
  public func contains(_ part: String) -> Condition<Root> {
    Condition(.test(TextTest(property: self, match: .contains, part: part)))
  }

  /// The text without case and accents, to be compared with others: `$0.title.folded == "écoute"`.
  ///
  /// An index has it as ``IndexPart/folded(_:)``.
  public var folded: FoldedProperty<Root> {
    let read = read
    let property = Property<Root, FoldedText?>(path: path.folded) { object throws(StoreError) in
      try read(object).optionalText.map { FoldedText($0) }
    }
    return FoldedProperty(property: property)
  }
}

/// A text property without case and accents.
public struct FoldedProperty<Root: StoreIdentifiable>: Sendable {
  let property: Property<Root, FoldedText?>

  public static func == (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.equal, rhs) }
  public static func != (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.notEqual, rhs) }
  public static func < (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.less, rhs) }
  public static func <= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.lessOrEqual, rhs) }
  public static func > (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greater, rhs) }
  public static func >= (lhs: Self, rhs: String?) -> Condition<Root> { lhs.compared(.greaterOrEqual, rhs) }

  /// Whether the text is one of the values, whatever their case and accents.
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
  /// Whether the collection has the value in it.
  public func contains(_ element: Value.Element) -> Condition<Root> {
    Condition(.test(ElementTest(property: self, element: element)))
  }
}

extension Property {
  /// Whether the property refers to the object, or, of nil, to none.
  ///
  /// An object that was not inserted is referred to by none.
  public static func == <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    if let rhs, rhs.anyID == nil { return .never }
    return lhs.refers(to: rhs?.anyID)
  }

  public static func != <Target: StoredObject>(lhs: Self, rhs: Target?) -> Condition<Root> where Value == Target? {
    !(lhs == rhs)
  }

  /// Whether the property refers to the object with this identity.
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

  /// Whether the list of references has the object in it.
  public func contains<Target: StoredObject>(_ object: Target) -> Condition<Root> where Value == [Target] {
    guard let target = object.anyID else { return .never }
    return Condition(.test(ReferenceListTest(property: self, target: target)))
  }

  /// Whether the list of references has the object with this identity in it.
  public func contains<Target: StoredObject>(_ id: ObjectID<Target>) -> Condition<Root> where Value == [Target] {
    Condition(.test(ReferenceListTest(property: self, target: id.untyped)))
  }
}

extension Property where Value: StoredObject {
  /// Whether the property refers to the object.
  public static func == (lhs: Self, rhs: Value) -> Condition<Root> {
    guard let target = rhs.anyID else { return .never }
    let read = lhs.read
    let test = ReferenceTest<Root>(
      path: lhs.path, isOptional: false, read: { object throws(StoreError) in try read(object) }, target: target)
    return Condition(.test(test))
  }

  public static func != (lhs: Self, rhs: Value) -> Condition<Root> { !(lhs == rhs) }
}
