/// A property that code derives from the content of an object, under a name of its own.
///
/// Conditions, sorts and indexes use it like a stored property. It is for classes whose fields are not known at compile
/// time, such as those of documents:
///
/// ```swift
/// let country = DerivedProperty<Record, String?>("country") { record in record.values["country"] }
/// let query = Query<Record>(where: country.property == "US").sorted(by: country)
/// let index = Index(.ascending(country))
/// ```
///
/// **The name identifies the property.** Two properties of one class with the same name must yield the same values, in
/// all runs of the program as long as an index on it exists. The closure must read only the content of its object: no
/// other objects, and nothing that can change otherwise.
public struct DerivedProperty<Root: StoredObject, Value>: Sendable {
  public let name: String
  /// The closure that returns the value of an object, whose content is loaded.
  public let read: @Sendable (Root) -> Value
  /// Writes the key of an object's value without making the value; nil if there is no faster way.
  let writeKey: (@Sendable (Root, inout KeyWriter) -> Void)?

  /// Makes a property.
  ///
  /// - Parameters:
  ///   - name: The name, which is not empty and contains no NUL.
  ///   - read: The closure that returns the value of an object, whose content is loaded. It is called on any thread.
  public init(_ name: String, read: @escaping @Sendable (Root) -> Value) {
    self.name = name
    self.read = read
    writeKey = nil
  }

  /// Makes a property whose key can be written without making the value.
  ///
  /// - Parameters:
  ///   - name: As for ``init(_:read:)``.
  ///   - read: As for ``init(_:read:)``.
  ///   - writeKey: Writes the bytes that the value's ``IndexedValue/writeKey(to:)`` writes.
  public init(
    _ name: String, read: @escaping @Sendable (Root) -> Value,
    writeKey: @escaping @Sendable (Root, inout KeyWriter) -> Void
  ) {
    self.name = name
    self.read = read
    self.writeKey = writeKey
  }

  /// The property in conditions.
  public var property: Property<Root, Value> {
    let read = read
    return Property(path: path) { object throws(StoreError) in read(object) }
  }

  var path: PropertyPath { PropertyPath(derived: DerivedName(name: name, root: ObjectIdentifier(Root.self))) }
}

/// The identity of a ``DerivedProperty``.
struct DerivedName: Hashable, Sendable {
  let name: String
  let root: ObjectIdentifier

  static func == (lhs: DerivedName, rhs: DerivedName) -> Bool {
    lhs.root == rhs.root && lhs.name.utf8.elementsEqual(rhs.name.utf8)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(root)
    for byte in name.utf8 { hasher.combine(byte) }
  }
}
