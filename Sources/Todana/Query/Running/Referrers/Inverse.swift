/// The other end of a relationship: a property with the objects that refer to this one.
///
/// ```swift
/// final class Song: StoredObject {
///   @Inverse(\Album.songs) var albums: [Album]
/// }
/// ```
///
/// Each access searches for the objects, as ``StoredObject/referrers(_:)-(KeyPath<Source,[Self]>Sendable)`` does. Pending
/// changes count. The property is not part of the content, and cannot be assigned: change the property that it names. It
/// is empty as long as the object is in no store.
///
/// A getter cannot throw. If the objects cannot be found, the property is empty, and the store's next throwing call throws
/// the error, as for ``Loaded``.
@propertyWrapper
public struct Inverse<Source: StoredObject> {
  // Only the key path, because every object has it.
  private let keyPath: any AnyKeyPath & Sendable

  /// Declares the inverse of a list of references.
  public init<Target: StoredObject>(_ keyPath: any KeyPath<Source, [Target]> & Sendable) { self.keyPath = keyPath }

  /// Declares the inverse of a set of references.
  public init<Target: StoredObject>(_ keyPath: any KeyPath<Source, Set<Target>> & Sendable) { self.keyPath = keyPath }

  /// Declares the inverse of a list of lazy references.
  public init<Target: StoredObject>(_ keyPath: any KeyPath<Source, LazyReferences<Target>> & Sendable) {
    self.keyPath = keyPath
  }

  /// Declares the inverse of an optional reference.
  public init<Target: StoredObject>(_ keyPath: any KeyPath<Source, Target?> & Sendable) { self.keyPath = keyPath }

  /// Declares the inverse of a reference.
  public init<Target: StoredObject>(_ keyPath: any KeyPath<Source, Target> & Sendable) { self.keyPath = keyPath }

  @available(*, unavailable, message: "@Inverse works in subclasses of StoredObject only")
  public var wrappedValue: [Source] { [] }

  public static subscript<Enclosing: StoredObject>(
    _enclosingInstance object: Enclosing,
    wrapped wrappedKeyPath: KeyPath<Enclosing, [Source]>,
    storage storageKeyPath: KeyPath<Enclosing, Self>
  ) -> [Source] {
    let inverse = object[keyPath: storageKeyPath]
    if let sources = InverseSources.current { return inverse.sources(of: object, in: sources) }
    guard let store = object.store else {
      LoadedAccesses.note(inverse.keyPath, of: object)
      return []
    }
    return store.valueOrDeferred([]) { () throws(StoreError) in try inverse.sources(of: object, in: store) }
  }

  private func sources(of object: StoredObject, in reader: InverseSources) -> [Source] {
    guard let value = type(of: keyPath).valueType as? any RelationshipValue.Type else { return [] }
    // The sources are objects of the key path's root class.
    return reader.sources(of: keyPath, value, for: object).map { unsafe unsafeDowncast($0, to: Source.self) }
  }

  private func sources(of object: StoredObject, in store: Store) throws(StoreError) -> [Source] {
    guard let value = type(of: keyPath).valueType as? any RelationshipValue.Type else { return [] }
    return try sources(of: object, in: store, value)
  }

  private func sources<Value: RelationshipValue>(
    of object: StoredObject, in store: Store, _ type: Value.Type
  ) throws(StoreError) -> [Source] {
    guard let typed = keyPath as? KeyPath<Source, Value> else { return [] }
    // The initializers accept only `Sendable` key paths, to which a cast cannot lead back.
    return try store.owners(
      of: unsafe unsafeBitCast(typed, to: (any KeyPath<Source, Value> & Sendable).self), referringTo: object)
  }
}

/// It has a key path only, and keeps no object alive.
extension Inverse: PlainValue {}

extension Inverse: InverseProperty {
  static var source: StoredObject.Type { Source.self }
}

extension Store {
  /// Returns the result of a closure, for a property that cannot throw; after an error, which is deferred, the default.
  fileprivate func valueOrDeferred<Value>(
    _ defaultValue: Value, _ body: () throws(StoreError) -> Value
  ) -> Value {
    // An earlier error must not keep other objects from being found.
    let earlier = deferredError
    deferredError = nil
    do throws(StoreError) {
      defer { deferredError = earlier }
      return try body()
    } catch {
      deferredError = earlier ?? error
      return defaultValue
    }
  }
}
