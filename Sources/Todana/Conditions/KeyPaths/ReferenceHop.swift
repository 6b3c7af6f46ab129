/// A step from an object to the objects that one of its properties refers to.
///
/// Safe to share: it only reads the objects that it is given.
@safe
final class ReferenceHop: @unchecked Sendable {
  /// The property, by which hops are compared.
  let property: Property
  /// The class of the objects that the hop leads to.
  let target: StoredObject.Type
  /// Whether the property is a list of references.
  let isList: Bool
  /// The offset of a single reference in an object.
  ///
  /// nil for a list, and if the reference can only be read by a key path.
  let fieldOffset: Int?
  private let readObject: (StoredObject) -> StoredObject?
  private let readObjects: (StoredObject, (StoredObject) -> Void) -> Void

  enum Property: Hashable {
    case keyPaths([AnyKeyPath])
    case field(of: ObjectIdentifier, offset: Int)
  }

  /// Makes the hop that reads the references of a key path.
  ///
  /// - Returns: nil if the value of the key path is neither a reference nor a list of references.
  static func make(_ keyPath: AnyKeyPath) -> ReferenceHop? {
    guard let holder = type(of: keyPath).valueType as? any ReferenceHolder.Type,
      let root = type(of: keyPath).rootType as? any StoreIdentifiable.Type
    else { return nil }
    func make<Root: StoreIdentifiable, Holder: ReferenceHolder>(
      _ root: Root.Type, _ holder: Holder.Type
    ) -> ReferenceHop? {
      guard let typed = keyPath as? KeyPath<Root, Holder> else { return nil }
      // A route begins with an object of the key path's root class. Each further step gets objects of the previous
      // step's target class.
      return ReferenceHop(.keyPaths([keyPath]), at: nil) { unsafe unsafeDowncast($0, to: Root.self)[keyPath: typed] }
    }
    return make(root, holder)
  }

  /// Makes the hop that reads the references of several key paths in sequence.
  ///
  /// The first key path leads from the object to an optional structure, and each further one starts at the value of the
  /// previous one.
  ///
  /// - Returns: nil if the value of the last key path is neither a reference nor a list of references.
  static func make(_ keyPaths: [AnyKeyPath]) -> ReferenceHop? {
    guard let last = keyPaths.last, let holder = type(of: last).valueType as? any ReferenceHolder.Type else {
      return nil
    }
    func make<Holder: ReferenceHolder>(_ holder: Holder.Type) -> ReferenceHop {
      ReferenceHop(.keyPaths(keyPaths), at: nil) { (object: StoredObject) -> Holder? in
        var value: Any? = object
        for keyPath in keyPaths {
          guard let part = value else { return nil }
          value = part[keyPath: keyPath]
        }
        return value as? Holder
      }
    }
    return make(holder)
  }

  /// Makes the step of a stored property, which may be part of structures in the object.
  ///
  /// - Parameters:
  ///   - holder: The type of the property in the metadata of the class.
  ///   - root: The class.
  ///   - offset: The offset of the property in an object, from the metadata.
  /// - Returns: The step.
  static func make(_ holder: any ReferenceHolder.Type, in root: StoredObject.Type, offset: Int) -> ReferenceHop {
    func make<Holder: ReferenceHolder>(_ holder: Holder.Type) -> ReferenceHop {
      // Objects of the class and of its subclasses have the property at this offset.
      ReferenceHop(.field(of: ObjectIdentifier(root), offset: offset), at: offset) {
        unsafe $0.load(at: offset, as: holder)
      }
    }
    return make(holder)
  }

  private init<Holder: ReferenceHolder>(
    _ property: Property, at offset: Int?, _ read: @escaping (StoredObject) -> Holder?
  ) {
    self.property = property
    target = Holder.target
    isList = Holder.isList
    fieldOffset = isList ? nil : offset
    readObject = { read($0)?.singleObject }
    readObjects = { object, body in read(object)?.forEachObject(body) }
  }

  /// Returns the object that the property refers to; nil if the property is nil or a list.
  @inline(__always)
  func object(of owner: StoredObject) -> StoredObject? {
    // A reference and an optional reference have the same representation.
    if let fieldOffset { return unsafe owner.load(at: fieldOffset, as: StoredObject?.self) }
    return readObject(owner)
  }

  /// Calls back with each object that the property refers to.
  func forEachObject(of owner: StoredObject, _ body: (StoredObject) -> Void) { readObjects(owner, body) }
}

extension StoredObject {
  /// Reads a stored property at an offset that was found in the metadata of the class.
  @unsafe
  @inline(__always)
  final func load<Value>(at offset: Int, as type: Value.Type) -> Value {
    withExtendedLifetime(self) {
      unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()).load(fromByteOffset: offset, as: type)
    }
  }
}

/// A value that holds references: an object, an optional object, or a list of objects.
protocol ReferenceHolder {
  static var target: StoredObject.Type { get }
  /// Whether the value is a list of references.
  static var isList: Bool { get }
  var singleObject: StoredObject? { get }
  func forEachObject(_ body: (StoredObject) -> Void)
}

extension ReferenceHolder {
  static var isList: Bool { self is any Collection.Type }
}

extension StoredObject: ReferenceHolder {
  static var target: StoredObject.Type { self }
  final var singleObject: StoredObject? { self }
  final func forEachObject(_ body: (StoredObject) -> Void) { body(self) }
}

extension Optional: ReferenceHolder where Wrapped: StoredObject {
  static var target: StoredObject.Type { Wrapped.self }
  var singleObject: StoredObject? { self }
  func forEachObject(_ body: (StoredObject) -> Void) { if let object = self { body(object) } }
}

extension Array: ReferenceHolder where Element: StoredObject {
  static var target: StoredObject.Type { Element.self }
  var singleObject: StoredObject? { nil }
  func forEachObject(_ body: (StoredObject) -> Void) { for object in self { body(object) } }
}

extension Set: ReferenceHolder where Element: StoredObject {
  static var target: StoredObject.Type { Element.self }
  var singleObject: StoredObject? { nil }
  func forEachObject(_ body: (StoredObject) -> Void) { for object in self { body(object) } }
}

extension LazyReferences: ReferenceHolder {
  static var target: StoredObject.Type { Object.self }
  var singleObject: StoredObject? { nil }
  func forEachObject(_ body: (StoredObject) -> Void) { for object in self { body(object) } }
}

extension ReferenceSet: ReferenceHolder {
  static var target: StoredObject.Type { StoredObject.self }
  static var isList: Bool { true }
  var singleObject: StoredObject? { nil }
  /// Calls back with the objects that are held; those known by identity only are not made.
  func forEachObject(_ body: (StoredObject) -> Void) { for object in objects { body(object) } }
}

/// A list of references whose count can be read without loading the objects.
protocol CountedReferences {
  static var countPaths: [AnyKeyPath] { get }
}

extension Array: CountedReferences where Element: StoredObject {
  static var countPaths: [AnyKeyPath] { [\Self.count, \Self.isEmpty] }
}

extension Set: CountedReferences where Element: StoredObject {
  static var countPaths: [AnyKeyPath] { countPathsOfSet(of: Element.self) }
}

// Swift 6.3 crashes on these key paths where `Hashable` follows only from the superclass of the elements.
private func countPathsOfSet<Element: Hashable>(of type: Element.Type) -> [AnyKeyPath] {
  [\Set<Element>.count, \Set<Element>.isEmpty]
}

extension LazyReferences: CountedReferences {
  static var countPaths: [AnyKeyPath] { [\Self.count, \Self.isEmpty] }
}
