@_spi(Reflection) internal import Swift

/// A stored property of a class or structure, from the type's metadata.
struct StoredField {
  let name: String
  let type: Any.Type
  /// The offset from the first byte of the object or structure.
  let offset: Int

  /// The name of the property as written in code: the field of a ``Loaded`` property has an underscore before it.
  var propertyName: String {
    type is any LoadedProperty.Type && name.first == "_" ? String(name.dropFirst()) : name
  }

  /// Returns the stored properties of a structure, or of a class and its superclasses.
  ///
  /// - Returns: An empty array if the metadata does not contain them.
  static func all(of owner: Any.Type) -> [StoredField] {
    var fields: [StoredField] = []
    // Bit 0 is set for a class.
    let options = _EachFieldOptions(rawValue: owner is AnyClass ? 1 : 0)
    let isKnown = unsafe _forEachField(of: owner, options: options) { name, offset, type, _ in
      unsafe fields.append(StoredField(name: String(cString: name), type: type, offset: offset))
      return true
    }
    return isKnown ? fields : []
  }

  /// Returns the stored property with a name.
  ///
  /// - Returns: nil if there is none, or if there are several: a class and its superclass may use the same name.
  static func named(_ name: Substring, of owner: Any.Type) -> StoredField? {
    var fields = all(of: owner)
    // The fields of the base class come first. No key path of a program leads to them.
    if owner is StoredObject.Type { fields.removeFirst(all(of: StoredObject.self).count) }
    let found = fields.filter { $0.name == name }
    return found.count == 1 ? found[0] : nil
  }
}

/// Tests whether a value of a type can lead to stored objects, so that a property computed from it may depend on them.
///
/// - Returns: true if this cannot be determined.
func mayReferToObjects(_ type: Any.Type, depth: Int = 0) -> Bool {
  if type is any OrderedValue.Type { return false }
  if type is StoredObject.Type || depth > 16 { return true }
  if byteCount(of: type) < MemoryLayout<Int>.size { return false }
  if let type = type as? any WrappingValue.Type { return mayReferToObjects(type.wrappedType, depth: depth + 1) }
  if let type = type as? any Collection.Type {
    func element<Elements: Collection>(_ type: Elements.Type) -> Any.Type { Elements.Element.self }
    return mayReferToObjects(element(type), depth: depth + 1)
  }
  switch metadataKind(of: type) {
  case .struct, .tuple:
    let fields = StoredField.all(of: type)
    return fields.isEmpty || fields.contains { mayReferToObjects($0.type, depth: depth + 1) }
  case .enum: return !(type is any RawRepresentable.Type || type is any CaseIterable.Type)
  default: return true
  }
}

func byteCount(of type: Any.Type) -> Int {
  func byteCount<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
  return _openExistential(type, do: byteCount)
}

/// Returns the kind of a type; the standard library reports the kinds of fields only.
func metadataKind(of type: Any.Type) -> _MetadataKind? {
  var kind: _MetadataKind?
  func find<Value>(_ type: Value.Type) {
    _ = unsafe _forEachField(of: FieldHolder<Value>.self) { _, _, _, fieldKind in
      kind = fieldKind
      return true
    }
  }
  _openExistential(type, do: find)
  return kind
}

private struct FieldHolder<Value> {
  var value: Value
}

/// An optional, without the type that it wraps.
protocol WrappingValue {
  static var wrappedType: Any.Type { get }
}

extension Optional: WrappingValue {
  static var wrappedType: Any.Type { Wrapped.self }
}
