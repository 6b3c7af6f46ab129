#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The translation of a predicate's expressions into conditions of a query.
///
/// Each type of expression declares its role: ``ConditionExpression`` or ``PropertyExpression``. Any other expression
/// is evaluated for each object (``EvaluationTest``).
struct PredicateTranslation<Root: StoreIdentifiable> {
  /// The variable that stands for the object.
  let variable: PredicateExpressions.Variable<Root>
  let problem: PredicateProblem

  /// Returns the condition that an expression represents.
  func node<Expression: PredicateExpression<Bool>>(_ expression: Expression) -> ConditionNode {
    if let condition = expression as? any ConditionExpression, let node = condition.node(self) { return node }
    if let holds = constant(expression) { return holds ? .always : .never }
    var preparation = PredicatePreparation(self)
    preparation.visit(expression)
    return .test(
      EvaluationTest(
        expression: expression, variable: variable, paths: preparation.paths, preparations: preparation.steps))
  }

  /// Returns the property that an expression represents; nil if it represents none.
  func property<Expression: PredicateExpression>(_ expression: Expression) -> Property<Root, Expression.Output>? {
    func property<Opened: PropertyExpression>(of expression: Opened) -> Any? { expression.property(self) }
    guard let expression = expression as? any PropertyExpression else { return nil }
    return property(of: expression) as? Property<Root, Expression.Output>
  }

  /// Returns the value of an expression that does not depend on the object; nil if it does.
  func constant<Expression: PredicateExpression>(_ expression: Expression) -> Expression.Output? {
    if let value = expression as? PredicateExpressions.Value<Expression.Output> { return value.value }
    // An expression that depends on the object throws, because there is none.
    return try? expression.evaluate(PredicateBindings())
  }
}

/// The error in a predicate, which the query throws.
final class PredicateProblem {
  var message: String?
}

/// An expression that represents a condition.
protocol ConditionExpression {
  /// Returns the condition; nil if the expression has to be evaluated.
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode?
}

/// An expression that represents a property of the object, or of an object that it refers to.
protocol PropertyExpression: PredicateExpression {
  /// Returns the property; nil if it is not a property of such an object.
  func property<Root>(_ translation: PredicateTranslation<Root>) -> Property<Root, Output>?
}
