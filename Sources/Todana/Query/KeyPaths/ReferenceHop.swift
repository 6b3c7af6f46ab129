/// A step from an object to those that one of its properties refers to.
///
/// Safe to share: it only reads the objects that it is given.
@safe
struct ReferenceHop: @unchecked Sendable {
  /// The property, for comparing.
  let property: Property
  /// The class of the objects that it leads to.
  let target: StoredObject.Type
  /// Whether it is a list of references.
  let isList: Bool
  /// The object that the property refers to; nil where it is nil, and for lists.
  let object: (StoredObject) -> StoredObject?
  /// Calls back with each object that the property refers to.
  let forEachObject: (StoredObject, (StoredObject) -> Void) -> Void

  enum Property: Hashable {
    case keyPath(AnyKeyPath)
    case field(of: ObjectIdentifier, offset: Int)
  }

  /// - Returns: nil where the key path does not end in references.
  init?(_ keyPath: AnyKeyPath) {
    guard let holder = type(of: keyPath).valueType as? any ReferenceHolder.Type,
      let root = type(of: keyPath).rootType as? any StoreIdentifiable.Type
    else { return nil }
    func make<Root: StoreIdentifiable, Holder: ReferenceHolder>(
      _ root: Root.Type, _ holder: Holder.Type
    ) -> ReferenceHop? {
      guard let typed = keyPath as? KeyPath<Root, Holder> else { return nil }
      // A route begins with an object of the key path's root, and goes on with objects of the class before.
      return ReferenceHop(.keyPath(keyPath)) { unsafe unsafeDowncast($0, to: Root.self)[keyPath: typed] }
    }
    guard let hop = make(root, holder) else { return nil }
    self = hop
  }

  /// A stored property, which may be part of structures in the object.
  ///
  /// - Parameters:
  ///   - holder: The type of the property, as the metadata of the class says.
  ///   - root: The class.
  ///   - offset: Where the property is in an object, as the metadata says.
  init(_ holder: any ReferenceHolder.Type, in root: StoredObject.Type, offset: Int) {
    // Every object of the class, or of one that inherits from it, has the property there.
    let property = Property.field(of: ObjectIdentifier(root), offset: offset)
    func make<Holder: ReferenceHolder>(_ holder: Holder.Type) -> ReferenceHop {
      ReferenceHop(property) { unsafe $0.load(at: offset, as: holder) }
    }
    let hop = make(holder)
    guard !hop.isList else {
      self = hop
      return
    }
    self.property = property
    (target, isList, forEachObject) = (hop.target, false, hop.forEachObject)
    // A reference, optional or not, is the same word.
    object = { unsafe $0.load(at: offset, as: StoredObject?.self) }
  }

  private init<Holder: ReferenceHolder>(_ property: Property, _ read: @escaping (StoredObject) -> Holder) {
    self.property = property
    target = Holder.target
    isList = Holder.self is any Collection.Type
    object = { read($0).singleObject }
    forEachObject = { object, body in read(object).forEachObject(body) }
  }
}

extension StoredObject {
  /// Reads a stored property by its place, which the class's metadata has told.
  @unsafe
  @inline(__always)
  final func load<Value>(at offset: Int, as type: Value.Type) -> Value {
    withExtendedLifetime(self) {
      unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()).load(fromByteOffset: offset, as: type)
    }
  }
}

/// A value that holds references: an object, an optional one, or a list.
protocol ReferenceHolder {
  static var target: StoredObject.Type { get }
  var singleObject: StoredObject? { get }
  func forEachObject(_ body: (StoredObject) -> Void)
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

extension LazyReferences: ReferenceHolder {
  static var target: StoredObject.Type { Object.self }
  var singleObject: StoredObject? { nil }
  func forEachObject(_ body: (StoredObject) -> Void) { for object in self { body(object) } }
}

/// A list of references, whose number can be read without reading any of the objects.
protocol CountedReferences {
  static var countPaths: [AnyKeyPath] { get }
}

extension Array: CountedReferences where Element: StoredObject {
  static var countPaths: [AnyKeyPath] { [\Self.count, \Self.isEmpty] }
}

extension LazyReferences: CountedReferences {
  static var countPaths: [AnyKeyPath] { [\Self.count, \Self.isEmpty] }
}
