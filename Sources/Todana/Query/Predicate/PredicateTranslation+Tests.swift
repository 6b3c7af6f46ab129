#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Tests by type: which types are ordered is known when the query is made only.
extension PredicateTranslation {
  /// A comparison of two expressions, one of which is a property, and the other one, too, or a constant.
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

  /// Whether a property is one of several values.
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

  /// Whether a property has a value among its elements.
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
  /// The same with its sides exchanged.
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

/// A collection whose elements are ordered.
protocol OrderedElements: Collection where Element: OrderedValue {}
extension Array: OrderedElements where Element: OrderedValue {}
extension ArraySlice: OrderedElements where Element: OrderedValue {}
extension ContiguousArray: OrderedElements where Element: OrderedValue {}
extension Set: OrderedElements where Element: OrderedValue {}
