#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Turns the expressions of a predicate about objects into conditions of a query.
///
/// Each kind of expression says itself what it is: ``ConditionExpression``, ``PropertyExpression``. What is none of
/// them is evaluated for each object (``EvaluationTest``).
struct PredicateTranslation<Root: StoreIdentifiable> {
  /// What stands for the object.
  let variable: PredicateExpressions.Variable<Root>
  let problem: PredicateProblem

  /// The condition that an expression is.
  func node<Expression: PredicateExpression<Bool>>(_ expression: Expression) -> ConditionNode {
    if let condition = expression as? any ConditionExpression, let node = condition.node(self) { return node }
    if let holds = constant(expression) { return holds ? .always : .never }
    var preparation = PredicatePreparation(self)
    preparation.visit(expression)
    return .test(
      EvaluationTest(
        expression: expression, variable: variable, paths: preparation.paths, preparations: preparation.steps))
  }

  /// The property that an expression is; nil if it is none.
  func property<Expression: PredicateExpression>(_ expression: Expression) -> Property<Root, Expression.Output>? {
    func property<Opened: PropertyExpression>(of expression: Opened) -> Any? { expression.property(self) }
    guard let expression = expression as? any PropertyExpression else { return nil }
    return property(of: expression) as? Property<Root, Expression.Output>
  }

  /// The value of an expression that asks nothing of the object; nil if it asks.
  func constant<Expression: PredicateExpression>(_ expression: Expression) -> Expression.Output? {
    if let value = expression as? PredicateExpressions.Value<Expression.Output> { return value.value }
    // Without the object, what asks for it throws.
    return try? expression.evaluate(PredicateBindings())
  }
}

/// What is wrong with a predicate, for the query to throw.
final class PredicateProblem {
  var message: String?
}

/// An expression that is a condition.
protocol ConditionExpression {
  /// nil if it is one that has to be evaluated.
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode?
}

/// An expression that is a property of the object, or of one that it refers to.
protocol PropertyExpression: PredicateExpression {
  /// nil if it is the property of something else.
  func property<Root>(_ translation: PredicateTranslation<Root>) -> Property<Root, Output>?
}
