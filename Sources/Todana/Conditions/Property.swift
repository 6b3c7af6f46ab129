/// A property in a condition: `$0.title` in `Song.where { $0.title.hasPrefix("B") }`.
///
/// It represents the property of every object, and comparing it gives a ``Condition``. Fields of a structure can be
/// used in the same way (`$0.address.city`).
///
/// Properties of a referenced object can be used as well (`$0.album.title`). The object is loaded to read them. If the
/// reference is optional, they are nil when it is nil or when its object does not exist.
@dynamicMemberLookup
public struct Property<Root: StoreIdentifiable, Value>: Sendable {
  let path: PropertyPath
  let read: @Sendable (Root) throws(StoreError) -> Value

  init(path: PropertyPath, read: @escaping @Sendable (Root) throws(StoreError) -> Value) {
    self.path = path
    self.read = read
  }

  init(_ keyPath: any KeyPath<Root, Value> & Sendable, loading: [AnyKeyPath]? = nil) {
    let path = PropertyPath(keyPath, loading: loading)
    guard path.leadsToOtherObjects else {
      self.init(path: path) { object throws(StoreError) in object[keyPath: keyPath] }
      return
    }
    let reading = ReferenceReading(path)
    self.init(path: path) { object throws(StoreError) in
      try reading.value(of: object) { object[keyPath: keyPath] }
    }
  }

  /// A property of this property's value, such as a field of a structure: `$0.address.city`.
  public subscript<Member>(dynamicMember keyPath: any KeyPath<Value, Member> & Sendable) -> Property<Root, Member> {
    let read = read
    return Property<Root, Member>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)[keyPath: keyPath]
    }
  }

  /// A property of the object that this property refers to; nil if there is no object.
  public subscript<Target: StoredObject, Member>(
    dynamicMember keyPath: any KeyPath<Target, Member> & Sendable
  ) -> Property<Root, Member?> where Value == Target? {
    let read = read
    return Property<Root, Member?>(path: path.following(keyPath)) { object throws(StoreError) in
      guard let target = try read(object), try target.isThereToRead() else { return nil }
      return target[keyPath: keyPath]
    }
  }

  /// An optional property of the object that this property refers to; nil if there is no object.
  public subscript<Target: StoredObject, Member>(
    dynamicMember keyPath: any KeyPath<Target, Member?> & Sendable
  ) -> Property<Root, Member?> where Value == Target? {
    let read = read
    return Property<Root, Member?>(path: path.following(keyPath)) { object throws(StoreError) in
      guard let target = try read(object), try target.isThereToRead() else { return nil }
      return target[keyPath: keyPath]
    }
  }

  /// A property of the object that this property refers to.
  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value, Member> & Sendable
  ) -> Property<Root, Member> where Value: StoredObject {
    let read = read
    return Property<Root, Member>(path: path.following(keyPath)) { object throws(StoreError) in
      let target = try read(object)
      guard try target.isThereToRead() else { throw ReferenceReading.missingReference(of: target) }
      return target[keyPath: keyPath]
    }
  }
}

/// The argument of a condition's closure, which gives access to the properties of the class.
@dynamicMemberLookup
public struct Properties<Root: StoreIdentifiable>: Sendable {
  public init() {}

  public subscript<Value>(dynamicMember keyPath: any KeyPath<Root, Value> & Sendable) -> Property<Root, Value> {
    Property(keyPath)
  }

  /// A computed property, with the references that it reads, whose objects are loaded beforehand.
  ///
  /// If the property reads only the content of its own object, pass `\.self` alone.
  ///
  /// ```swift
  /// Song.where { $0[\.albumTitle, loading: \.album] == "Blue" }
  /// ```
  ///
  /// A query throws ``StoreError/Code/invalidQuery`` if it uses a computed property without these references.
  public subscript<Value>(
    keyPath: any KeyPath<Root, Value> & Sendable, loading relations: any PartialKeyPath<Root> & Sendable...
  ) -> Property<Root, Value> {
    Property(keyPath, loading: relations.isEmpty ? nil : relations)
  }
}
