/// One of the properties that an ``Index`` orders objects by.
///
/// Where an index takes a key path, ascending, it takes one of these, too:
///
/// ```swift
/// Index(.folded(\Song.title), .descending(\Song.seconds))
/// ```
public struct IndexPart: Sendable {
  let path: PropertyPath
  /// The path's, which takes a while to print.
  private let pathName: String?
  let typeName: String
  let isDescending: Bool
  /// What the key path starts from.
  let root: AnyObject.Type
  /// Whether an object's value is nil.
  let isNil: @Sendable (StoredObject) -> Bool
  /// An object's value, for people.
  let describe: @Sendable (StoredObject) -> String
  let write: Write
  /// Passes over a key that is whole; nil where nothing reads one.
  let skip: Skip?

  typealias Skip = @Sendable (inout KeyReader) throws(KeyError) -> Void

  /// Writes the key of an object's property, whose root the caller has checked.
  enum Write: Sendable {
    case value(@Sendable (StoredObject, inout KeyWriter) -> Void)
    /// Calls back after each element.
    case elements(@Sendable (StoredObject, inout KeyWriter, (inout KeyWriter) -> Void) -> Void)
  }

  /// Without case and accents, as ``Property/folded``.
  init<Root: StoreIdentifiable, Value: OptionalText>(folding keyPath: any KeyPath<Root, Value> & Sendable) {
    self.init(
      path: PropertyPath(keyPath).folded, typeName: "folded String \(TextFolding.version)", isDescending: false,
      root: Root.self, isNil: { unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath].isAbsent },
      describe: { Todana.describe(unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath]) },
      write: .value { object, key in
        // The class that lists the index has been checked to be a Root.
        let text = unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath].optionalText
        text.map { FoldedText($0) }.writeKey(to: &key)
      }, skip: Self.skip(String?.self))
  }

  /// The elements of a collection: the object has an entry for each, and none where it is empty.
  init<Root: StoreIdentifiable, Elements: Collection & SendableMetatype>(
    eachOf keyPath: any KeyPath<Root, Elements> & Sendable
  ) where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    self.init(
      path: PropertyPath(keyPath).each, typeName: "each " + Elements.Element.indexedTypeName, isDescending: false,
      root: Root.self, isNil: { _ in false },
      describe: { object in
        let elements = unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath]
        return "[" + elements.map { Todana.describe($0) }.joined(separator: ", ") + "]"
      },
      write: .elements { object, key, finish in
        // The class that lists the index has been checked to be a Root.
        for element in unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath] {
          element.writeKey(to: &key)
          finish(&key)
        }
      }, skip: nil)
  }

  init<Root: StoreIdentifiable, Value: IndexedValue>(_ keyPath: any KeyPath<Root, Value> & Sendable, isDescending: Bool)
  {
    self.init(
      path: PropertyPath(keyPath), typeName: Value.indexedTypeName, isDescending: isDescending, root: Root.self,
      isNil: { object in
        // The class that lists the index has been checked to be a Root.
        switch unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath] as Any {
        case Optional<Any>.none: true
        default: false
        }
      },
      describe: { Todana.describe(unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath]) },
      write: .value { object, key in
        let start = key.arena.count
        // The same.
        unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath].writeKey(to: &key)
        if isDescending { key.invert(from: start) }
      }, skip: (Value.self as? any OrderedValue.Type).map { Self.skip($0) })
  }

  private static func skip<Value: OrderedValue>(_ type: Value.Type) -> Skip {
    // Texts, without making one.
    if type == String.self { return { key throws(KeyError) in try key.skipText() } }
    if type == String?.self {
      return { key throws(KeyError) in if try key.readByte() != 0 { try key.skipText() } }
    }
    return { key throws(KeyError) in _ = try Value.readKey(from: &key) }
  }

  private init(
    path: PropertyPath, typeName: String, isDescending: Bool, root: AnyObject.Type,
    isNil: @escaping @Sendable (StoredObject) -> Bool, describe: @escaping @Sendable (StoredObject) -> String,
    write: Write, skip: Skip?
  ) {
    self.path = path
    pathName = path.name
    self.typeName = typeName
    self.isDescending = isDescending
    self.root = root
    self.isNil = isNil
    self.describe = describe
    self.write = write
    self.skip = skip
  }

  /// What it adds to the name of an index; nil where the key path does not print.
  var name: String? {
    guard let name = pathName else { return nil }
    return (isDescending ? "-" : "") + (path.isFolded ? "folded(\(name))" : path.isEach ? "each(\(name))" : name)
  }

  var signature: String { "\(name ?? "?"): \(typeName)\(isDescending ? " descending" : "")" }
}

/// A key path or an ``IndexPart``.
public protocol IndexPartSource {
  var indexPart: IndexPart { get }
}

extension IndexPart: IndexPartSource {
  public var indexPart: IndexPart { self }
}

extension KeyPath: IndexPartSource where Root: StoreIdentifiable, Value: IndexedValue {
  public var indexPart: IndexPart {
    // An index takes key paths that are Sendable only, which its constraint says and a conformance cannot.
    IndexPart(unsafe unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self), isDescending: false)
  }
}

// So that `.descending(\Song.seconds)` is found where an index takes key paths and parts.
extension IndexPartSource where Self == IndexPart {
  /// From the first to the last value.
  public static func ascending<Root: StoreIdentifiable, Value: IndexedValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(keyPath, isDescending: false)
  }

  /// From the last to the first value; nil is last.
  public static func descending<Root: StoreIdentifiable, Value: IndexedValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(keyPath, isDescending: true)
  }

  /// Without case and accents, as ``Property/folded``.
  public static func folded<Root: StoreIdentifiable, Value: OptionalText>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(folding: keyPath)
  }

  /// The elements of a collection: the object has an entry for each, and none where it is empty.
  public static func each<Root: StoreIdentifiable, Elements: Collection & SendableMetatype>(
    _ keyPath: any KeyPath<Root, Elements> & Sendable
  ) -> IndexPart where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    IndexPart(eachOf: keyPath)
  }
}
