/// A property that loads its object on access: reading it on a fault loads the whole object first.
///
/// ```swift
/// final class Album: StoredObject {
///   @Loaded var title = ""
/// }
/// ```
///
/// Assigning loads the object, too, and announces the change (``StoredObject/willUpdate()``). A getter cannot throw. If
/// loading fails, the getter returns the default value, and the store's next throwing call throws the error.
///
/// An access takes a few tens of nanoseconds longer than an access to a plain property.
@propertyWrapper
public struct Loaded<Value> {
  fileprivate(set) var value: Value

  public init(wrappedValue: Value) { value = wrappedValue }

  @available(*, unavailable, message: "@Loaded works in subclasses of StoredObject only")
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  public static subscript<Enclosing: StoredObject>(
    _enclosingInstance object: Enclosing,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<Enclosing, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Enclosing, Self>
  ) -> Value {
    get {
      if object.isFault { object.loadOnAccess() }
      return object[keyPath: storageKeyPath].value
    }
    set {
      if object.isFault { object.loadOnAccess() }
      if !object.state.contains(.decoding), !object.isFault { object.willUpdate() }
      object[keyPath: storageKeyPath].value = newValue
    }
  }
}

extension StoredObject {
  /// Loads the content; an error is thrown by the store's next throwing call.
  final func loadOnAccess() {
    guard let store = table?.store, !state.contains(.decoding) else { return }
    do throws(StoreError) {
      try store.load(self)
    } catch {
      store.deferredError = store.deferredError ?? error
    }
  }
}
