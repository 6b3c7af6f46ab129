/// A field of a value with an order.
struct ValueField<Root: StoredObject, Value: OrderedValue>: FieldAccess {
  let property: Property<Root, Value>
  let keyPath: any KeyPath<Root, Value> & Sendable
  /// The references that a computed property reads; nil if they were not declared.
  let loading: [any PartialKeyPath<Root> & Sendable]?

  init(_ keyPath: any KeyPath<Root, Value> & Sendable, loading: [any PartialKeyPath<Root> & Sendable]?) {
    property = Property(keyPath, loading: loading)
    self.keyPath = keyPath
    self.loading = loading
  }

  var typeName: String { plainName(of: Value.self) }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    guard let value = try self.value(of: value) else { return comparison.withAbsent }
    return property.compared(comparison, value).node
  }

  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode {
    if let other = other as? ValueField<Root, Value> {
      return .test(PropertyTest(left: property, comparison: comparison, right: other.property))
    }
    throw FieldProblem(
      message: "a \(typeName) can only be compared with a field of the same type, not with a \(other.typeName)",
      place: .value(0))
  }

  func isIn(_ values: [Any?], isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    var all: [Value] = []
    for (position, value) in values.enumerated() {
      if let value = try self.value(of: value, position) { all.append(value) }
    }
    return .test(ListTest(property: property, values: all))
  }

  func isTrue() throws(FieldProblem) -> ConditionNode {
    guard let isTrue = true as? Value, Value.self is Bool.Type || Value.self is Bool?.Type else {
      throw FieldProblem(message: "only a Bool can be a condition by itself, not a \(typeName)", place: .operation)
    }
    return property.compared(.equal, isTrue).node
  }

  func sortKey(_ order: SortOrder, isFolded: Bool) throws(FieldProblem) -> SortKey {
    try checkIsNotFolded(isFolded)
    return SortKey(keyPath, order, loading: loading)
  }

  /// Converts a value to the field's type; returns nil for NULL if the type has no nil.
  func value(of value: Any?, _ position: Int = 0) throws(FieldProblem) -> Value? {
    try converted(value, to: Value.self, position)
  }
}

/// A field of a text.
struct TextField<Root: StoredObject, Value: OptionalText>: FieldAccess {
  let plain: ValueField<Root, Value>

  var typeName: String { plain.typeName }

  func isProperty(of type: StoredObject.Type) -> Bool { plain.isProperty(of: type) }

  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    guard isFolded else { return try plain.compared(comparison, value, isFolded: false) }
    let text = try converted(value, to: String?.self, 0) ?? nil
    return folded.compared(comparison, text.map { FoldedText($0) }).node
  }

  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode {
    try plain.compared(comparison, with: (other as? TextField<Root, Value>)?.plain ?? other)
  }

  func isIn(_ values: [Any?], isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    guard isFolded else { return try plain.isIn(values, isFolded: false) }
    var all: [FoldedText?] = []
    for (position, value) in values.enumerated() {
      let text = try converted(value, to: String?.self, position) ?? nil
      all.append(text.map { FoldedText($0) })
    }
    return .test(ListTest(property: folded, values: all))
  }

  func matching(_ match: TextMatch, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    guard let part = try converted(value, to: String.self, 0) else {
      throw FieldProblem(message: "\(match.keyword) needs a text, not NULL", place: .value(0))
    }
    if isFolded { return .test(FoldedTest(property: folded, match: match, part: FoldedText(part))) }
    return .test(TextTest(property: plain.property, match: match, part: part))
  }

  func sortKey(_ order: SortOrder, isFolded: Bool) throws(FieldProblem) -> SortKey {
    isFolded
      ? SortKey(folding: plain.keyPath, order, loading: plain.loading)
      : SortKey(plain.keyPath, order, loading: plain.loading)
  }

  private var folded: Property<Root, FoldedText?> { plain.property.folded.property }
}
