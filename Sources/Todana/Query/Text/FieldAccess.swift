/// What a text does with a field, whatever its type is.
protocol FieldAccess: Sendable {
  /// For people: `UInt32`, `String?`, `list of String`.
  var typeName: String { get }

  /// Whether objects of a class have it.
  func isProperty(of type: StoredObject.Type) -> Bool

  /// The field compared with a value that may be of any type; nil is NULL.
  func compared(_ comparison: Comparison, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode

  /// The field compared with another one of the same object.
  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode

  /// Whether the field is one of several values.
  func isIn(_ values: [Any?], isFolded: Bool) throws(FieldProblem) -> ConditionNode

  /// Whether the field contains, begins with or ends in a value.
  func matching(_ match: TextMatch, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode

  /// Whether the field is true.
  func isTrue() throws(FieldProblem) -> ConditionNode

  func sortKey(_ order: SortOrder, isFolded: Bool) throws(FieldProblem) -> SortKey
}

/// Why a field does not take an operator or a value; who reads the text knows where that stands.
struct FieldProblem: Error {
  let message: String
  let place: Place

  enum Place {
    case operation
    /// The value, or the one of several with this number.
    case value(Int)
  }
}

extension FieldAccess {
  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) is not compared with another field", place: .operation)
  }

  func isIn(_ values: [Any?], isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) is not compared by IN", place: .operation)
  }

  func matching(_ match: TextMatch, _ value: Any?, isFolded: Bool) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(
      message: "\(match.keyword) is for texts\(match == .contains ? " and lists" : ""), not for a \(typeName)",
      place: .operation)
  }

  func isTrue() throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "only a Bool is a condition by itself, not a \(typeName)", place: .operation)
  }

  func sortKey(_ order: SortOrder, isFolded: Bool) throws(FieldProblem) -> SortKey {
    throw FieldProblem(message: "nothing is sorted by a \(typeName)", place: .operation)
  }

  /// Refuses `[c]`.
  func checkIsNotFolded(_ isFolded: Bool) throws(FieldProblem) {
    if isFolded { throw FieldProblem(message: "[c] is for texts, not for a \(typeName)", place: .operation) }
  }
}

extension TextMatch {
  /// What stands for it in a text.
  var keyword: String {
    switch self {
    case .contains: "CONTAINS"
    case .prefix: "BEGINSWITH"
    case .suffix: "ENDSWITH"
    }
  }
}

extension Comparison {
  /// What it says of all values that are there, compared with NULL.
  var withAbsent: ConditionNode { self == .notEqual ? .always : .never }
}
