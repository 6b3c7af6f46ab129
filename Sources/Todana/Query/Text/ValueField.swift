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

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
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

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
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

  func sortKey(_ order: SortOrder, _ folding: Folding) throws(FieldProblem) -> SortKey {
    try checkIsNotFolded(folding)
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

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    guard let folded = folded(folding) else { return try plain.compared(comparison, value, .none) }
    let text = try converted(value, to: String?.self, 0) ?? nil
    return folded.property.compared(comparison, text.map { FoldedText($0, folding) }).node
  }

  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode {
    try plain.compared(comparison, with: (other as? TextField<Root, Value>)?.plain ?? other)
  }

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    guard let folded = folded(folding) else { return try plain.isIn(values, .none) }
    var all: [String?] = []
    for (position, value) in values.enumerated() { all.append(try converted(value, to: String?.self, position) ?? nil) }
    return folded.isIn(all).node
  }

  func matching(_ operation: TextOperation, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    guard let part = try converted(value, to: String.self, 0) else {
      throw FieldProblem(message: "\(operation.keyword) needs a text, not NULL", place: .value(0))
    }
    let node: ConditionNode
    switch operation {
    case .match(let match):
      node =
        folded(folding)?.matching(match, part).node
        ?? .test(TextTest(property: plain.property, match: match, part: part))
    case .like: node = (folded(folding)?.like(part) ?? plain.property.like(part)).node
    case .regex: node = (folded(folding)?.matches(regex: part) ?? plain.property.matches(regex: part)).node
    case .search:
      guard folding == .none else {
        throw FieldProblem(message: "SEARCH never counts case and accents; omit \(folding.mark)", place: .operation)
      }
      node = text.matches(part).node
    }
    if let problem = node.problem { throw FieldProblem(message: problem, place: .value(0)) }
    return node
  }

  func sortKey(_ order: SortOrder, _ folding: Folding) throws(FieldProblem) -> SortKey {
    switch folding {
    case .none: return SortKey(plain.keyPath, order, loading: plain.loading)
    case .caseAndAccents: return SortKey(folding: plain.keyPath, order, loading: plain.loading)
    case .caseOnly: throw FieldProblem(message: "texts are sorted by [c], not by [i]", place: .operation)
    }
  }

  /// The property as an optional text.
  private var text: Property<Root, String?> {
    let read = plain.property.read
    return Property(path: plain.property.path) { object throws(StoreError) in try read(object).optionalText }
  }

  /// Returns the property without case, or without case and accents; nil if nothing is ignored.
  private func folded(_ folding: Folding) -> FoldedProperty<Root>? {
    switch folding {
    case .none: nil
    case .caseOnly: plain.property.caseInsensitive
    case .caseAndAccents: plain.property.folded
    }
  }
}
