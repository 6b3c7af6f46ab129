/// A test that a property refers to one of several objects, or to none.
struct ReferenceTest<Root: StoreIdentifiable>: ConditionTest {
  let path: PropertyPath
  let isOptional: Bool
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?
  /// The identities of the objects, in ascending order.
  let targets: [AnyObjectID]
  /// Whether a property that is nil passes.
  let acceptsNil: Bool

  init(
    path: PropertyPath, isOptional: Bool, read: @escaping @Sendable (Root) throws(StoreError) -> StoredObject?,
    targets: [AnyObjectID?]
  ) {
    self.path = path
    self.isOptional = isOptional
    self.read = read
    self.targets = Set(targets.compactMap { $0 }).sorted()
    acceptsNil = isOptional && targets.contains(nil)
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    guard let reference = try read(unsafe unsafeDowncast(object, to: Root.self)) else { return acceptsNil }
    // A reference to an object in no store has no identity, but it is not nil either.
    guard let id = reference.anyID else { return false }
    return targets.count == 1 ? targets[0] == id : targets.containsSorted(id)
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }

  var ranges: ValueRanges? {
    var ranges = acceptsNil ? [ByteRange(prefix: [0], isSingle: true)] : []
    for target in targets {
      ranges.append(ByteRange(prefix: (isOptional ? [1] : []) + EncodedValue(target).bytes, isSingle: true))
    }
    return ValueRanges(path: path, ranges: ranges, isExact: true)
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { (acceptsNil ? [0] : []) + targets.flatMap { [1] + EncodedValue($0).bytes } }

  var description: String {
    let shown = (acceptsNil ? ["nil"] : []) + targets.prefix(5).map(\.description)
    if shown.count == 1, targets.count <= 1 { return "\(path.description) == \(shown[0])" }
    let rest = targets.count > 5 ? ", … \(targets.count) in all" : ""
    return "\(path.description) in [\(shown.joined(separator: ", "))\(rest)]"
  }
}

/// A test that a list of references contains a certain object.
struct ReferenceListTest<Root: StoreIdentifiable, List: ReferenceCollection>: ConditionTest {
  let property: Property<Root, List>
  let target: AnyObjectID

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    try property.read(unsafe unsafeDowncast(object, to: Root.self)).refers(to: target)
  }

  var paths: [PropertyPath] { [property.path] }
  var readsOwnProperties: Bool { property.path.isOwnProperty }

  var ranges: ValueRanges? {
    let bytes = EncodedValue(target).bytes
    return ValueRanges(path: property.path.each, ranges: [ByteRange(prefix: bytes, isSingle: true)], isExact: true)
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { EncodedValue(target).bytes }
  var description: String { "\(property.path.description) contains \(target)" }
}

/// A test that a list of references leads to an object that meets a condition.
struct ReferencedTest<Root: StoreIdentifiable, List: ReferenceCollection>: ConditionTest {
  let property: Property<Root, List>
  let condition: ConditionNode

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    for target in try property.read(unsafe unsafeDowncast(object, to: Root.self)) {
      if try target.isThereToRead(), try condition.holds(for: target) { return true }
    }
    return false
  }

  /// The list, whose objects are loaded, and the properties of these objects.
  var paths: [PropertyPath] {
    [property.path.loadingItself] + condition.paths.map { property.path.following($0) }
  }

  var readsOwnProperties: Bool { false }
  var looksAtOtherObjects: Bool { true }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { Array(condition.signature.utf8) }
  var problem: String? { condition.problem }
  var description: String { "\(property.path.description) contains {\(condition.description)}" }
}

extension Array where Element: Comparable {
  /// Tests whether the array, which is sorted, contains an element.
  func containsSorted(_ element: Element) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == element
  }
}

/// The order of identities: by class, then by row id.
extension AnyObjectID: OrderedValue {
  public static var indexedTypeName: String { "object" }

  public func writeKey(to key: inout KeyWriter) {
    key.append(bigEndian: classID.rawValue)
    key.append(bigEndian: rowID)
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> AnyObjectID {
    let classID = KeyspaceID(rawValue: try key.readBigEndian())
    return AnyObjectID(classID: classID, rowID: try key.readBigEndian())
  }
}

extension ObjectID: OrderedValue {
  public static var indexedTypeName: String { AnyObjectID.indexedTypeName }

  public func writeKey(to key: inout KeyWriter) { untyped.writeKey(to: &key) }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> ObjectID {
    ObjectID(unchecked: try AnyObjectID.readKey(from: &key))
  }
}

/// A reference in an index: the identity of the object that it leads to.
extension StoredObject: IndexedValue {
  public final class var indexedTypeName: String { AnyObjectID.indexedTypeName }

  public final func writeKey(to key: inout KeyWriter) {
    guard let anyID else {
      key.failure =
        key.failure
        ?? StoreError(.notInserted, "An indexed reference leads to an object that was not inserted: \(self)")
      return
    }
    anyID.writeKey(to: &key)
  }
}
