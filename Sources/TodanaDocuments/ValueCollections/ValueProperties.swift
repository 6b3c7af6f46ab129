public import Todana

/// The argument of a condition's closure, which gives access to the properties of a value.
///
/// ```swift
/// try people.find { $0.age > 20 && $0.address.city == "Boston" }
/// ```
@dynamicMemberLookup
public struct ValueProperties<Value: Codable & Sendable>: Sendable {
  init() {}

  public subscript<Member>(
    dynamicMember keyPath: any KeyPath<Value, Member> & Sendable
  ) -> Property<StoredValue<Value>, Member> {
    Properties<StoredValue<Value>>()[dynamicMember: ValuePath.to(keyPath)]
  }
}

/// Key paths from the object that keeps a value.
enum ValuePath {
  /// Returns the path to the whole value, which every object of a collection has.
  static func whole<Value>(_ type: Value.Type) -> any KeyPath<StoredValue<Value>, Value> & Sendable {
    \StoredValue<Value>.value!
  }

  /// Returns the path to a property of the value.
  static func to<Value, Member>(
    _ keyPath: any KeyPath<Value, Member> & Sendable
  ) -> any KeyPath<StoredValue<Value>, Member> & Sendable {
    let path: KeyPath<StoredValue<Value>, Member> = whole(Value.self).appending(path: requirement(for: keyPath))
    // Both parts of the path are Sendable, and so is their sequence.
    return unsafe unsafeBitCast(path, to: (any KeyPath<StoredValue<Value>, Member> & Sendable).self)
  }

  /// Returns the key path of `Identifiable.id` in the place of one to the type's own property of this name and type,
  /// which meets the requirement: collections know the id only by the protocol, and paths are compared.
  private static func requirement<Value, Member>(
    for keyPath: any KeyPath<Value, Member> & Sendable
  ) -> KeyPath<Value, Member> {
    guard let type = Value.self as? any Identifiable.Type, name(keyPath) == "id" else { return keyPath }
    return idPath(type) as? KeyPath<Value, Member> ?? keyPath
  }

  private static func idPath<Value: Identifiable>(_ type: Value.Type) -> AnyKeyPath { \Value.id }

  /// Returns the name of a property as written in code; nil if the key path does not print it.
  static func name<Value>(_ keyPath: PartialKeyPath<Value>) -> String? {
    let text = keyPath.debugDescription
    guard let dot = text.firstIndex(of: "."), !text.contains("<computed"), !text.contains("<offset") else { return nil }
    let name = text[text.index(after: dot)...]
    return name.isEmpty ? nil : String(name)
  }
}
