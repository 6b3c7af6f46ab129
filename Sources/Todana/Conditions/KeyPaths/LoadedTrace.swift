/// A trace of the ``Loaded`` properties that a key path reads.
///
/// The key path itself does not reveal that a step is such a property. But the getter of the property is passed the
/// property's own key path, whose only step has the same identity. So the key path is read from new objects, which look
/// like faults, and each getter notes its key path (``LoadedAccesses``).
///
/// A trace is used by one thread.
final class LoadedTrace {
  private let keyPath: AnyKeyPath
  private let root: StoredObject
  private let identities: [UInt?]
  /// The object that the steps followed so far lead to.
  private var current: StoredObject

  /// Makes the trace of a key path; nil if its steps cannot be identified.
  init?(of keyPath: AnyKeyPath, from type: StoredObject.Type?, stepCount: Int) {
    guard let type, let identities = KeyPathIdentities.of(keyPath), identities.count == stepCount else { return nil }
    self.keyPath = keyPath
    self.identities = identities
    root = Self.makeFault(type)
    current = root
  }

  /// Makes an object that has the state of a fault, but belongs to no store.
  private static func makeFault(_ type: StoredObject.Type) -> StoredObject {
    let object = type.init()
    object.state.insert(.fault)
    return object
  }

  /// Returns the ``Loaded`` property of the current object that a step reads; nil if it reads none.
  func property(readByStep step: Int) -> AnyKeyPath? {
    guard let identity = identities[step] else { return nil }
    return LoadedAccesses.properties(of: current, during: read).first { KeyPathIdentities.of($0) == [identity] }
  }

  /// Returns whether a key path of one step reads an ``Inverse``, which notes the property that it is the inverse of.
  static func readsInverse(_ keyPath: AnyKeyPath) -> Bool {
    guard let type = type(of: keyPath).rootType as? StoredObject.Type,
      let sources = Swift.type(of: keyPath).valueType as? any ReferenceHolder.Type
    else { return false }
    let object = makeFault(type)
    let noted = LoadedAccesses.properties(of: object) { read(keyPath, of: object) }
    return noted.count == 1 && Swift.type(of: noted[0]).rootType == sources.target
  }

  private func read() { Self.read(keyPath, of: root) }

  private static func read(_ keyPath: AnyKeyPath, of root: StoredObject) {
    func read<Root>(_ type: Root.Type) {
      // The root was made of the key path's root type.
      guard let root = root as? Root, let keyPath = keyPath as? PartialKeyPath<Root> else { return }
      _ = root[keyPath: keyPath]
    }
    _openExistential(type(of: keyPath).rootType, do: read)
  }

  /// Makes a ``Loaded`` property of the current object refer to a new object, which becomes the current one.
  ///
  /// - Returns: Whether the property is a single reference.
  func follow(_ property: AnyKeyPath) -> Bool {
    let holder = type(of: property).valueType as? any ReferenceHolder.Type
    guard let holder, !(holder is any Collection.Type) else { return false }
    let target = Self.makeFault(holder.target)
    func assign<Root>(_ type: Root.Type) -> Bool {
      func assign<Value>(_ type: Value.Type) -> Bool {
        guard let object = current as? Root, let property = property as? ReferenceWritableKeyPath<Root, Value>,
          let value = target as? Value
        else { return false }
        object[keyPath: property] = value
        return true
      }
      return _openExistential(Swift.type(of: property).valueType, do: assign)
    }
    guard _openExistential(type(of: property).rootType, do: assign) else { return false }
    current = target
    return true
  }

  /// Makes a stored reference of the current object refer to a new object, which becomes the current one.
  func follow(_ holder: any ReferenceHolder.Type, at offset: Int) {
    let target = Self.makeFault(holder.target)
    // A reference and an optional reference have the same representation.
    withExtendedLifetime(current) {
      let start = unsafe Unmanaged.passUnretained(current).toOpaque()
      unsafe (start + offset).assumingMemoryBound(to: StoredObject?.self).pointee = target
    }
    current = target
  }
}
