internal import Synchronization

/// The classes to which objects of a class can refer, by the types of its stored properties.
enum ReferencedClasses {
  private static let known = Mutex<[ObjectIdentifier: Found]>([:])

  /// Returns the given classes and all classes that can be reached from them through references.
  ///
  /// - Returns: nil if a property may refer to objects of any class.
  static func reachable(from types: [StoredObject.Type]) -> [StoredObject.Type]? {
    var reached: [StoredObject.Type] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting = types
    while let type = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
      reached.append(type)
      guard let targets = targets(of: type) else { return nil }
      waiting += targets
    }
    return reached
  }

  /// Returns the classes of the references in the properties of a class.
  private static func targets(of type: StoredObject.Type) -> [StoredObject.Type]? {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known.types }
    let found = Found(types: search(type))
    known.withLock { $0[key] = found }
    return found.types
  }

  /// The result of a search.
  ///
  /// Safe to share: it consists of class types.
  @safe
  private struct Found: @unchecked Sendable { let types: [StoredObject.Type]? }

  private static func search(_ type: StoredObject.Type) -> [StoredObject.Type]? {
    var found: [StoredObject.Type] = []
    var mirror: Mirror? = Mirror(reflecting: type.init())
    while let current = mirror, current.subjectType != StoredObject.self {
      for child in current.children where !add(child.value, to: &found, depth: 0) { return nil }
      mirror = current.superclassMirror
    }
    return found
  }

  /// Adds the classes of the references in a value; returns false if the value may refer to any class.
  private static func add(_ value: Any, to found: inout [StoredObject.Type], depth: Int) -> Bool {
    let type = Swift.type(of: value)
    if let holder = type as? any ReferenceHolder.Type {
      found.append(holder.target)
      return holder.target != StoredObject.self
    }
    if let inverse = type as? any InverseProperty.Type {
      found.append(inverse.source)
      return true
    }
    if type is any OrderedValue.Type || type is any DataBufferValue.Type { return true }
    if depth > 8 { return false }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct, .tuple:
      return mirror.children.allSatisfy { add($0.value, to: &found, depth: depth + 1) }
    case .enum: return type is any RawRepresentable.Type
    default: return false
    }
  }
}
