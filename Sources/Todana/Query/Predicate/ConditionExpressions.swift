#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension PredicateExpressions.Conjunction: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    .joinAll([translation.node(lhs), translation.node(rhs)])
  }
}

extension PredicateExpressions.Disjunction: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    .joinAny([translation.node(lhs), translation.node(rhs)])
  }
}

extension PredicateExpressions.Negation: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? { .not(translation.node(wrapped)) }
}

extension PredicateExpressions.Comparison: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    switch op {
    case .lessThan: translation.compared(lhs, .less, rhs)
    case .lessThanOrEqual: translation.compared(lhs, .lessOrEqual, rhs)
    case .greaterThan: translation.compared(lhs, .greater, rhs)
    case .greaterThanOrEqual: translation.compared(lhs, .greaterOrEqual, rhs)
    @unknown default: nil
    }
  }
}

extension PredicateExpressions.Equal: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    if let node = translation.compared(lhs, .equal, rhs) { return node }
    // `$0.genre?.contains("x") == true`
    guard let optional = lhs as? any OptionalConditionExpression, translation.constant(rhs) as? Bool == true else {
      return nil
    }
    return optional.nodeOfTrue(translation)
  }
}

extension PredicateExpressions.NotEqual: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    translation.compared(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.NilCoalesce: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    // `$0.genre?.contains("x") ?? false`
    guard translation.constant(rhs) as? Bool == false else { return nil }
    if let optional = lhs as? any OptionalConditionExpression { return optional.nodeOfTrue(translation) }
    guard let property = translation.property(lhs) as? Property<Root, Bool?> else { return nil }
    return property.compared(.equal, true).node
  }
}

extension PredicateExpressions.KeyPath: ConditionExpression {
  func node<Object>(_ translation: PredicateTranslation<Object>) -> ConditionNode? {
    (translation.property(self) as? Property<Object, Bool>)?.condition.node
  }
}

/// An optional expression that can be translated to a condition.
protocol OptionalConditionExpression {
  /// Returns the condition that the expression is true and not nil; nil if the expression has to be evaluated.
  func nodeOfTrue<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode?
}

extension PredicateExpressions.OptionalFlatMap: OptionalConditionExpression {
  func nodeOfTrue<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    guard let match = transform as? any TextPropertyExpression, match.isAbout(variable.key), let part = match.part,
      let text = translation.property(wrapped) as? Property<Root, String?>
    else { return nil }
    return .test(TextTest(property: text, match: match.match, part: part))
  }
}
