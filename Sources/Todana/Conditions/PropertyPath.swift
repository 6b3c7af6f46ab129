/// The path to a property: a key path from the class, or several key paths in sequence.
///
/// Each further key path starts at the object or structure that the previous one leads to.
///
/// Safe to share: its key paths are `Sendable`, which the type `[AnyKeyPath]` cannot express.
@safe
struct PropertyPath: @unchecked Sendable {
  private(set) var keyPaths: [AnyKeyPath]
  /// The declared references that the last key path reads, from its root; `\.self` means that it reads no others.
  ///
  /// nil if nothing was declared.
  private(set) var declaredReading: [AnyKeyPath]?
  /// Whether the property belongs to the object itself, so that no other object is needed to read it.
  private(set) var isOwnProperty: Bool
  /// Whether the path reads an ``Inverse``.
  private(set) var readsInverse = false
  /// The name of a ``DerivedProperty``, to which no key path leads; nil for other properties.
  private(set) var derived: DerivedName?
  /// Whether the path leads to the property's text without case and accents.
  var isFolded = false
  /// Whether the path leads to the property's text without case, but with accents.
  var isCaseless = false
  /// Whether the path leads to each element of the property's collection.
  var isEach = false

  init<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable, loading: [AnyKeyPath]? = nil) {
    self.init(unshared: keyPath, loading: loading)
  }

  /// Makes a path that the caller does not share with other threads, so that the key path need not be `Sendable`.
  init(unshared keyPath: AnyKeyPath, loading: [AnyKeyPath]? = nil) {
    keyPaths = [keyPath]
    declaredReading = loading
    isOwnProperty = loading == nil && KeyPathRoute.isOwnProperty(keyPath)
    readsInverse = loading == nil && KeyPathRoute.of(keyPath).isInverse
  }

  private init(keyPaths: [AnyKeyPath], isOwnProperty: Bool = false) {
    self.keyPaths = keyPaths
    self.isOwnProperty = isOwnProperty
  }

  init(derived: DerivedName) {
    self.init(keyPaths: [], isOwnProperty: true)
    self.derived = derived
  }

  /// The path to the object itself, in place of one of its properties.
  static let wholeObject = PropertyPath(keyPaths: [], isOwnProperty: true)

  /// Returns the path to a property of this property's value, which is not an object.
  func appending<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable) -> PropertyPath {
    var path = self
    if let last = keyPaths.last, let longer = last.appending(path: keyPath) {
      path.keyPaths[keyPaths.count - 1] = longer
    } else {
      path.keyPaths.append(keyPath)
    }
    // The number of references in a list does not depend on the objects that they lead to.
    if let list = Root.self as? any CountedReferences.Type, list.countPaths.contains(keyPath) {
      path.declaredReading = keyPaths.last.map { KeyPathRoute.of($0).hops.isEmpty } == true ? [] : nil
    }
    if path.declaredReading == nil, path.keyPaths.count == 1 || isOwnProperty, let last = path.keyPaths.last {
      // A property of an own value that cannot refer to objects is an own property, whatever computes it.
      path.isOwnProperty = KeyPathRoute.isOwnProperty(last) || (isOwnProperty && !mayReferToObjects(Root.self))
    } else {
      path.isOwnProperty = false
    }
    return path
  }

  /// Returns the path to a property of the object that this property refers to.
  func following<Root, Value>(_ keyPath: any KeyPath<Root, Value> & Sendable) -> PropertyPath {
    var path = PropertyPath(keyPaths: keyPaths + [keyPath])
    path.readsInverse = readsInverse || KeyPathRoute.of(keyPath).isInverse
    return path
  }

  /// Returns the path to a property, given by its own path, of the object that this property refers to.
  func following(_ path: PropertyPath) -> PropertyPath {
    var longer = path
    longer.keyPaths = keyPaths + path.keyPaths
    longer.isOwnProperty = false
    longer.readsInverse = readsInverse || path.readsInverse
    return longer
  }

  /// The path of a list of references, whose objects are loaded before it is read.
  var loadingItself: PropertyPath {
    var path = self
    path.declaredReading = keyPaths.last.map { [$0] }
    path.isOwnProperty = false
    return path
  }

  var folded: PropertyPath {
    var path = self
    path.isFolded = true
    return path
  }

  var caseless: PropertyPath {
    var path = self
    path.isCaseless = true
    return path
  }

  var each: PropertyPath {
    var path = self
    path.isEach = true
    return path
  }

  /// The type of the value that the first key path leads to.
  var firstValueType: Any.Type? { keyPaths.first.map { type(of: $0).valueType } }

  /// The property's name as written in code; nil if a key path does not reveal it.
  ///
  /// Key paths print names only for stored properties of structures and of final classes. The names of other stored
  /// properties of a class are found out with an object of it.
  var name: String? {
    if let derived { return derived.name }
    var names: [Substring] = []
    for keyPath in keyPaths {
      // `String(describing:)` gives the same text, but first searches for conformances of the type, which takes half a
      // millisecond.
      let printed = keyPath.debugDescription
      if let dot = printed.firstIndex(of: "."), !printed.contains("<") {
        names.append(printed[printed.index(after: dot)...])
      } else if let name = KeyPathRoute.of(keyPath).accessorName {
        names.append(Substring(name))
      } else {
        return nil
      }
    }
    return names.joined(separator: ".")
  }

  /// A text for people.
  var description: String {
    let name = name ?? "a property"
    if isFolded { return "folded(\(name))" }
    if isCaseless { return "caseInsensitive(\(name))" }
    return isEach ? "each(\(name))" : name
  }
}

/// Two paths are equal if they lead to the same property, even if different references were declared for it.
extension PropertyPath: Hashable {
  static func == (lhs: PropertyPath, rhs: PropertyPath) -> Bool {
    lhs.keyPaths == rhs.keyPaths && lhs.derived == rhs.derived && lhs.isFolded == rhs.isFolded
      && lhs.isCaseless == rhs.isCaseless
      && lhs.isEach == rhs.isEach
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(keyPaths)
    hasher.combine(derived)
    hasher.combine(isFolded)
    hasher.combine(isCaseless)
    hasher.combine(isEach)
  }
}
