#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension PredicateExpressions.SequenceContains: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    if let property = translation.property(element), let values = translation.constant(sequence) {
      return translation.isIn(property, values)
    }
    guard let property = translation.property(sequence), let value = translation.constant(element) else { return nil }
    return translation.contains(property, value)
  }
}

extension PredicateExpressions.RangeExpressionContains: ConditionExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    guard let property = translation.property(element), let range = translation.constant(range) as? any BoundedRange
    else { return nil }
    var nodes: [ConditionNode] = []
    for (comparison, bound) in range.bounds {
      guard let bound = bound as? Element.Output, let node = translation.compared(property, comparison, bound) else {
        return nil
      }
      nodes.append(node)
    }
    return .joinAll(nodes)
  }
}

/// A range, as the comparisons that its elements must pass.
private protocol BoundedRange { var bounds: [(Comparison, Any)] { get } }

extension Range: BoundedRange {
  fileprivate var bounds: [(Comparison, Any)] { [(.greaterOrEqual, lowerBound), (.less, upperBound)] }
}

extension ClosedRange: BoundedRange {
  fileprivate var bounds: [(Comparison, Any)] { [(.greaterOrEqual, lowerBound), (.lessOrEqual, upperBound)] }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate var bounds: [(Comparison, Any)] { [(.greaterOrEqual, lowerBound)] }
}

extension PartialRangeUpTo: BoundedRange {
  fileprivate var bounds: [(Comparison, Any)] { [(.less, upperBound)] }
}

extension PartialRangeThrough: BoundedRange {
  fileprivate var bounds: [(Comparison, Any)] { [(.lessOrEqual, upperBound)] }
}

/// An expression that searches for one text in another.
protocol TextPropertyExpression: ConditionExpression {
  associatedtype Text: PredicateExpression
  /// The text that is searched.
  var text: Text { get }
  var match: TextMatch { get }
  /// The text that is searched for; nil if it is not a constant text.
  var part: String? { get }
}

extension TextPropertyExpression {
  func node<Root>(_ translation: PredicateTranslation<Root>) -> ConditionNode? {
    guard let part, let property = translation.property(text) as? Property<Root, String> else { return nil }
    return .test(TextTest(property: property, match: match, part: part))
  }

  /// Tests whether the searched text is the variable itself.
  func isAbout(_ key: PredicateExpressions.VariableID) -> Bool {
    (text as? PredicateExpressions.Variable<String>)?.key == key
  }
}

extension PredicateExpressions.SequenceStartsWith: ConditionExpression, TextPropertyExpression {
  var text: Base { base }
  var match: TextMatch { .prefix }
  var part: String? { try? prefix.evaluate(PredicateBindings()) as? String }
}

extension PredicateExpressions.CollectionContainsCollection: ConditionExpression, TextPropertyExpression {
  var text: Base { base }
  var match: TextMatch { .contains }
  var part: String? { try? other.evaluate(PredicateBindings()) as? String }
}
