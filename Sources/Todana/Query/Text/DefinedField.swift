#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A field of the texts of queries whose conditions a program defines, for classes without declared fields.
///
/// ```swift
/// let query = try Query<Document>(text: "[age] > ?", arguments: [20]) { path in DocumentField(path) }
/// ```
public protocol DefinedField<Root>: Sendable {
  associatedtype Root: StoredObject

  /// The name of the field's type for people, such as `value`.
  var typeName: String { get }

  /// Returns the condition for an operation.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - values: Its values, without optionals around them; nil is `NULL`. `isIn` has any number of them, `isTrue` and
  ///     `isOfType` have none, `between` has two, all others one.
  ///   - ignoring: The differences between texts that do not count.
  /// - Returns: The condition.
  /// - Throws: ``FieldRefusal`` for an operation or a value that the field does not accept.
  func condition(
    _ operation: FieldOperation, _ values: [Any?], ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Condition<Root>

  /// Returns a query sorted by the field, after its other sort keys.
  ///
  /// - Throws: ``FieldRefusal`` if objects cannot be sorted by the field.
  func sorting(
    _ query: Query<Root>, _ order: SortOrder, ignoring: IgnoredDifferences
  ) throws(FieldRefusal) -> Query<Root>
}

/// An operation on a field in the text of a query (``DefinedField``).
@nonexhaustive
public enum FieldOperation: Sendable, Equatable {
  case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  case contains, beginsWith, endsWith
  /// The operation `LIKE`: a pattern with `%` and `_`.
  case like
  /// The operation `MATCHES`: a regular expression that matches the entire text.
  case matches
  /// The operation `SEARCH`: words that a person typed (``TextExpression/init(typed:)``).
  case search
  case isIn
  /// The operation `BETWEEN`, with two values: one value of the field is in the range, which includes them.
  case between
  /// The field alone, as a condition.
  case isTrue
  /// The operation `IS` with a word other than `NULL`, in upper case; or `EXISTS`, alone.
  case isOfType(String)
}

/// The reason why a field does not accept an operation or a value (``DefinedField``).
public struct FieldRefusal: Error, Sendable {
  public let message: String
  /// The position of the value among those of the operation; nil if the operation is the reason.
  public let valuePosition: Int?

  public init(_ message: String, valuePosition: Int? = nil) {
    self.message = message
    self.valuePosition = valuePosition
  }
}

extension Query {
  /// Reads the text of a condition on fields that the program defines.
  ///
  /// The grammar is that of <doc:QueryText>, with these additions: a field is any text in brackets, with
  /// pairs of brackets in it; it may be tested by `EXISTS` and by `IS` with a word. A backslash takes the meaning from the
  /// character after it. `[c]` and `[i]` stand directly after an operator, a field after a space.
  ///
  /// - Parameters:
  ///   - text: The condition; nil for all objects.
  ///   - arguments: The values of the question marks.
  ///   - sorts: The fields to sort by: `[last_name], [age] DESC, [title][c]`.
  ///   - words: Fields that are written without brackets, by name.
  ///   - field: Returns the field of a name, which is the text in brackets.
  /// - Throws: ``QueryTextError``.
  public init<Field: DefinedField>(
    text: String?, arguments: [(any Sendable)?] = [], sorts: String? = nil, words: [String: Field] = [:],
    field: (String) -> Field
  ) throws(QueryTextError) where Field.Root == T {
    self.init(.always)
    let words = words.mapValues { DefinedFieldAccess(field: $0) as any FieldAccess }
    if let text {
      var reader = try QueryTextReader(bracketed: text, of: T.self, arguments: arguments, words: words) {
        DefinedFieldAccess(field: field($0))
      }
      specification.condition = try reader.readCondition()
    } else if !arguments.isEmpty {
      throw QueryTextError(.wrongArgumentCount, "There are arguments, but no text.", in: "", at: 0)
    }
    guard let sorts else { return }
    var reader = try QueryTextReader(bracketed: sorts, of: T.self, arguments: [], words: words) {
      DefinedFieldAccess(field: field($0))
    }
    specification.sortKeys = try reader.readSortKeys()
  }
}

/// The operations of texts on a field that a program defines.
struct DefinedFieldAccess<Field: DefinedField>: FieldAccess {
  let field: Field

  var typeName: String { field.typeName }

  func isProperty(of type: StoredObject.Type) -> Bool { type is Field.Root.Type }

  func compared(_ comparison: Comparison, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    let operation: FieldOperation =
      switch comparison {
      case .equal: .equal
      case .notEqual: .notEqual
      case .less: .less
      case .lessOrEqual: .lessOrEqual
      case .greater: .greater
      case .greaterOrEqual: .greaterOrEqual
      }
    return try node(operation, [value], folding)
  }

  func isBetween(_ lower: Any?, _ upper: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try node(.between, [lower, upper], folding)
  }

  func isIn(_ values: [Any?], _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    try node(.isIn, values, folding)
  }

  func matching(_ operation: TextOperation, _ value: Any?, _ folding: Folding) throws(FieldProblem) -> ConditionNode {
    let operation: FieldOperation =
      switch operation {
      case .match(.contains): .contains
      case .match(.prefix): .beginsWith
      case .match(.suffix): .endsWith
      case .like: .like
      case .regex: .matches
      case .search: .search
      }
    return try node(operation, [value], folding)
  }

  func isTrue() throws(FieldProblem) -> ConditionNode { try node(.isTrue, [], .none) }

  func isOfType(_ word: String) throws(FieldProblem) -> ConditionNode { try node(.isOfType(word), [], .none) }

  func sortKey(_ order: SortOrder, _ folding: Folding) throws(FieldProblem) -> SortKey {
    do throws(FieldRefusal) {
      let query = try field.sorting(Query<Field.Root>(where: .always), order, ignoring: folding.ignored)
      if let key = query.specification.sortKeys.first { return key }
    } catch {
      throw FieldProblem(error)
    }
    throw FieldProblem(message: "a \(typeName) cannot be sorted by", place: .operation)
  }

  private func node(
    _ operation: FieldOperation, _ values: [Any?], _ folding: Folding
  ) throws(FieldProblem) -> ConditionNode {
    var converted: [Any?] = []
    for (position, value) in values.enumerated() { converted.append(try number(value, position) ?? value) }
    do throws(FieldRefusal) {
      let node = try field.condition(operation, converted, ignoring: folding.ignored).node
      if let problem = node.problem { throw FieldRefusal(problem, valuePosition: values.isEmpty ? nil : 0) }
      return node
    } catch {
      throw FieldProblem(error)
    }
  }
}

/// Converts a number of a text to an `Int64` if it is whole, or else to a `Double`; returns nil for other values.
private func number(_ value: Any?, _ position: Int) throws(FieldProblem) -> Any? {
  guard let literal = value as? NumberLiteral else { return nil }
  if literal.isWhole, let integer = Int64(literal.digits) { return integer }
  guard let number = Double(literal.digits), number.isFinite, !literal.isWhole || number.isExactly(literal.digits)
  else {
    throw FieldProblem(message: "the number \(literal.digits) has no exact value of 64 bits", place: .value(position))
  }
  return number
}

extension Double {
  /// Tests whether the number has the value of the digits of an integer.
  fileprivate func isExactly(_ digits: String) -> Bool { Decimal(string: digits) == Decimal(self) }
}

extension FieldProblem {
  fileprivate init(_ refusal: FieldRefusal) {
    self.init(message: refusal.message, place: refusal.valuePosition.map { .value($0) } ?? .operation)
  }
}

extension Folding {
  fileprivate var ignored: IgnoredDifferences {
    switch self {
    case .none: .nothing
    case .caseOnly: .letterCase
    case .caseAndAccents: .caseAndAccents
    }
  }
}
