extension PropertyPath {
  /// Whether it leads to other objects, which change without this one.
  var leadsToOtherObjects: Bool {
    if isOwnProperty { return false }
    if keyPaths.count > 1 || declaredReading?.contains(where: { !Self.isSelf($0) }) == true { return true }
    return declaredReading == nil && keyPaths.first.map { !KeyPathRoute.of($0).hops.isEmpty } == true
  }

  /// The hops to the object that has the value; empty where that is the object itself.
  var hops: [ReferenceHop] {
    if keyPaths.count == 1 { return declaredReading == nil ? KeyPathRoute.of(keyPaths[0]).hops : [] }
    var hops: [ReferenceHop] = []
    for (position, keyPath) in keyPaths.enumerated() {
      let isLast = position == keyPaths.count - 1
      if isLast, declaredReading != nil { break }
      let route = KeyPathRoute.of(keyPath)
      hops += route.hops
      if !isLast, let hop = route.end { hops.append(hop) }
    }
    return hops
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

  /// Says why the property cannot be relied on; nil where it can.
  var problem: String? {
    if isOwnProperty { return nil }
    for (position, keyPath) in keyPaths.enumerated() {
      if position == keyPaths.count - 1, let declaredReading {
        return declaredReading.lazy.compactMap { Self.problem(ofDeclared: $0) }.first
      }
      if let problem = KeyPathRoute.of(keyPath).problem { return Self.text(of: problem, keyPath) }
    }
    return nil
  }

  private static func isSelf(_ keyPath: AnyKeyPath) -> Bool {
    type(of: keyPath).rootType == type(of: keyPath).valueType && KeyPathSteps(keyPath)?.steps.isEmpty == true
  }

  private static func problem(ofDeclared keyPath: AnyKeyPath) -> String? {
    if isSelf(keyPath) { return nil }
    if let problem = KeyPathRoute.of(keyPath).problem { return text(of: problem, keyPath) }
    return KeyPathRoute.of(keyPath).end != nil
      ? nil : "`loading:` takes references, and `\\.self`, but not a property of type \(type(of: keyPath).valueType)."
  }

  private static func text(of problem: KeyPathRoute.Problem, _ keyPath: AnyKeyPath) -> String {
    let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
    let place =
      switch problem {
      case .computed: "A property of \(root) of type \(value) is computed, or belongs to a class that is not `final`"
      case .unclear:
        "A key path from \(root) to \(value) has steps that are computed, or belong to a class that is not `final`"
      }
    return place
      + ", so that its value could depend on which objects are loaded. Declare classes or their properties `final`, or "
      + "say what it reads: `loading: \\.album` for example, or `loading: \\.self` if it is the object's own content only."
  }
}
