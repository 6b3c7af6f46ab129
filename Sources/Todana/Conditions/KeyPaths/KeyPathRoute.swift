internal import Synchronization

/// Where a key path reads its value: in the object itself, or in objects that it leads to, which have to be loaded.
struct KeyPathRoute: Sendable {
  /// From the object to the one that has the value.
  private(set) var hops: [ReferenceHop] = []
  private(set) var problem: Problem?
  /// From the object that has the value to those that the value refers to; nil if it is no reference.
  private(set) var end: ReferenceHop?
  /// Reads the value from the object that the hops lead to, faster than the key path does; nil if only that can.
  private(set) var leaf: RouteLeaf?

  enum Problem: Sendable {
    /// It reads a computed property, which may read anything.
    case computed
    /// Its steps cannot be told.
    case unclear
  }

  /// The route of a key path from a class.
  ///
  /// - Complexity: Some microseconds for a new key path, else a search in a table.
  static func of(_ keyPath: AnyKeyPath) -> KeyPathRoute { known(keyPath).route }

  /// Whether a key path from a class reads a property of the object itself, which needs no other objects.
  ///
  /// - Complexity: As ``of(_:)``.
  static func isOwnProperty(_ keyPath: AnyKeyPath) -> Bool { known(keyPath).isOwnProperty }

  private static func known(_ keyPath: AnyKeyPath) -> Known {
    let identity = ObjectIdentifier(keyPath)
    if let known = routes.withLock({ $0.byIdentity[identity] }) { return known }
    let route = routes.withLock { $0.byKeyPath[keyPath] } ?? KeyPathRoute(keyPath)
    let known = Known(keyPath: keyPath, route: route)
    routes.withLock { routes in
      // Programs have few key paths; those that are put together at run time are new ones each time.
      if routes.byIdentity.count >= 4096 { routes = Routes() }
      routes.byIdentity[identity] = known
      routes.byKeyPath[keyPath] = route
    }
    return known
  }

  private init(_ keyPath: AnyKeyPath) {
    guard let steps = KeyPathSteps(keyPath)?.steps else {
      problem = .unclear
      return
    }
    if steps.count > 1 {
      follow(steps[...], of: keyPath)
    } else if steps == [.computed], !OwnPropertyProbe.isOwnProperty(keyPath) {
      problem = .computed
    }
    if hops.isEmpty { end = ReferenceHop.make(keyPath) }
  }

  private mutating func follow(_ steps: ArraySlice<KeyPathSteps.Step>, of keyPath: AnyKeyPath) {
    var type: Any.Type = Swift.type(of: keyPath).rootType
    // The object that the last hop leads to, and a place in it.
    var object = type as? StoredObject.Type
    var offset = 0
    for (position, step) in steps.enumerated() {
      if step == .computed, type is StoredObject.Type { return problem = .computed }
      guard case .stored(let name) = step, let field = StoredField.named(name, of: type) else {
        if mayReferToObjects(type) { problem = .unclear }
        return
      }
      offset += field.offset
      let holder = field.type as? any ReferenceHolder.Type
      if position == steps.count - 1 {
        if let holder, let object { end = ReferenceHop.make(holder, in: object, offset: offset) }
        if object != nil { leaf = RouteLeaf(of: keyPath, field.type, offset: offset) }
        return
      }
      if let holder, !(field.type is any Collection.Type) {
        guard let root = object else { return problem = .unclear }
        hops.append(ReferenceHop.make(holder, in: root, offset: offset))
        (type, object, offset) = (holder.target, holder.target, 0)
      } else {
        type = (field.type as? any WrappingValue.Type)?.wrappedType ?? field.type
        // There is nothing at places in what is nil, and what another object has is elsewhere.
        if type != field.type || type is AnyClass { object = nil }
      }
    }
  }

  /// A class, so that a search copies nothing.
  ///
  /// Safe though key paths are not `Sendable`: this one is only kept.
  @safe private final class Known: @unchecked Sendable {
    /// Keeps it alive, so that its identity stays its own.
    let keyPath: AnyKeyPath
    let route: KeyPathRoute
    let isOwnProperty: Bool

    init(keyPath: AnyKeyPath, route: KeyPathRoute) {
      self.keyPath = keyPath
      self.route = route
      isOwnProperty = route.hops.isEmpty && route.problem == nil
    }
  }

  /// Safe though key paths are not `Sendable`: they are compared only.
  @safe private struct Routes: @unchecked Sendable {
    var byIdentity: [ObjectIdentifier: Known] = [:]
    var byKeyPath: [AnyKeyPath: KeyPathRoute] = [:]
  }

  private static let routes = Mutex(Routes())
}
