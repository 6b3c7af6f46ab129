/// A test that a property refers to a certain object, or to none.
struct ReferenceTest<Root: StoreIdentifiable>: ConditionTest {
  let path: PropertyPath
  let isOptional: Bool
  let read: @Sendable (Root) throws(StoreError) -> StoredObject?
  let target: AnyObjectID?

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    let reference = try read(unsafe unsafeDowncast(object, to: Root.self))
    // A reference to an object in no store has no identity, but it is not nil either.
    guard let target else { return reference == nil }
    return reference?.anyID == target
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }

  var ranges: ValueRanges? {
    var bytes: [UInt8] = isOptional ? [target == nil ? 0 : 1] : []
    if let target { bytes += EncodedValue(target).bytes }
    return ValueRanges(path: path, ranges: [ByteRange(prefix: bytes, isSingle: true)], isExact: true)
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { EncodedValue(target).bytes }
  var description: String { "\(path.description) == \(describe(target))" }
}

/// A test that a list of references contains a certain object.
struct ReferenceListTest<Root: StoreIdentifiable, Target: StoredObject>: ConditionTest {
  let property: Property<Root, [Target]>
  let target: AnyObjectID

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    // A query tests objects of its own class only.
    try property.read(unsafe unsafeDowncast(object, to: Root.self)).contains { $0.anyID == target }
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
