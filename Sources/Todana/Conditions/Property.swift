/// A property in a condition: `$0.title` in `Song.where { $0.title.hasPrefix("B") }`.
///
/// It stands for the property of every object. Comparing it gives a ``Condition``. Properties of a structure are
/// properties, too (`$0.address.city`), and so are those of an object that it refers to (`$0.album.title`), nil where
/// there is none; the object is loaded to look.
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

  /// A property of the value.
  public subscript<Member>(dynamicMember keyPath: any KeyPath<Value, Member> & Sendable) -> Property<Root, Member> {
    let read = read
    return Property<Root, Member>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)[keyPath: keyPath]
    }
  }

  /// A property of the object that this one refers to; nil where it refers to none.
  public subscript<Target: StoredObject, Member>(
    dynamicMember keyPath: any KeyPath<Target, Member> & Sendable
  ) -> Property<Root, Member?> where Value == Target? {
    let read = read
    return Property<Root, Member?>(path: path.following(keyPath)) { object throws(StoreError) in
      guard let target = try read(object), try target.isThereToRead() else { return nil }
      return target[keyPath: keyPath]
    }
  }

  /// An optional property of the object that this one refers to; nil where it refers to none.
  public subscript<Target: StoredObject, Member>(
    dynamicMember keyPath: any KeyPath<Target, Member?> & Sendable
  ) -> Property<Root, Member?> where Value == Target? {
    let read = read
    return Property<Root, Member?>(path: path.following(keyPath)) { object throws(StoreError) in
      guard let target = try read(object), try target.isThereToRead() else { return nil }
      return target[keyPath: keyPath]
    }
  }

  /// A property of the object that this one refers to.
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

/// What the closure of a condition gets: the class's own properties.
@dynamicMemberLookup
public struct Properties<Root: StoreIdentifiable>: Sendable {
  public init() {}

  public subscript<Value>(dynamicMember keyPath: any KeyPath<Root, Value> & Sendable) -> Property<Root, Value> {
    Property(keyPath)
  }

  /// A computed property, with the references that it reads, which are loaded before; `\.self` alone, if it reads nothing
  /// but its object's own content.
  ///
  /// ```swift
  /// Song.where { $0[\.albumTitle, loading: \.album] == "Blue" }
  /// ```
  ///
  /// A query with a computed property that does not say what it reads is ``StoreError/Code/invalidQuery``.
  public subscript<Value>(
    keyPath: any KeyPath<Root, Value> & Sendable, loading relations: any PartialKeyPath<Root> & Sendable...
  ) -> Property<Root, Value> {
    Property(keyPath, loading: relations.isEmpty ? nil : relations)
  }
}
