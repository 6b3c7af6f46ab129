#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The steps that load the objects which an expression reads, before the expression is evaluated.
///
/// Otherwise, the properties of a fault would have their default values.
struct PredicatePreparation<Root: StoreIdentifiable> {
  private(set) var steps: [@Sendable (Root) throws(StoreError) -> Void] = []
  /// The properties that the expression reads.
  private(set) var paths: [PropertyPath] = []
  private let translation: PredicateTranslation<Root>
  /// The variables that stand for loaded objects.
  private let loadedVariables: [PredicateExpressions.VariableID]

  init(_ translation: PredicateTranslation<Root>, within loadedVariables: [PredicateExpressions.VariableID] = []) {
    self.translation = translation
    self.loadedVariables = loadedVariables + [translation.variable.key]
  }

  /// Visits an expression and all expressions within it.
  mutating func visit(_ expression: any PredicateExpression) {
    if let property = expression as? any PropertyExpression, visit(property: property) { return }
    if let visited = expression as? any VisitedExpression {
      if let problem = visited.problem(loadedVariables) {
        translation.problem.message = problem
        return
      }
      if visited.visit(&self) { return }
    }
    // Expressions are structures of other expressions, of forty types. Reflection visits the parts of all of them.
    for child in Mirror(reflecting: expression).children {
      if let child = child.value as? any PredicateExpression { visit(child) }
    }
  }

  /// Notes a property, and adds a step that loads the objects on the way to it, if there are any.
  ///
  /// - Returns: false if the expression is not such a property.
  private mutating func visit<Expression: PropertyExpression>(property expression: Expression) -> Bool {
    guard let property = expression.property(translation) else { return false }
    paths.append(property.path)
    if property.path.leadsToOtherObjects { steps.append(property.loader) }
    return true
  }

  /// Adds a step that loads the object of a reference, and the objects which `transform` reads from there.
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
  /// A closure that loads the objects through which the property is read.
  fileprivate var loader: @Sendable (Root) throws(StoreError) -> Void {
    let read = read
    return { object throws(StoreError) in _ = try read(object) }
  }

  /// Returns a step that loads the referenced object, and then carries out further steps for it.
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
  /// Returns the reason why the expression cannot be evaluated; nil if it can.
  func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String?
  /// Visits the expressions within this one.
  ///
  /// - Returns: false if they still have to be visited.
  func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool
}

extension VisitedExpression {
  fileprivate func problem(_ loadedVariables: [PredicateExpressions.VariableID]) -> String? { nil }
  fileprivate func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool { false }
}

private func problem(of type: Any.Type) -> String {
  "The predicate reads properties of \(plainName(of: type)) objects that it cannot load. Query that class itself, "
    + "or write that part as a closure of `where`."
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
    return "A predicate within a predicate is not supported: combine queries with where."
  }

  fileprivate func visit<Root>(_ preparation: inout PredicatePreparation<Root>) -> Bool { true }
}

private protocol NestedPredicate {}
extension Predicate: NestedPredicate {}
