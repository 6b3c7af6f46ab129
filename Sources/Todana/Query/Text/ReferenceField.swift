/// A field of a reference to an object.
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
    default: throw FieldProblem(message: "a \(typeName) can only be compared by = and !=", place: .operation)
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
