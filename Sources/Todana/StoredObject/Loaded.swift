/// A property that loads its object on access: reading it on a fault loads the whole object first.
///
/// ```swift
/// final class Album: StoredObject {
///   @Loaded var title = ""
/// }
/// ```
///
/// Assigning loads the object, too, and announces the change (``StoredObject/willUpdate()``). A getter cannot throw. If
/// loading fails, the getter returns the default value, an assignment has no effect, and the store's next throwing call
/// throws the error. A call with a closure throws it at its end if the closure read the property. After the store was
/// closed, no call can throw, so the first such error is logged.
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
      if object.isFault { object.loadOnAccess(to: wrappedKeyPath) }
      return object[keyPath: storageKeyPath].value
    }
    set {
      if object.isFault, !object.loadOnAccess(to: wrappedKeyPath) { return }
      if !object.state.contains(.decoding), !object.isFault { object.willUpdate() }
      object[keyPath: storageKeyPath].value = newValue
    }
  }
}

/// A ``Loaded`` property, without the type of its value.
protocol LoadedProperty {
  /// The value in memory, which is the default if the object is a fault.
  var storedValue: Any { get }
}

extension Loaded: LoadedProperty {
  var storedValue: Any { value }
}

extension StoredObject {
  /// Loads the content of a fault; the store's next throwing call throws an error.
  ///
  /// - Returns: Whether the properties may be assigned; false if the content could not be loaded.
  @discardableResult
  final func loadOnAccess(to property: @autoclosure () -> AnyKeyPath) -> Bool {
    guard let table else {
      LoadedAccesses.note(property(), of: self)
      return true
    }
    return state.contains(.decoding) || table.store.loadOnAccess(self)
  }
}
