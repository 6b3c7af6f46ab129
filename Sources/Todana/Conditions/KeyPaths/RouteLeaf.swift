/// Reads the value at the end of a key path from the object that has it as a stored property.
///
/// A key path through optional references takes several times as long.
@safe
struct RouteLeaf: @unchecked Sendable {
  /// Writes the value, of the key path's type, to memory that is not initialized.
  private let write: (StoredObject, UnsafeMutableRawPointer) -> Void
  /// Writes the value in the order of sorts, without a copy; nil if its type has no order.
  let writeKey: (@Sendable (StoredObject, inout KeyWriter) -> Void)?

  /// Makes nil where the value is not the property itself, or an optional of it.
  ///
  /// - Parameters:
  ///   - keyPath: The key path.
  ///   - fieldType: The type of the stored property, as the metadata of its class says.
  ///   - offset: Where it is in an object, as the metadata says.
  init?(of keyPath: AnyKeyPath, _ fieldType: Any.Type, offset: Int) {
    let valueType = type(of: keyPath).valueType
    func plain<Value>(_ type: Value.Type) -> (StoredObject, UnsafeMutableRawPointer) -> Void {
      { object, memory in
        unsafe memory.initializeMemory(as: type, repeating: object.load(at: offset, as: type), count: 1)
      }
    }
    func wrapped<Value>(_ type: Value.Type) -> (StoredObject, UnsafeMutableRawPointer) -> Void {
      { object, memory in
        unsafe memory.initializeMemory(as: Value?.self, repeating: object.load(at: offset, as: type), count: 1)
      }
    }
    if fieldType == valueType {
      unsafe write = unsafe _openExistential(fieldType, do: plain)
    } else if (valueType as? any WrappingValue.Type)?.wrappedType == fieldType {
      unsafe write = unsafe _openExistential(fieldType, do: wrapped)
    } else {
      return nil
    }
    let isWrapped = fieldType != valueType
    func ordered<Value: IndexedValue>(_ type: Value.Type) -> @Sendable (StoredObject, inout KeyWriter) -> Void {
      { object, key in
        // The byte of an optional value that is not nil.
        if isWrapped { key.append(1) }
        unsafe object.load(at: offset, as: type).writeKey(to: &key)
      }
    }
    writeKey = (fieldType as? any IndexedValue.Type).map { ordered($0) }
  }

  /// The value of the object that the route leads to; `type` is that of the key path's value.
  @inline(__always)
  func value<Value>(of object: StoredObject, as type: Value.Type) -> Value {
    unsafe withUnsafeTemporaryAllocation(of: type, capacity: 1) { memory in
      // There is room for one.
      let start = unsafe memory.baseAddress.unsafelyUnwrapped
      unsafe write(object, UnsafeMutableRawPointer(start))
      return unsafe start.move()
    }
  }
}
