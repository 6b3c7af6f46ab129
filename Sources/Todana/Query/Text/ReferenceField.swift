/// A field of a reference to an object.
struct ReferenceField<Root: StoredObject>: FieldAccess {
  let path: PropertyPath
  let isOptional: Bool
  let target: StoredObject.Type
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?

  var typeName: String { "reference to \(target)" }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
    let isEqual = refers(toOneOf: [try id(value, 0)])
    switch comparison {
    case .equal: return isEqual
    case .notEqual: return .not(isEqual)
    default: throw FieldProblem(message: "a \(typeName) can only be compared by = and !=", place: .operation)
    }
  }

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
    var targets: [AnyObjectID?] = []
    for (position, value) in values.enumerated() { targets.append(try id(value, position)) }
    return refers(toOneOf: targets)
  }

  private func id(_ value: Any?, _ position: Int) throws(FieldProblem) -> AnyObjectID? {
    try converted(value, to: AnyObjectID?.self, position) ?? nil
  }

  private func refers(toOneOf targets: [AnyObjectID?]) -> ConditionNode {
    let targets = ReferenceTargets(isOptional ? targets : targets.filter { $0 != nil }, of: target)
    if targets.isEmpty { return .never }
    return .test(ReferenceTest<Root>(path: path, isOptional: isOptional, read: read, targets: targets))
  }
}
