/// One of the properties that an ``Index`` orders objects by.
///
/// The arguments of an index are parts or key paths. A key path is an ascending part.
///
/// ```swift
/// Index(.folded(\Song.title), .descending(\Song.seconds))
/// ```
public struct IndexPart: Sendable {
  let path: PropertyPath
  /// The name of the property, kept because finding it out takes a long time.
  private let pathName: String?
  let typeName: String
  let isDescending: Bool
  /// The class that the key path starts from.
  let root: AnyObject.Type
  /// Tests whether an object's value is nil.
  let isNil: @Sendable (StoredObject) -> Bool
  /// Describes an object's value, for messages.
  let describe: @Sendable (StoredObject) -> String
  let write: Write
  /// Skips the part's value in a key that was not cut; nil if values of this part cannot be read from keys.
  let skip: Skip?

  typealias Skip = @Sendable (inout KeyReader) throws(KeyError) -> Void

  /// A closure that writes the key of an object's property; the caller has checked that the object is of the root
  /// class.
  enum Write: Sendable {
    case value(@Sendable (StoredObject, inout KeyWriter) -> Void)
    /// Writes the elements of a collection, and calls the last argument after each element.
    case elements(WriteElements)
  }

  typealias WriteElements = @Sendable (StoredObject, inout KeyWriter, (inout KeyWriter) -> Void) -> Void

  /// Creates a part that ignores case and accents, as ``Property/folded`` does.
  init<Root: StoreIdentifiable, Value: OptionalText>(folding keyPath: any KeyPath<Root, Value> & Sendable) {
    self.init(
      path: PropertyPath(keyPath).folded, typeName: "folded String \(TextFolding.version)", isDescending: false,
      root: Root.self, isNil: { unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath].isAbsent },
      describe: { Todana.describe(unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath]) },
      write: .value { object, key in
        // The class that declares the index was checked to be a Root.
        let text = unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath].optionalText
        text.map { FoldedText($0) }.writeKey(to: &key)
      }, skip: Self.skip(String?.self))
  }

  /// Creates a part with an entry for each element of a collection, and none for an empty one.
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
        // The class that declares the index was checked to be a Root.
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
        // The class that declares the index was checked to be a Root.
        switch unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath] as Any {
        case Optional<Any>.none: true
        default: false
        }
      },
      describe: { Todana.describe(unsafe unsafeDowncast($0, to: Root.self)[keyPath: keyPath]) },
      write: .value { object, key in
        let start = key.arena.count
        // The class that declares the index was checked to be a Root.
        unsafe unsafeDowncast(object, to: Root.self)[keyPath: keyPath].writeKey(to: &key)
        if isDescending { key.invert(from: start) }
      }, skip: (Value.self as? any OrderedValue.Type).map { Self.skip($0) })
  }

  /// Creates a part with an entry for each object that a list of references has.
  init(
    eachObjectOf path: PropertyPath, root: AnyObject.Type, describe: @escaping @Sendable (StoredObject) -> String,
    write: Write
  ) {
    self.init(
      path: path.each, typeName: "each " + AnyObjectID.indexedTypeName, isDescending: false, root: root,
      isNil: { _ in false }, describe: describe, write: write, skip: nil)
  }

  private static func skip<Value: OrderedValue>(_ type: Value.Type) -> Skip {
    // Skips texts without making a string.
    if type == String.self { return { key throws(KeyError) in try key.skipText() } }
    if type == String?.self {
      return { key throws(KeyError) in if try key.readByte() != 0 { try key.skipText() } }
    }
    return { key throws(KeyError) in _ = try Value.readKey(from: &key) }
  }

  init(
    path: PropertyPath, typeName: String, isDescending: Bool = false, root: AnyObject.Type,
    isNil: @escaping @Sendable (StoredObject) -> Bool, describe: @escaping @Sendable (StoredObject) -> String,
    write: Write, skip: Skip? = nil
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

  /// The contribution of the part to the index's name; nil if the property's name is not known.
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
    // The initializer of Index accepts only Sendable key paths; a conformance cannot state this constraint.
    IndexPart(unsafe unsafeBitCast(self, to: (any KeyPath<Root, Value> & Sendable).self), isDescending: false)
  }
}

// Makes `.descending(\Song.seconds)` available as an argument of an index.
extension IndexPartSource where Self == IndexPart {
  /// Returns a part that orders objects from the lowest to the highest value.
  public static func ascending<Root: StoreIdentifiable, Value: IndexedValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(keyPath, isDescending: false)
  }

  /// Returns a part that orders objects from the highest to the lowest value; nil is last.
  public static func descending<Root: StoreIdentifiable, Value: IndexedValue>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(keyPath, isDescending: true)
  }

  /// Returns a part that ignores case and accents, as ``Property/folded`` does.
  public static func folded<Root: StoreIdentifiable, Value: OptionalText>(
    _ keyPath: any KeyPath<Root, Value> & Sendable
  ) -> IndexPart {
    IndexPart(folding: keyPath)
  }

  /// Returns a part with an entry for each element of a collection; an object with an empty collection has no entry.
  public static func each<Root: StoreIdentifiable, Elements: Collection & SendableMetatype>(
    _ keyPath: any KeyPath<Root, Elements> & Sendable
  ) -> IndexPart where Elements.Iterator: SendableMetatype, Elements.Element: IndexedValue {
    IndexPart(eachOf: keyPath)
  }
}
