/// Which property something is about: a key path from the class, or several, each from the object that the one before
/// refers to.
///
/// Safe to share: it is made of key paths that are `Sendable`, which a list of untyped ones cannot say.
@safe
struct PropertyPath: @unchecked Sendable {
  private(set) var keyPaths: [AnyKeyPath]
  /// What the last key path reads, if that was declared: references of its root, and `\.self` for nothing else.
  private(set) var declaredReading: [AnyKeyPath]?
  /// Whether it is a property of the object itself, so that no other object is needed to read it.
  private(set) var isOwnProperty: Bool
  /// The text without case and accents.
  var isFolded = false
  /// The elements of a collection, one by one.
  var isEach = false

  init<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable, loading: [AnyKeyPath]? = nil) {
    self.init(unshared: keyPath, loading: loading)
  }

  /// A path that the caller does not share.
  init(unshared keyPath: AnyKeyPath, loading: [AnyKeyPath]? = nil) {
    keyPaths = [keyPath]
    declaredReading = loading
    isOwnProperty = loading == nil && KeyPathRoute.isOwnProperty(keyPath)
  }

  private init(keyPaths: [AnyKeyPath]) {
    self.keyPaths = keyPaths
    isOwnProperty = false
  }

  /// The property of a property that is no object.
  func appending<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable) -> PropertyPath {
    var path = self
    if let last = keyPaths.last, let longer = last.appending(path: keyPath) {
      path.keyPaths[keyPaths.count - 1] = longer
    } else {
      path.keyPaths.append(keyPath)
    }
    // How many references there are says nothing of what they lead to.
    if let list = Root.self as? any CountedReferences.Type, list.countPaths.contains(keyPath) {
      path.declaredReading = keyPaths.last.map { KeyPathRoute.of($0).hops.isEmpty } == true ? [] : nil
    }
    path.isOwnProperty =
      path.declaredReading == nil && (path.keyPaths.count == 1 || isOwnProperty)
      && path.keyPaths.last.map { KeyPathRoute.isOwnProperty($0) } == true
    return path
  }

  /// The property of an object that this one refers to.
  func following<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable) -> PropertyPath {
    PropertyPath(keyPaths: keyPaths + [keyPath])
  }

  /// A property, by its own path, of the object that this one refers to.
  func following(_ path: PropertyPath) -> PropertyPath {
    var longer = path
    longer.keyPaths = keyPaths + path.keyPaths
    longer.isOwnProperty = false
    return longer
  }

  var folded: PropertyPath {
    var path = self
    path.isFolded = true
    return path
  }

  var each: PropertyPath {
    var path = self
    path.isEach = true
    return path
  }

  /// The type of the value that the first key path leads to.
  var firstValueType: Any.Type? { keyPaths.first.map { type(of: $0).valueType } }

  /// The property's name as it is written in code; nil where a key path does not tell it.
  ///
  /// Key paths print their names for stored properties of final classes and of structures only.
  var name: String? {
    var names: [Substring] = []
    for keyPath in keyPaths {
      // What `String(describing:)` gives, too, but looks for conformances of the type first, which takes half a millisecond.
      let printed = keyPath.debugDescription
      guard let dot = printed.firstIndex(of: "."), !printed.contains("<") else { return nil }
      names.append(printed[printed.index(after: dot)...])
    }
    return names.joined(separator: ".")
  }

  /// For people.
  var description: String {
    let name = name ?? "a property"
    if isFolded { return "folded(\(name))" }
    return isEach ? "each(\(name))" : name
  }
}

/// Two paths are equal if they lead to the same property, whatever was said of what it reads.
extension PropertyPath: Hashable {
  static func == (lhs: PropertyPath, rhs: PropertyPath) -> Bool {
    lhs.keyPaths == rhs.keyPaths && lhs.isFolded == rhs.isFolded && lhs.isEach == rhs.isEach
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(keyPaths)
    hasher.combine(isFolded)
    hasher.combine(isEach)
  }
}
