/// An index of a class: its objects by the values of properties, so that queries need not look at all of them.
///
/// ```swift
/// override class var indexes: [Index] {
///   [Index(\Song.seconds), Index(\Song.genre, .descending(\Song.title)), Index(\Song.isrc, unique: true)]
/// }
/// ```
///
/// An index is kept with the records, in the same commits, and costs every insert and delete, and every update of what
/// is in it, an entry. It serves conditions on its first properties: several `==` and one more condition on the next
/// one; and sorting by them, from either end. Which indexes a query uses ``Store/explain(_:)`` tells.
///
/// **Its name is what it is known by** in later runs of the program: by default the key paths as they print, which
/// those of stored properties of final classes and keyspaces do. For others give a `name`. An index of another name,
/// of other types, of another order, or of another version of the class or of the index itself is built anew
/// (``Store/buildIndexes(progress:)``).
///
/// An index is over stored properties of the object itself, and of keyspaces in it. One over a computed property, or
/// over a property of another object, which changes without this one, is refused when a store is opened:
/// ``StoreError/Code/invalidIndex``.
public struct Index: Sendable {
  let parts: [IndexPart]
  let isUnique: Bool
  /// Whether a unique index takes any number of objects with nil.
  let nilIsDistinct: Bool
  let givenName: String?
  let version: Int
  /// Which objects are in it; nil: all.
  let condition: ConditionNode?

  /// An index by one property, or by several: by the first, among equals by the second, and so on.
  ///
  /// - Parameters:
  ///   - parts: Key paths of properties, or ``IndexPart/descending(_:)``, ``IndexPart/folded(_:)``,
  ///     ``IndexPart/each(_:)`` of them; six at most.
  ///   - unique: Whether no two objects may have the same values: a save that would bring that about throws
  ///     ``UniqueViolation``.
  ///   - nilIsDistinct: Whether nil never equals nil in a unique index. By default (`true`) nil never equals nil, so any
  ///     number of objects may have it. With `false` nil is a value like others, which only one object may have.
  ///   - name: What the index is known by in later runs.
  ///   - version: Raise it to have the index built again, for example if `readContent` gives other values.
  public init<each Part: IndexPartSource & Sendable>(
    _ parts: repeat each Part, unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1
  ) {
    var all: [IndexPart] = []
    for part in repeat each parts { all.append(part.indexPart) }
    self.init(parts: all, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version, condition: nil)
  }

  /// A partial index: of the objects that meet a condition.
  ///
  /// ```swift
  /// Index(\Song.title, where: { $0.isFavourite })
  /// ```
  ///
  /// A query uses it if its own conditions have all of these among them.
  public init<Root: StoreIdentifiable, each Value: IndexedValue, Source: ConditionSource<Root>>(
    _ keyPaths: repeat any KeyPath<Root, each Value> & Sendable, unique: Bool = false, nilIsDistinct: Bool = true,
    name: String? = nil, version: Int = 1, where condition: (Properties<Root>) -> Source
  ) {
    var all: [IndexPart] = []
    for keyPath in repeat each keyPaths { all.append(.ascending(keyPath)) }
    self.init(
      parts: all, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: condition(Properties()).condition.node)
  }

  /// A partial index by parts: `Index(.folded(\Song.title), where: { (song: Properties<Song>) in song.isFavourite })`.
  public init<Root: StoreIdentifiable, Source: ConditionSource<Root>>(
    _ parts: IndexPart..., unique: Bool = false, nilIsDistinct: Bool = true, name: String? = nil, version: Int = 1,
    where condition: (Properties<Root>) -> Source
  ) {
    self.init(
      parts: parts, isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: condition(Properties()).condition.node)
  }

  /// An index with an entry for each element of a collection, such as an array of strings or of references.
  public init<Root: StoredObject, Elements: Collection & SendableMetatype>(
    each elements: any KeyPath<Root, Elements> & Sendable, unique: Bool = false, nilIsDistinct: Bool = true,
    name: String? = nil, version: Int = 1
  ) where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    self.init(
      parts: [.each(elements)], isUnique: unique, nilIsDistinct: nilIsDistinct, name: name, version: version,
      condition: nil)
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

  /// What the index is known by; nil if that is not given and does not print.
  var name: String? {
    if let givenName { return givenName }
    var names: [String] = []
    for part in parts {
      guard let name = part.name else { return nil }
      names.append(name)
    }
    return names.joined(separator: ", ")
  }

  /// All that has to be the same for what was built earlier to be of use.
  func signature(classVersion: UInt8) -> String {
    var lines = ["layout 1", "class version \(classVersion)", "index version \(version)"]
    if isUnique { lines.append(nilIsDistinct ? "unique" : "unique with nil") }
    for part in parts { lines.append("part " + part.signature) }
    if let condition { lines.append("where " + condition.signature) }
    return lines.joined(separator: "\n")
  }
}
