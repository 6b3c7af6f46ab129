/// A field of a list of values or references, which supports `CONTAINS`.
struct ListField<Root: StoredObject, Element>: FieldAccess {
  let typeName: String
  /// A closure that returns the test for lists that contain an element.
  let containing: @Sendable (Element) -> ConditionNode

  func isProperty(of type: StoredObject.Type) -> Bool { type is Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) can only be searched by CONTAINS", place: .operation)
  }

  func matching(_ operation: TextOperation, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try checkIsNotFolded(folding)
    guard operation == .match(.contains) else {
      throw FieldProblem(message: "a \(typeName) can only be searched by CONTAINS", place: .operation)
    }
    guard let element = try converted(value, to: Element.self, 0) else { return .never }
    return containing(element)
  }
}
