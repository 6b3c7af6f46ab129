// Fields with properties, which query texts can name as well.
extension ContentField {
  /// Makes a field of a property, whose type tells how it is written.
  public init<Root: StoredObject, Value: ContentFieldValue & OrderedValue>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(
      name, Value.contentType, field: Field(name, keyPath, loading: loading.isEmpty ? nil : loading))
  }

  /// Makes a field of a text.
  public init<Root: StoredObject, Value: ContentFieldValue & OptionalText>(
    _ name: String, _ keyPath: any KeyPath<Root, Value> & Sendable, loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(
      name, Value.contentType, field: Field(text: name, keyPath, loading: loading.isEmpty ? nil : loading))
  }

  /// Makes a field of a collection of values.
  @_disfavoredOverload
  public init<Root: StoredObject, Elements: ContentFieldValue & Collection & Sendable & SendableMetatype>(
    _ name: String, _ keyPath: any KeyPath<Root, Elements> & Sendable
  ) where Elements.Element: OrderedValue {
    self.init(name, Elements.contentType, field: Field(name, keyPath))
  }

  /// Makes a field of a property that is written in another way than its type tells, or of a type of your own.
  public init<Root: StoredObject, Value: OrderedValue>(
    _ name: String, _ type: ContentType, _ keyPath: any KeyPath<Root, Value> & Sendable,
    loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(name, type, field: Field(name, keyPath, loading: loading.isEmpty ? nil : loading))
  }

  /// Makes a field of a text that is written in another way than its type tells.
  public init<Root: StoredObject, Value: OptionalText>(
    _ name: String, _ type: ContentType, _ keyPath: any KeyPath<Root, Value> & Sendable,
    loading: any PartialKeyPath<Root> & Sendable...
  ) {
    self.init(name, type, field: Field(text: name, keyPath, loading: loading.isEmpty ? nil : loading))
  }

  /// Makes a field of a reference that is written by ``DataBuffer/writeReference(_:)``.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target?> & Sendable
  ) {
    self.init(name, .reference, keyPath)
  }

  /// Makes a field of a reference that is written in the given way, such as ``ContentType/anyReference``.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ type: ContentType, _ keyPath: any KeyPath<Root, Target?> & Sendable
  ) {
    self.init(name, type, field: Field(name, keyPath))
  }

  /// Makes a field of a reference that is never nil.
  public init<Root: StoredObject, Target: StoredObject>(
    _ name: String, _ keyPath: any KeyPath<Root, Target> & Sendable
  ) {
    self.init(name, .reference, field: Field(name, keyPath))
  }

  /// Makes a field of a list of references that is written by `DataBuffer.writeReferences(_:)`.
  public init<Root: StoredObject, List: ReferenceCollection & SendableMetatype>(
    _ name: String, _ keyPath: any KeyPath<Root, List> & Sendable
  ) {
    self.init(name, .references, keyPath)
  }

  /// Makes a field of a list of references that is written in the given way, such as ``ContentType/anyReferences``.
  public init<Root: StoredObject, List: ReferenceCollection & SendableMetatype>(
    _ name: String, _ type: ContentType, _ keyPath: any KeyPath<Root, List> & Sendable
  ) {
    self.init(name, type, field: Field(name, keyPath))
  }
}
