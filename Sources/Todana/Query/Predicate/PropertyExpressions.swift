#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension PredicateExpressions.KeyPath: PropertyExpression {
  func property<Object>(_ translation: PredicateTranslation<Object>) -> Property<Object, Output>? {
    if let variable = root as? PredicateExpressions.Variable<Object> {
      guard variable.key == translation.variable.key, let path = keyPath as? Swift.KeyPath<Object, Output> else {
        return nil
      }
      // The key path of an expression is `Sendable`; the cast to a typed key path only drops this from its static type.
      return Property(unsafe unsafeBitCast(path, to: (any Swift.KeyPath<Object, Output> & Sendable).self))
    }
    guard let owner = translation.property(root) else { return nil }
    if let type = Root.Output.self as? any StoreIdentifiable.Type { return followed(from: owner, to: type) }
    return owner[dynamicMember: keyPath]
  }

  /// Returns a property of the object that another property refers to.
  private func followed<Object, Target: StoreIdentifiable>(
    from owner: Property<Object, Root.Output>, to type: Target.Type
  ) -> Property<Object, Output>? {
    guard let owner = owner as? Property<Object, Target>, let path = keyPath as? Swift.KeyPath<Target, Output> else {
      return nil
    }
    // The key path of an expression is `Sendable`; the cast to a typed key path only drops this from its static type.
    let keyPath = unsafe unsafeBitCast(path, to: (any Swift.KeyPath<Target, Output> & Sendable).self)
    let read = owner.read
    return Property<Object, Output>(path: owner.path.following(keyPath)) { object throws(StoreError) in
      let target = try read(object)
      try checkIsThere(target)
      return target[keyPath: keyPath]
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: PropertyExpression {
  /// Returns a property of the object that an optional property refers to: `$0.album?.title`.
  func property<Root>(_ translation: PredicateTranslation<Root>) -> Property<Root, Result?>? {
    guard let type = Wrapped.self as? any StoreIdentifiable.Type else { return nil }
    return followed(to: type, translation)
  }

  private func followed<Root, Target: StoreIdentifiable>(
    to type: Target.Type, _ translation: PredicateTranslation<Root>
  ) -> Property<Root, Result?>? {
    guard let reference = translation.property(wrapped) as? Property<Root, Target?>,
      let inner = translation.inner(variable, Target.self)?.property(transform)
    else { return nil }
    if let property = inner as? Property<Target, Result> { return reference.following(property) { .some($0) } }
    return (inner as? Property<Target, Result?>).map { property in reference.following(property) { $0 } }
  }
}

extension PredicateTranslation {
  /// Returns a translation for expressions about another variable; nil if that variable is not an object.
  func inner<Target: StoreIdentifiable>(
    _ variable: some Any, _ type: Target.Type
  ) -> PredicateTranslation<Target>? {
    (variable as? PredicateExpressions.Variable<Target>).map {
      PredicateTranslation<Target>(variable: $0, problem: problem)
    }
  }
}

extension Property {
  /// Returns a property of the object that this property refers to; it is nil if there is no object.
  fileprivate func following<Target: StoreIdentifiable, Member, Result>(
    _ property: Property<Target, Member>, _ result: @escaping @Sendable (Member) -> Result?
  ) -> Property<Root, Result?> where Value == Target? {
    let (readTarget, readMember) = (read, property.read)
    return Property<Root, Result?>(path: path.following(property.path)) { object throws(StoreError) in
      guard let target = try readTarget(object), try isThere(target) else { return nil }
      return result(try readMember(target))
    }
  }
}

/// Makes sure that an object can be read, and loads it if it is a fault.
///
/// - Returns: false if its row does not exist, or if the object is deleted.
func isThere(_ object: some StoreIdentifiable) throws(StoreError) -> Bool {
  try (object as? StoredObject)?.isThereToRead() ?? true
}

/// Makes sure that an object can be read, and loads it if it is a fault.
///
/// - Throws: ``StoreError/Code/rowNotFound`` if its row does not exist, or if the object is deleted.
func checkIsThere(_ object: some StoreIdentifiable) throws(StoreError) {
  guard let object = object as? StoredObject, try !object.isThereToRead() else { return }
  throw ReferenceReading.missingReference(of: object)
}
