extension PropertyPath {
  /// Whether the property depends on other objects, which can change without this one.
  var leadsToOtherObjects: Bool {
    if isOwnProperty { return false }
    if readsInverse { return true }
    return declaredReading?.contains(where: { !Self.isSelf($0) }) == true || !hops.isEmpty
  }

  /// The offset of the value in an object; nil unless it is a stored property without accessors of the object itself.
  var ownOffset: Int? {
    guard isOwnProperty, keyPaths.count == 1, let keyPath = keyPaths.first else { return nil }
    return KeyPathRoute.ownOffset(of: keyPath)
  }

  /// The references to the object that has the value; empty if the object itself has it.
  var hops: [ReferenceHop] { walk().hops }

  /// Returns the hops, and the key path whose reference cannot be followed, if there is one.
  private func walk() -> (hops: [ReferenceHop], unclear: AnyKeyPath?) {
    var hops: [ReferenceHop] = []
    // The key paths since the last hop. If there are several, the first leads to an optional structure, and the others
    // to properties within it.
    var parts: [AnyKeyPath] = []
    for (position, keyPath) in keyPaths.enumerated() {
      let isLast = position == keyPaths.count - 1
      if isLast, declaredReading != nil { break }
      let route = KeyPathRoute.of(keyPath)
      hops += route.hops
      if isLast { break }
      parts.append(keyPath)
      guard type(of: keyPath).valueType is any ReferenceHolder.Type else { continue }
      guard let hop = parts.count == 1 ? route.end : ReferenceHop.make(parts) else { return (hops, keyPath) }
      hops.append(hop)
      parts = []
    }
    return (hops, nil)
  }

  /// The chains of references whose objects have to be loaded before the property is read.
  var chains: [[ReferenceHop]] {
    let hops = hops
    guard let declaredReading else { return hops.isEmpty ? [] : [hops] }
    var chains: [[ReferenceHop]] = []
    for keyPath in declaredReading where !Self.isSelf(keyPath) {
      let route = KeyPathRoute.of(keyPath)
      chains.append(hops + route.hops + [route.end].compactMap { $0 })
    }
    return chains.isEmpty && !hops.isEmpty ? [hops] : chains
  }

  /// The reason why a query cannot rely on the property; nil if it can.
  var problem: String? {
    if isOwnProperty { return nil }
    for (position, keyPath) in keyPaths.enumerated() {
      if position == keyPaths.count - 1, let declaredReading {
        return declaredReading.lazy.compactMap { Self.problem(ofDeclared: $0) }.first
      }
      if let problem = KeyPathRoute.of(keyPath).problem { return Self.text(of: problem, keyPath) }
    }
    return walk().unclear.map { Self.text(of: .unclear, $0) }
  }

  private static func isSelf(_ keyPath: AnyKeyPath) -> Bool {
    type(of: keyPath).rootType == type(of: keyPath).valueType && KeyPathSteps(keyPath)?.steps.isEmpty == true
  }

  private static func problem(ofDeclared keyPath: AnyKeyPath) -> String? {
    if isSelf(keyPath) { return nil }
    if let problem = KeyPathRoute.of(keyPath).problem { return text(of: problem, keyPath) }
    if KeyPathRoute.of(keyPath).end != nil { return nil }
    return type(of: keyPath).valueType is any ReferenceHolder.Type
      ? "`loading:` cannot follow a reference in an optional structure of another object."
      : "`loading:` needs a reference or `\\.self`, not a property of type \(type(of: keyPath).valueType)."
  }

  private static func text(of problem: KeyPathRoute.Problem, _ keyPath: AnyKeyPath) -> String {
    let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
    let place =
      switch problem {
      case .computed: "A property of \(root) of type \(value) is computed"
      case .unclear:
        "A key path from \(root) to \(value) has a step that is computed or `@Loaded`, or of a class that is not `final`"
      }
    return place
      + ", so its value may depend on which objects are loaded. Name the references that it reads: "
      + "`loading: \\.album`, or `loading: \\.self` if it reads only own stored properties."
  }
}
