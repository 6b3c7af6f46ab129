/// A test that a property refers to one of several objects, or to none.
struct ReferenceTest<Root: StoreIdentifiable>: ConditionTest {
  let path: PropertyPath
  let isOptional: Bool
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?
  let targets: ReferenceTargets

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    guard let reference = try read(unsafe unsafeDowncast(object, to: Root.self)) else { return acceptsNil }
    // A reference to an object in no store has no identity, but it is not nil either.
    guard let id = reference.anyID else { return false }
    return targets.contains(id)
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }

  var ranges: ValueRanges? {
    var ranges = acceptsNil ? [ByteRange(prefix: [0], isSingle: true)] : []
    for target in targets.ids {
      ranges.append(ByteRange(prefix: (isOptional ? [1] : []) + EncodedValue(target).bytes, isSingle: true))
    }
    return ValueRanges(path: path, ranges: ranges, isExact: true)
  }

  /// Whether a property that is nil passes.
  private var acceptsNil: Bool { isOptional && targets.includesNil }

  var referenceTargets: [ReferenceTargets] { [targets] }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { (acceptsNil ? [0] : []) + targets.ids.flatMap { [1] + EncodedValue($0).bytes } }

  var description: String {
    let shown = (acceptsNil ? ["nil"] : []) + targets.ids.prefix(5).map(\.description)
    if shown.count == 1, targets.ids.count <= 1 { return "\(path.description) == \(shown[0])" }
    let rest = targets.ids.count > 5 ? ", … \(targets.ids.count) in all" : ""
    return "\(path.description) in [\(shown.joined(separator: ", "))\(rest)]"
  }
}

/// A test that a list of references contains a certain object.
struct ReferenceListTest<Root: StoreIdentifiable, List: ReferenceCollection>: ConditionTest {
  let property: Property<Root, List>
  private let target: AnyObjectID
  private let targets: ReferenceTargets

  init(property: Property<Root, List>, target: AnyObjectID) {
    self.property = property
    self.target = target
    targets = ReferenceTargets([target], of: List.Element.self)
  }

  /// Makes the test for an object; nil if it was not inserted.
  init?(property: Property<Root, List>, target: StoredObject) {
    guard let id = target.anyID else { return nil }
    self.property = property
    self.target = id
    targets = ReferenceTargets(objects: [target], of: List.Element.self)
  }

  var referenceTargets: [ReferenceTargets] { [targets] }

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
  var referenceTargets: [ReferenceTargets] { condition.referenceTargets }
  var description: String { "\(property.path.description) contains {\(condition.description)}" }
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
