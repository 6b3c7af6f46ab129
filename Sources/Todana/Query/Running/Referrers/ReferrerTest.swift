/// A test that a property, of whatever kind, refers to an object.
struct ReferrerTest<Owner: StoredObject>: ConditionTest {
  private let path: PropertyPath
  private let isList: Bool
  private let isOptional: Bool
  private let target: AnyObjectID
  private let forEachTarget: @Sendable (StoredObject, (AnyObjectID) -> Void) -> Void

  init<Value: RelationshipValue>(_ keyPath: any KeyPath<Owner, Value> & Sendable, target: AnyObjectID) {
    path = PropertyPath(keyPath)
    isList = Value.isList
    isOptional = Value.self is any AbsentValue.Type
    self.target = target
    forEachTarget = { owner, body in
      // A query tests objects of its own class only.
      unsafe unsafeDowncast(owner, to: Owner.self)[keyPath: keyPath].forEachID(body)
    }
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    var isFound = false
    forEachTarget(object) { isFound = isFound || $0 == target }
    return isFound
  }

  var paths: [PropertyPath] { [path] }
  var readsOwnProperties: Bool { path.isOwnProperty }

  var ranges: ValueRanges? {
    let bytes = (isOptional ? [1] : []) + EncodedValue(target).bytes
    return ValueRanges(
      path: isList ? path.each : path, ranges: [ByteRange(prefix: bytes, isSingle: true)], isExact: true)
  }

  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { EncodedValue(target).bytes }
  var description: String { "\(path.description) refers to \(target)" }
}

extension Store {
  /// Returns the objects whose property refers to an object, in the order of their classes and row ids.
  func owners<Owner: StoredObject, Value: RelationshipValue>(
    of keyPath: any KeyPath<Owner, Value> & Sendable, referringTo object: StoredObject
  ) throws(StoreError) -> [Owner] {
    guard let target = object.anyID else { return [] }
    var query = Query<Owner>(Condition(.test(ReferrerTest(keyPath, target: target)))).includingSubclasses()
    query.specification.usesKeptReferences = true
    let rank = { (owner: Owner) in (owner.anyID?.classID.rawValue ?? 0, owner.rowID) }
    return try fetch(query).sorted { rank($0) < rank($1) }
  }
}
