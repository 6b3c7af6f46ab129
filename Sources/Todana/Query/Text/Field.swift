/// A property that texts can name: in conditions, such as `"seconds > ?"`, and in sorts.
///
/// ```swift
/// final class Song: StoredObject {
///   var title = ""
///   var seconds: UInt32 = 0
///   override class var fields: [Field] { [Field("title", \Song.title), Field("seconds", \Song.seconds)] }
/// }
///
/// let query = try Song.where("seconds > ? AND title BEGINSWITH ?", 200, "B")
/// ```
///
/// A name is anything but empty, and has no NUL; a name that is no word, or is a keyword, stands between backticks in a
/// text. Names are told apart by case. What is wrong with a list of fields the first text that is read with them says.
public struct Field: Sendable {
  public let name: String
  let access: any FieldAccess

  private init(_ name: String, access: any FieldAccess) {
    self.name = name
    self.access = access
  }

  /// A value: a number, a date, an enumeration with raw values, whatever conforms to ``OrderedValue``; or an optional
  /// one.
  ///
  /// - Parameters:
  ///   - name: Stands for the property in texts.
  ///   - keyPath: A stored property, or one of an object that it refers to: `\Song.album?.title`.
  ///   - loading: The references that a computed property reads, which have to be loaded before; `\.self` alone, if it
  ///     reads nothing but its object's own content. Needed for computed properties only.
  public init<Root: StoredObject, Value: OrderedValue>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(name, access: ValueField(keyPath, loading: loading.isEmpty ? nil : loading))
  }

  /// A text, or an optional one, which `CONTAINS`, `BEGINSWITH`, `ENDSWITH` and `[c]` are for.
  ///
  /// - Parameters:
  ///   - name: Stands for the property in texts.
  ///   - keyPath: A stored property, or one of an object that it refers to.
  ///   - loading: As for ``init(_:_:loading:)-(String,KeyPath<Root,Value>&Sendable,PartialKeyPath<Root>&Sendable...)``.
  public init<Root: StoredObject, Value: OptionalText>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(name, access: TextField(plain: ValueField(keyPath, loading: loading.isEmpty ? nil : loading)))
  }

  /// A collection of values, such as an array of strings, which `CONTAINS` is for.
  @_disfavoredOverload
  public init<Root: StoredObject, Elements: Collection & Sendable & SendableMetatype>(
    _ name: String, _ keyPath: any KeyPath<Root, Elements> & Sendable
  ) where Elements.Element: OrderedValue {
    let property = Property(keyPath)
    self.init(
      name,
      access: ListField<Root, Elements.Element>(typeName: "list of \(plainName(of: Elements.Element.self))") {
        .test(ElementTest(property: property, element: $0))
      })
  }

  /// A reference to an object, compared by its identity: `"album = ?"` with `album.id`.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target?> & Sendable
  ) {
    let property = Property(keyPath)
    let read = property.read
    self.init(
      name,
      access: ReferenceField<Root>(
        path: property.path, isOptional: true, targetName: "\(Target.self)",
        read: { object throws(StoreError) in try read(object) }))
  }

  /// A reference to an object that is always there.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target> & Sendable
  ) {
    let property = Property(keyPath)
    let read = property.read
    self.init(
      name,
      access: ReferenceField<Root>(
        path: property.path, isOptional: false, targetName: "\(Target.self)",
        read: { object throws(StoreError) in try read(object) }))
  }

  /// A list of references, which `CONTAINS` is for, with the identity of an object.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, [Target]> & Sendable
  ) {
    let property = Property(keyPath)
    self.init(
      name,
      access: ListField<Root, AnyObjectID>(typeName: "list of references to \(Target.self)") {
        .test(ReferenceListTest(property: property, target: $0))
      })
  }
}
