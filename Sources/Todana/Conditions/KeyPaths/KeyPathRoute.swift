internal import Synchronization

/// The route of a key path to its value: in the object itself, or through references to objects that have to be loaded.
struct KeyPathRoute: Sendable {
  /// The references from the object to the one that has the value.
  private(set) var hops: [ReferenceHop] = []
  private(set) var problem: Problem?
  /// The reference from the object that has the value to the objects that the value refers to.
  ///
  /// nil if the value is not a reference.
  private(set) var end: ReferenceHop?
  /// A faster way than the key path to read the value from the object that the hops lead to; nil if there is none.
  private(set) var leaf: RouteLeaf?
  /// The names of the steps, joined by dots, if a step reads through accessors, such as those of a ``Loaded`` property.
  ///
  /// nil if the name of a step is not known.
  private(set) var accessorName: String?

  /// Whether the key path reads an ``Inverse``, which depends on the objects that refer to this one.
  private(set) var isInverse = false

  enum Problem: Sendable {
    /// The key path reads a computed property, which may read anything.
    case computed
    /// The steps of the key path cannot be determined.
    case unclear
  }

  /// Returns the route of a key path from a class.
  ///
  /// - Complexity: A few microseconds for a new key path; otherwise a lookup in a table.
  static func of(_ keyPath: AnyKeyPath) -> KeyPathRoute { known(keyPath).route }

  /// Tests whether a key path from a class reads a property of the object itself, and no other objects.
  ///
  /// - Complexity: The complexity of ``of(_:)``.
  static func isOwnProperty(_ keyPath: AnyKeyPath) -> Bool { known(keyPath).isOwnProperty }

  /// Returns the offset of a key path's value in an object of its root class.
  ///
  /// - Returns: nil unless the key path leads to a stored property of the object itself, without accessors.
  static func ownOffset(of keyPath: AnyKeyPath) -> Int? { known(keyPath).ownOffset }

  private static func known(_ keyPath: AnyKeyPath) -> Known {
    let identity = ObjectIdentifier(keyPath)
    if let known = routes.withLock({ $0.byIdentity[identity] }) { return known }
    let route = routes.withLock { $0.byKeyPath[keyPath] } ?? KeyPathRoute(keyPath)
    let known = Known(keyPath: keyPath, route: route)
    routes.withLock { routes in
      // A program has few key paths, but each one that is composed at run time is new. The limit bounds the table.
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
      follow(steps, of: keyPath)
    } else if steps == [.computed] {
      let probe = OwnPropertyProbe(keyPath)
      accessorName = probe.name
      if !probe.isOwnProperty {
        isInverse = LoadedTrace.readsInverse(keyPath)
        if !isInverse { problem = .computed }
      }
    }
    if hops.isEmpty { end = ReferenceHop.make(keyPath) }
  }

  private mutating func follow(_ steps: [KeyPathSteps.Step], of keyPath: AnyKeyPath) {
    var type: Any.Type = Swift.type(of: keyPath).rootType
    // The class of the objects that the last hop leads to, and an offset in such an object.
    var object = type as? StoredObject.Type
    var offset = 0
    var names: [String] = []
    let trace = steps.contains(.computed) ? LoadedTrace(of: keyPath, from: object, stepCount: steps.count) : nil
    for (position, step) in steps.enumerated() {
      let isLast = position == steps.count - 1
      if step == .computed, type is StoredObject.Type {
        guard object != nil, let property = trace?.property(readByStep: position) else { return problem = .unclear }
        if let name = KeyPathRoute.of(property).accessorName { names.append(name) }
        let hop = ReferenceHop.make(property)
        if isLast {
          end = hop
        } else if let hop, trace?.follow(property) == true {
          hops.append(hop)
          (type, object, offset) = (hop.target, hop.target, 0)
        } else {
          let valueType = Swift.type(of: property).valueType
          (type, object) = ((valueType as? any WrappingValue.Type)?.wrappedType ?? valueType, nil)
        }
        continue
      }
      guard case .stored(let name) = step, let field = StoredField.named(name, of: type) else {
        if mayReferToObjects(type) { problem = .unclear }
        return
      }
      names.append(field.name)
      offset += field.offset
      let holder = field.type as? any ReferenceHolder.Type
      if isLast {
        if let holder, let object { end = ReferenceHop.make(holder, in: object, offset: offset) }
        if object != nil { leaf = RouteLeaf(of: keyPath, field.type, offset: offset) }
      } else if let holder, !(field.type is any Collection.Type) {
        guard let root = object else { return problem = .unclear }
        hops.append(ReferenceHop.make(holder, in: root, offset: offset))
        trace?.follow(holder, at: offset)
        (type, object, offset) = (holder.target, holder.target, 0)
      } else {
        type = (field.type as? any WrappingValue.Type)?.wrappedType ?? field.type
        // An optional structure may be nil, and the properties of another object are not stored in this one. In both
        // cases an offset cannot be used.
        if type != field.type || type is AnyClass { object = nil }
      }
    }
    if trace != nil, names.count == steps.count { accessorName = names.joined(separator: ".") }
  }

  /// A key path and its route.
  ///
  /// A class, so that a lookup copies only a reference. Safe to share although key paths are not `Sendable`: this one
  /// is only kept alive.
  @safe private final class Known: @unchecked Sendable {
    /// The key path, kept alive so that no other key path gets its identity.
    let keyPath: AnyKeyPath
    let route: KeyPathRoute
    let isOwnProperty: Bool
    /// The offset, which is found out when it is first needed, because few key paths need it.
    private let foundOffset = Mutex<Int??>(nil)

    var ownOffset: Int? {
      foundOffset.withLock { found in
        if let found { return found }
        let offset = offset()
        found = .some(offset)
        return offset
      }
    }

    private func offset() -> Int? {
      let (root, value) = (Swift.type(of: keyPath).rootType, Swift.type(of: keyPath).valueType)
      guard let steps = KeyPathSteps(keyPath)?.steps, steps.count == 1, case .stored(let name) = steps[0],
        root is StoredObject.Type, let field = StoredField.named(name, of: root), field.type == value
      else { return nil }
      return field.offset
    }

    init(keyPath: AnyKeyPath, route: KeyPathRoute) {
      self.keyPath = keyPath
      self.route = route
      isOwnProperty = route.hops.isEmpty && route.problem == nil && !route.isInverse
    }
  }

  /// The tables of known routes.
  ///
  /// Safe to share although key paths are not `Sendable`: they are only compared.
  @safe private struct Routes: @unchecked Sendable {
    var byIdentity: [ObjectIdentifier: Known] = [:]
    var byKeyPath: [AnyKeyPath: KeyPathRoute] = [:]
  }

  private static let routes = Mutex(Routes())
}
