/// The operations of texts on a field of any type.
protocol FieldAccess: Sendable {
  /// The name of the type for people: `UInt32`, `String?`, `list of String`.
  var typeName: String { get }

  /// Tests whether objects of a class have the field.
  func isProperty(of type: StoredObject.Type) -> Bool

  /// Returns the comparison of the field with a value of any type; nil is NULL.
  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode

  /// Returns the condition that the field is in a range that includes its bounds.
  func isBetween(_ lower: Any?, _ upper: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode

  /// Returns the comparison of the field with another field of the same object.
  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode

  /// Returns the condition that the field equals one of several values.
  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode

  /// Returns the condition that the field contains, begins with, ends with or matches a value.
  func matching(_ operation: TextOperation, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode

  /// Returns the condition that the field is true.
  func isTrue() throws(FieldProblem) -> ConditionNode

  /// Returns the condition that the field's value is of a type that a word names.
  func isOfType(_ word: String) throws(FieldProblem) -> ConditionNode

  func sortKey(_ order: SortOrder, _ folding: Folding) throws(FieldProblem) -> SortKey
}

/// The reason why a field does not accept an operator or a value.
///
/// It has no position in the text; ``QueryTextReader`` adds the position.
struct FieldProblem: Error {
  let message: String
  let place: Place

  enum Place {
    case operation
    /// The value; for several values, the one with this number.
    case value(Int)
  }
}

extension FieldAccess {
  func isBetween(_ lower: Any?, _ upper: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    let isAbove = try compared(.greaterOrEqual, lower, folding)
    do throws(FieldProblem) {
      return .joinAll([isAbove, try compared(.lessOrEqual, upper, folding)])
    } catch {
      // The first value was accepted, so that the second one is the reason.
      if case .value = error.place { throw FieldProblem(message: error.message, place: .value(1)) }
      throw error
    }
  }

  func compared(_ comparison: Comparison, with other: any FieldAccess) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) cannot be compared with another field", place: .operation)
  }

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "a \(typeName) cannot be compared by IN", place: .operation)
  }

  func matching(_ operation: TextOperation, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(
      message:
        "\(operation.keyword) is for texts\(operation == .match(.contains) ? " and lists" : ""), not for a \(typeName)",
      place: .operation)
  }

  func isTrue() throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "only a Bool can be a condition by itself, not a \(typeName)", place: .operation)
  }

  func isOfType(_ word: String) throws(FieldProblem) -> ConditionNode {
    throw FieldProblem(message: "the type of a \(typeName) is known", place: .operation)
  }

  func sortKey(_ order: SortOrder, _ folding: Folding) throws(FieldProblem) -> SortKey {
    throw FieldProblem(message: "a \(typeName) cannot be sorted by", place: .operation)
  }

  /// Throws if the operator has a `[c]` or `[i]`.
  func checkIsNotFolded(_ folding: Folding) throws(FieldProblem) {
    if folding == .none { return }
    throw FieldProblem(message: "\(folding.mark) is for texts, not for a \(typeName)", place: .operation)
  }
}

/// An operation on a text that has a keyword.
enum TextOperation: Equatable {
  case match(TextMatch)
  /// A pattern with the wildcards `%` and `_`.
  case like
  /// A regular expression that matches the entire text.
  case regex
  /// The words that a person typed.
  case search

  static let all: [TextOperation] = [.match(.contains), .match(.prefix), .match(.suffix), .like, .regex, .search]

  var keyword: String {
    switch self {
    case .match(.contains): "CONTAINS"
    case .match(.prefix): "BEGINSWITH"
    case .match(.suffix): "ENDSWITH"
    case .like: "LIKE"
    case .regex: "MATCHES"
    case .search: "SEARCH"
    }
  }
}

extension Folding {
  /// The mark after an operator.
  var mark: String {
    switch self {
    case .none: ""
    case .caseOnly: "[i]"
    case .caseAndAccents: "[c]"
    }
  }
}

extension Comparison {
  /// The result of comparing any value that is not nil with NULL.
  var withAbsent: ConditionNode { self == .notEqual ? .always : .never }
}
