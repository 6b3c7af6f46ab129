internal import Synchronization
public import Todana

/// An index of a ``ValueCollection``, on one property or several in sequence.
///
/// ```swift
/// let people = try store.collection(of: Person.self, indexes: [.init(\.age), .init(\.name, unique: true)])
/// ```
public struct ValueIndex<Value: Codable & Sendable>: Sendable {
  /// The name by which later runs identify the index; nil if the key paths print none and none was given.
  let name: String?
  let isUnique: Bool
  let parts: [IndexPart]

  /// Declares an index.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties, each compared as by conditions.
  ///   - unique: Whether no two values may have equal properties. Any number may have nil.
  ///   - name: The name by which later runs identify the index; nil for the names of the properties. Computed properties
  ///     have none, so an index on them needs this one.
  public init<each Field: OrderedValue>(
    _ keyPaths: repeat any KeyPath<Value, each Field> & Sendable, unique: Bool = false, name: String? = nil
  ) {
    var parts: [IndexPart] = []
    var names: [String?] = []
    repeat Self.add(each keyPaths, &parts, &names)
    self.parts = parts
    let known = names.compactMap { $0 }
    self.name = name ?? (known.count == names.count ? known.joined(separator: ", ") : nil)
    isUnique = unique
  }

  init(name: String, isUnique: Bool, parts: [IndexPart]) {
    self.name = name
    self.isUnique = isUnique
    self.parts = parts
  }

  private static func add<Field: OrderedValue>(
    _ keyPath: any KeyPath<Value, Field> & Sendable, _ parts: inout [IndexPart], _ names: inout [String?]
  ) {
    parts.append(.ascending(ValuePath.to(keyPath)))
    names.append(ValuePath.name(keyPath))
  }
}

/// The indexes that the program has declared, by the type of their values and their name.
///
/// A store finds the indexes of a collection by the names in its description.
enum DeclaredValueIndexes {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let name: String
    let isUnique: Bool
  }

  private static let indexes = Mutex<[Key: Index]>([:])

  static func declare<Value>(_ index: ValueIndex<Value>, named name: String) {
    let key = Key(type: ObjectIdentifier(Value.self), name: name, isUnique: index.isUnique)
    let index = Index(parts: index.parts, unique: index.isUnique, name: name)
    indexes.withLock { $0[key] = index }
  }

  static func index(named name: String, isUnique: Bool, of type: Any.Type) -> Index? {
    indexes.withLock { $0[Key(type: ObjectIdentifier(type), name: name, isUnique: isUnique)] }
  }
}
