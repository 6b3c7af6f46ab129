/// A field of collections of values.
struct ElementsField<Root: StoredObject, Elements: Collection & Sendable>: FieldAccess
where Elements.Element: OrderedValue {
  let property: Property<Root, Elements>

  var typeName: String { "list of \(plainName(of: Elements.Element.self))" }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) is asked by CONTAINS only", place: .operation)
  }

  func matching(_ match: TextMatch, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    guard match == .contains else {
      throw FieldProblem(message: "a \(typeName) is asked by CONTAINS only", place: .operation)
    }
    guard let element = try converted(value, to: Elements.Element.self, 0) else { return .never }
    return .test(ElementTest(property: property, element: element))
  }
}

/// A field that refers to an object.
struct ReferenceField<Root: StoredObject>: FieldAccess {
  let path: PropertyPath
  let isOptional: Bool
  let targetName: String
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?

  var typeName: String { "reference to \(targetName)" }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    let isEqual = try refers(to: value, 0)
    switch comparison {
    case .equal: return isEqual
    case .notEqual: return .not(isEqual)
    default: throw FieldProblem(message: "a \(typeName) is compared by = and != only", place: .operation)
    }
  }

  func isIn(_ values: [Any?], isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    var nodes: [ConditionNode] = []
    for (position, value) in values.enumerated() { nodes.append(try refers(to: value, position)) }
    return .joinAny(nodes)
  }

  private func refers(to value: Any?, _ position: Int) throws(FieldProblem) -> ConditionNode {
    let target = try converted(value, to: AnyObjectID?.self, position) ?? nil
    if target == nil, !isOptional { return .never }
    return .test(ReferenceTest<Root>(path: path, isOptional: isOptional, read: read, target: target))
  }
}

/// A field of lists of references to objects.
struct ReferenceListField<Root: StoredObject, Target: StoredObject>: FieldAccess {
  let property: Property<Root, [Target]>

  var typeName: String { "list of references to \(Target.self)" }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) is asked by CONTAINS only", place: .operation)
  }

  func matching(_ match: TextMatch, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(isFolded)
    guard match == .contains else {
      throw FieldProblem(message: "a \(typeName) is asked by CONTAINS only", place: .operation)
    }
    guard let target = try converted(value, to: AnyObjectID.self, 0) else { return .never }
    return .test(ReferenceListTest(property: property, target: target))
  }
}
