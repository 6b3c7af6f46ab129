/// An index of a class: it orders objects by the values of properties, so that queries need not read all objects.
///
/// ```swift
/// override class var indexes: [Index] {
///   [Index(\Song.seconds), Index(\Song.genre, .descending(\Song.title)), Index(\Song.isrc, unique: true)]
/// }
/// ```
///
/// An index is saved with the records, in the same commits. Every insert and delete writes or removes an entry, as does
/// every update of an indexed value. An index serves conditions on its first properties: several `==`, and one
/// more condition on the next property. It also serves sorting by these properties, in both directions.
/// ``Store/explain(_:)`` shows which indexes a query uses.
///
/// **An index is identified by its name** in later runs of the program. By default it is made of the names of its
/// properties. If the name of a property cannot be found out, as that of one whose accessors change the value, pass a
/// `name`. An index is built again if its name, its properties, their types, its order, its condition, its version or
/// the version of the class has changed (``Store/buildIndexes(progress:)``).
///
/// An index takes stored properties of the object itself, and of structures in it. A computed property is refused when
/// a store is opened, with ``StoreError/Code/invalidIndex``. So is a property of another object, because that object
/// can change without this one.
public struct Index: Sendable {
  let parts: [IndexPart]
  let isUnique: Bool
  /// Whether a unique index accepts any number of objects with nil.
  let nilIsDistinct: Bool
  let givenName: String?
  let version: Int
  /// The condition that an object must meet to be in the index; nil for all objects.
  let condition: ConditionNode?

  /// Creates an index by one property, or by several: by the first, among equal values by the second, and so on.
  ///
  /// - Parameters:
  ///   - parts: Key paths of properties, or `.descending`, `.folded` or `.each` of them (``IndexPart``); at most
  ///     six.
  ///   - unique: Whether no two objects may have equal values. A save that would violate this throws
  ///     ``UniqueViolation``.
  ///   - nilIsDistinct: Whether nil never equals nil in a unique index. If true (the default), any number of objects
  ///     may have nil. If false, nil is a value like any other, which only one object may have.
  ///   - name: The name by which later runs identify the index.
  ///   - version: The version of the index. Raise it to have the index built again, for example if `readContent` yields
  ///     other values.
  public init<each Part: IndexPartSource & Sendable>(
    _ parts: repeat each Part, unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1
  ) {
    var all: [IndexPart] = []
    for part in repeat each parts { all.append(part.indexPart) }
    self.init(parts: all, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version, condition: nil)
  }

  /// Creates a partial index, which has only the objects that meet a condition.
  ///
  /// ```swift
  /// Index(\Song.title, where: { $0.isFavourite })
  /// ```
  ///
  /// A query uses it only if the conditions of the query include all conditions of the index.
  public init<Root: StoreIdentifiable, each Value: IndexedValue>(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable, unique: Bool = false, nilIsDistinct: Bool = true,
    name: String? = nil, version: Int = 1, where condition: (Properties<Root>) -> Condition<Root>
  ) {
    var all: [IndexPart] = []
    for keyPath in repeat each keyPaths { all.append(.ascending(keyPath)) }
    self.init(
      parts: all, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: condition(Properties()).node)
  }

  /// Creates a partial index, which has only the objects for which a property is true.
  public init<Root: StoreIdentifiable, each Value: IndexedValue>(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable, unique: Bool = false, nilIsDistinct: Bool = true,
    name: String? = nil, version: Int = 1, where property: (Properties<Root>) -> Property<Root, Bool>
  ) {
    var all: [IndexPart] = []
    for keyPath in repeat each keyPaths { all.append(.ascending(keyPath)) }
    self.init(
      parts: all, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: property(Properties()).condition.node)
  }

  /// Creates a partial index by parts.
  ///
  /// ```swift
  /// Index(.folded(\Song.title), where: { (song: Properties<Song>) in song.seconds > 200 })
  /// ```
  public init<Root: StoreIdentifiable>(
    _ parts: IndexPart..., unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1,
    where condition: (Properties<Root>) -> Condition<Root>
  ) {
    self.init(
      parts: parts, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: condition(Properties()).node)
  }

  /// Creates a partial index by parts, which has only the objects for which a property is true.
  ///
  /// ```swift
  /// Index(.folded(\Song.title), where: { (song: Properties<Song>) in song.isFavourite })
  /// ```
  public init<Root: StoreIdentifiable>(
    _ parts: IndexPart..., unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1,
    where property: (Properties<Root>) -> Property<Root, Bool>
  ) {
    self.init(
      parts: parts, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: property(Properties()).condition.node)
  }

  /// Creates an index with an entry for each element of a collection, such as an array of strings or of references.
  public init<Root: StoredObject, Elements: Collection & SendableMetatype>(
    each elements: any KeyPath<Root, Elements> & Sendable, unique: Bool = false, nilIsDistinct: Bool = true,
    name: String? = nil, version: Int = 1
  ) where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    self.init(
      parts: [.each(elements)], isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: nil)
  }

  /// Creates an index by parts that are known only at run time.
  ///
  /// - Parameters:
  ///   - parts: The parts, as for ``init(_:unique:nilIsDistinct:name:version:)``.
  ///   - unique: Whether no two objects may have equal values.
  ///   - nilIsDistinct: Whether any number of objects may have nil in a unique index.
  ///   - name: The name by which later runs identify the index.
  ///   - version: The version of the index.
  public init(
    parts: [IndexPart], unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1
  ) {
    self.init(
      parts: parts, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version, condition: nil)
  }

  init(
    parts: [IndexPart], isUnique: Bool, nilIsDistinct: Bool, name: String?, version: Int, condition: ConditionNode?
  ) {
    self.parts = parts
    self.isUnique = isUnique
    self.nilIsDistinct = nilIsDistinct
    givenName = name
    self.version = version
    self.condition = condition?.simplified
  }

  /// The name that identifies the index; nil if none is given and the name of a property is not known.
  var name: String? {
    if let givenName { return givenName }
    var names: [String] = []
    for part in parts {
      guard let name = part.name else { return nil }
      names.append(name)
    }
    return names.joined(separator: ", ")
  }

  /// Returns a text of all properties of the index that must be unchanged for an existing tree to be usable.
  func signature(classVersion: UInt8) -> String {
    var lines = ["layout 1", "class version \(classVersion)", "index version \(version)"]
    if isUnique { lines.append(nilIsDistinct ? "unique" : "unique with nil") }
    for part in parts { lines.append("part " + part.signature) }
    if let condition { lines.append("where " + condition.signature) }
    return lines.joined(separator: "\n")
  }
}
