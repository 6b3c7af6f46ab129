internal import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A part of a predicate that is evaluated by Foundation, because no other test is equivalent.
///
/// Safe to share: a predicate is `Sendable`, and so are the parts that it consists of.
@safe
struct EvaluationTest<Root: StoreIdentifiable, Expression: PredicateExpression<Bool>>: ConditionTest,
  @unchecked Sendable
{
  let expression: Expression
  let variable: PredicateExpressions.Variable<Root>
  let paths: [PropertyPath]
  /// The steps that load the objects which the expression reads.
  let preparations: [@Sendable (Root) throws(StoreError) -> Void]
  /// The number that distinguishes the test from others.
  private let number = evaluationTestCount.add(1, ordering: .relaxed).newValue

  init(
    expression: Expression, variable: PredicateExpressions.Variable<Root>, paths: [PropertyPath],
    preparations: [@Sendable (Root) throws(StoreError) -> Void]
  ) {
    self.expression = expression
    self.variable = variable
    self.paths = paths
    self.preparations = preparations
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let root = unsafe unsafeDowncast(object, to: Root.self)
    for prepare in preparations { try prepare(root) }
    do {
      return try expression.evaluate(PredicateBindings((variable, root)))
    } catch {
      throw StoreError(
        .invalidQuery, "The predicate of the query cannot be evaluated for an object.", underlying: error)
    }
  }

  var looksAtOtherObjects: Bool { !preparations.isEmpty || paths.contains(where: \.leadsToOtherObjects) }
  // The result for nil is known only after an evaluation.
  var holdsForAbsent: Bool? { nil }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array("\(number)".utf8) }

  var signature: String { "predicate \(expression)" }

  var description: String {
    let text = "\(expression)"
    return "predicate \(text.prefix(200))\(text.count > 200 ? "…" : "")"
  }
}

private let evaluationTestCount = Atomic(0)
