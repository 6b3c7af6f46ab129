#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What has to be done before an expression is evaluated: properties of a fault would show their defaults, so the
/// objects that it looks at are loaded.
struct PredicatePreparation<Root: StoreIdentifiable> {
  private(set) var steps: [@Sendable (Root) throws(StoreError) -> Void] = []
  /// The properties that are looked at.
  private(set) var paths: [PropertyPath] = []
  private let translation: PredicateTranslation<Root>
  /// Variables that stand for objects which are loaded.
  private let loadedVariables: [PredicateExpressions.VariableID]

  init(_ translation: PredicateTranslation<Root>, within loadedVariables: [PredicateExpressions.VariableID] = []) {
    self.translation = translation
    self.loadedVariables = loadedVariables + [translation.variable.key]
  }

  /// Looks at an expression, and all within it.
  mutating func visit(_ expression: any PredicateExpression) {
    if let property = expression as? any PropertyExpression, visit(property: property) { return }
    if let visited = expression as? any VisitedExpression {
      if let problem = visited.problem(loadedVariables) {
        translation.problem.message = problem
        return
      }
      if visited.visit(&self) { return }
    }
    // Expressions are structures of expressions; there are forty of them.
    for child in Mirror(reflecting: expression).children {
      if let child = child.value as? any PredicateExpression { visit(child) }
    }
  }

  /// Reads the property, which loads what it leads through.
  private mutating func visit<Expression: PropertyExpression>(property expression: Expression) -> Bool {
    guard let property = expression.property(translation) else { return false }
    paths.append(property.path)
    if property.path.leadsToOtherObjects { steps.append(property.loader) }
    return true
  }

  /// Loads the object that a reference leads to, and what is looked at from there.
  mutating func follow<Target: StoreIdentifiable>(
    _ reference: Property<Root, Target?>, _ variable: PredicateExpressions.Variable<Target>,
    _ transform: any PredicateExpression
  ) {
    var inner = PredicatePreparation<Target>(
      PredicateTranslation(variable: variable, problem: translation.problem), within: loadedVariables)
    inner.visit(transform)
    paths += inner.paths.map { reference.path.following($0) }
    steps.append(reference.loader(then: inner.steps))
  }
}

extension Property {
  /// Loads the objects that it leads through.
  fileprivate var loader: @Sendable (Root) throws(StoreError) -> Void {
    let read = read
    return { object throws(StoreError) in _ = try read(object) }
  }

  /// Loads the object that it refers to, and those that this one leads to.
  fileprivate func loader<Target: StoreIdentifiable>(
    then steps: [@Sendable (Target) throws(StoreError) -> Void]
  ) -> @Sendable (Root) throws(StoreError) -> Void where Value == Target? {
    let read = read
    return { object throws(StoreError) in
      guard let target = try read(object) else { return }
      try checkIsThere(target)
      for step in steps { try step(target) }
    }
  }
}

/// An expression that may lead to other objects.
private protocol VisitedExpression {
  /// Why it cannot be evaluated.
  func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String?
  /// Whether nothing within it is left to be visited.
  func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool
}

extension VisitedExpression {
  fileprivate func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String? { nil }
  fileprivate func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool { false }
}

private func problem(of type: Any.Type) -> String {
  "The predicate looks at properties of \(plainName(of: type)) objects in a way that it cannot load them; write that "
    + "part as a closure, or fetch those objects first."
}

extension PredicateExpressions.Variable: VisitedExpression {
  fileprivate func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String? {
    guard Output.self is any StoreIdentifiable.Type, !loadedVariables.contains(key) else { return nil }
    return Todana.problem(of: Output.self)
  }
}

extension PredicateExpressions.KeyPath: VisitedExpression {
  fileprivate func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String? {
    guard Root.Output.self is any StoreIdentifiable.Type, !(root is PredicateExpressions.Variable<Root.Output>) else {
      return nil
    }
    return Todana.problem(of: Root.Output.self)
  }
}

extension PredicateExpressions.OptionalFlatMap: VisitedExpression {
  fileprivate func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool {
    func follow<Target: StoreIdentifiable>(_ type: Target.Type) -> Bool {
      guard let reference = preparation.property(wrapped) as? Property<Root, Target?>,
        let variable = variable as? PredicateExpressions.Variable<Target>
      else { return false }
      preparation.follow(reference, variable, transform)
      return true
    }
    guard let type = Wrapped.self as? any StoreIdentifiable.Type else { return false }
    return follow(type)
  }
}

extension PredicatePreparation {
  fileprivate func property<Expression: PredicateExpression>(
    _ expression: Expression
  ) -> Property<Root, Expression.Output>? {
    translation.property(expression)
  }
}

extension PredicateExpressions.Value: VisitedExpression {
  fileprivate func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String? {
    guard value is any NestedPredicate else { return nil }
    return "A predicate within a predicate is not looked at: join queries by where."
  }

  fileprivate func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool { true }
}

private protocol NestedPredicate {}
extension Predicate: NestedPredicate {}
