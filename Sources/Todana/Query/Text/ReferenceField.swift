/// A field of a reference to an object.
struct ReferenceField<Root: StoredObject>: FieldAccess {
  let path: PropertyPath
  let isOptional: Bool
  let targetName: String
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?

  var typeName: String { "reference to \(targetName)" }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
    let isEqual = refers(toOneOf: [try target(value, 0)])
    switch comparison {
    case .equal: return isEqual
    case .notEqual: return .not(isEqual)
    default: throw FieldProblem(message: "a \(typeName) can only be compared by = and !=", place: .operation)
    }
  }

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
    var targets: [AnyObjectID?] = []
    for (position, value) in values.enumerated() { targets.append(try target(value, position)) }
    return refers(toOneOf: targets)
  }

  private func target(_ value: Any?, _ position: Int) throws(FieldProblem) -> AnyObjectID? {
    try converted(value, to: AnyObjectID?.self, position) ?? nil
  }

  private func refers(toOneOf targets: [AnyObjectID?]) -> ConditionNode {
    let test = ReferenceTest<Root>(path: path, isOptional: isOptional, read: read, targets: targets)
    return test.targets.isEmpty && !test.acceptsNil ? .never : .test(test)
  }
}
