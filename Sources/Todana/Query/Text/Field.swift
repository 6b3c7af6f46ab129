/// A property that can be named in texts: in conditions, such as `"seconds > ?"`, and in sorts.
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
/// A name must not be empty or contain a NUL. Names are case-sensitive. In a text, write a name in backticks if it is a
/// keyword or not a word. The first text that is read with an invalid list of fields throws
/// ``QueryTextError/Code/invalidField``.
public struct Field: Sendable {
  public let name: String
  let access: any FieldAccess

  private init(_ name: String, access: any FieldAccess) {
    self.name = name
    self.access = access
  }

  /// Makes a field of a value whose type conforms to ``OrderedValue``, or of an optional one.
  ///
  /// Such values are, for example, numbers, dates, and enumerations with raw values.
  ///
  /// - Parameters:
  ///   - name: The name of the property in texts.
  ///   - keyPath: A stored property, or one of an object that it refers to: `\Song.album?.title`.
  ///   - loading: The references that a computed property reads, whose objects are loaded beforehand. Pass `\.self`
  ///     alone if the property reads only the content of its own object. Needed for computed properties only.
  public init<Root: StoredObject, Value: OrderedValue>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(name, keyPath, loading: loading.isEmpty ? nil : loading)
  }

  init<Root: StoredObject, Value: OrderedValue>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
    loading: [any PartialKeyPath<Root> & Sendable]?
  ) {
    self.init(name, access: ValueField(keyPath, loading: loading))
  }

  init<Root: StoredObject, Value: OptionalText>(
    text name: String, _ keyPath: any KeyPath<Root, Value> & Sendable,
    loading: [any PartialKeyPath<Root> & Sendable]?
  ) {
    self.init(name, access: TextField(plain: ValueField(keyPath, loading: loading)))
  }

  /// Makes a field of a text or an optional text, which supports `CONTAINS`, `BEGINSWITH`, `ENDSWITH` and `[c]`.
  ///
  /// - Parameters:
  ///   - name: The name of the property in texts.
  ///   - keyPath: A stored property, or one of an object that it refers to.
  ///   - loading: The references that a computed property reads, whose objects are loaded beforehand. Pass `\.self`
  ///     alone if the property reads only the content of its own object. Needed for computed properties only.
  public init<Root: StoredObject, Value: OptionalText>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(text: name, keyPath, loading: loading.isEmpty ? nil : loading)
  }

  /// Makes a field of a collection of values, such as an array of strings, which supports `CONTAINS`.
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

  /// Makes a field of an optional reference, which is compared by the object's identity: `"album = ?"` with `album.id`.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target?> & Sendable
  ) {
    let property = Property(keyPath)
    let read = property.read
    self.init(
      name,
      access: ReferenceField<Root>(
        path: property.path, isOptional: true, target: Target.self,
        read: { object throws(StoreError) in try read(object) }))
  }

  /// Makes a field of a reference that is never nil.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target> & Sendable
  ) {
    let property = Property(keyPath)
    let read = property.read
    self.init(
      name,
      access: ReferenceField<Root>(
        path: property.path, isOptional: false, target: Target.self,
        read: { object throws(StoreError) in try read(object) }))
  }

  /// Makes a field of a list of references, which supports `CONTAINS` with the identity of an object.
  public init<Root: StoredObject, List: ReferenceCollection & SendableMetatype>(
    _ name: String, _ keyPath: any KeyPath<Root, List> & Sendable
  ) {
    let property = Property(keyPath)
    self.init(
      name,
      access: ListField<Root, AnyObjectID>(typeName: "list of references to \(List.Element.self)") {
        .test(ReferenceListTest(property: property, target: $0))
      })
  }
}
