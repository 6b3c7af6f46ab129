#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Whether a type is ordered is known only when the query is made, so each test casts to an ordered type.
extension PredicateTranslation {
  /// Returns a comparison of two expressions, of which one is a property and the other a property or a constant.
  ///
  /// - Returns: nil if the expressions are not of this kind, or if their type has no order.
  func compared<Left: PredicateExpression, Right: PredicateExpression>(
    _ lhs: Left, _ comparison: Comparison, _ rhs: Right
  ) -> ConditionNode? where Left.Output == Right.Output {
    guard let left = property(lhs) else {
      guard let right = property(rhs), let value = constant(lhs) else { return nil }
      return compared(right, comparison.turnedAround, value)
    }
    if let value = constant(rhs) { return compared(left, comparison, value) }
    guard let right = property(rhs) else { return nil }
    return compared(left, comparison, right)
  }

  func compared<Value>(_ property: Property<Root, Value>, _ comparison: Comparison, _ value: Value) -> ConditionNode? {
    func test<Ordered: OrderedValue>(_ type: Ordered.Type) -> ConditionNode? {
      guard let property = property as? Property<Root, Ordered>, let value = value as? Ordered else { return nil }
      return property.compared(comparison, value).node
    }
    guard let type = Value.self as? any OrderedValue.Type else { return nil }
    return test(type)
  }

  private func compared<Value>(
    _ left: Property<Root, Value>, _ comparison: Comparison, _ right: Property<Root, Value>
  ) -> ConditionNode? {
    func test<Ordered: OrderedValue>(_ type: Ordered.Type) -> ConditionNode? {
      guard let left = left as? Property<Root, Ordered>, let right = right as? Property<Root, Ordered> else {
        return nil
      }
      return .test(PropertyTest(left: left, comparison: comparison, right: right))
    }
    guard let type = Value.self as? any OrderedValue.Type else { return nil }
    return test(type)
  }

  /// Returns the condition that a property equals one of several values; nil if their type has no order.
  func isIn<Values: Sequence>(_ property: Property<Root, Values.Element>, _ values: Values) -> ConditionNode? {
    func test<Ordered: OrderedValue>(_ type: Ordered.Type) -> ConditionNode? {
      guard let property = property as? Property<Root, Ordered>, let values = Array(values) as? [Ordered] else {
        return nil
      }
      return .test(ListTest(property: property, values: values))
    }
    guard let type = Values.Element.self as? any OrderedValue.Type else { return nil }
    return test(type)
  }

  /// Returns the condition that a property contains a value; nil if the type of its elements has no order.
  func contains<Elements: Sequence>(_ property: Property<Root, Elements>, _ element: Elements.Element) -> ConditionNode?
  {
    func test<Ordered: OrderedElements>(_ type: Ordered.Type) -> ConditionNode? {
      guard let property = property as? Property<Root, Ordered>, let element = element as? Ordered.Element else {
        return nil
      }
      return .test(ElementTest(property: property, element: element))
    }
    guard let type = Elements.self as? any OrderedElements.Type else { return nil }
    return test(type)
  }
}

extension Comparison {
  /// The comparison that gives the same result if the two sides are exchanged.
  fileprivate var turnedAround: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

/// A collection whose elements have an order.
protocol OrderedElements: Collection where Element: OrderedValue {}
extension Array: OrderedElements where Element: OrderedValue {}
extension ArraySlice: OrderedElements where Element: OrderedValue {}
extension ContiguousArray: OrderedElements where Element: OrderedValue {}
extension Set: OrderedElements where Element: OrderedValue {}
