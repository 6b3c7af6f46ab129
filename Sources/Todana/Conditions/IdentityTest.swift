/// The identity of the objects in a condition: `$0.id` in `Song.where { $0.id == id }`.
public struct IdentityProperty<Root: StoreIdentifiable>: Sendable {
  init() {}
}

extension Properties where Root: StoredObject {
  /// The identity of the object.
  ///
  /// A condition on it reads only the objects with these identities:
  ///
  /// ```swift
  /// let others = Song.where { $0.id != song.id && $0.genre == song.genre }
  /// ```
  public var id: IdentityProperty<Root> { IdentityProperty() }
}

extension IdentityProperty where Root: StoredObject {
  /// Returns a condition that only the object with this identity meets; for nil, none does.
  public static func == (lhs: Self, rhs: ObjectID<Root>?) -> Condition<Root> {
    guard let rhs else { return .never }
    return Condition(.test(IdentityTest([rhs.untyped])))
  }

  /// Returns a condition that all other objects meet.
  public static func != (lhs: Self, rhs: ObjectID<Root>?) -> Condition<Root> { !(lhs == rhs) }

  /// Returns a condition that the objects with one of these identities meet.
  public func isIn(_ ids: some Sequence<ObjectID<Root>>) -> Condition<Root> {
    Condition(.test(IdentityTest(ids.map(\.untyped))))
  }
}

/// A test that an object has one of several identities.
///
/// It is for objects in a store. A run of a query replaces it by a ``RowTest`` for the class that it reads.
struct IdentityTest: ConditionTest {
  /// The identities in ascending order, without duplicates.
  let ids: [AnyObjectID]

  init(_ ids: [AnyObjectID]) {
    var sorted = ids.sorted()
    var count = 0
    for id in sorted where count == 0 || sorted[count - 1] != id {
      sorted[count] = id
      count += 1
    }
    sorted.removeSubrange(count...)
    self.ids = sorted
  }

  func holds(for object: StoredObject) throws(StoreError) -> Bool {
    guard let id = object.anyID else { return false }
    return ids.containsSorted(id)
  }

  /// Returns the test for the objects of one class.
  func rows(of classID: KeyspaceID?) -> RowTest {
    RowTest(rowIDs: ids.filter { $0.classID == classID }.map(\.rowID))
  }

  var paths: [PropertyPath] { [] }
  var testsIdentity: Bool { true }
  // An index cannot have a condition on identities, because they do not belong to the content.
  var readsOwnProperties: Bool { false }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { ids.flatMap { EncodedValue($0).bytes } }

  var description: String {
    if ids.count == 1 { return "id == \(ids[0])" }
    let shown = ids.prefix(5).map(\.description).joined(separator: ", ")
    return "id in [\(shown)\(ids.count > 5 ? ", … \(ids.count) in all" : "")]"
  }
}

/// A test that an object of a query's class has one of several row ids.
struct RowTest: ConditionTest {
  /// The row ids in ascending order.
  let rowIDs: [RowID]

  func holds(for object: StoredObject) throws(StoreError) -> Bool { rowIDs.containsSorted(object.rowIDOfContent) }

  var paths: [PropertyPath] { [] }
  var ranges: ValueRanges? { nil }
  var opposite: (any ConditionTest)? { nil }
  var operand: [UInt8] { rowIDs.flatMap { EncodedValue($0).bytes } }

  var description: String {
    let shown = rowIDs.prefix(5).map(\.description).joined(separator: ", ")
    return "row in [\(shown)\(rowIDs.count > 5 ? ", … \(rowIDs.count) in all" : "")]"
  }
}

extension StoredObject {
  /// The row of an object in a store, or the row whose content was read into an object outside of it.
  final var rowIDOfContent: RowID { table == nil ? tokenOrIndex : rowID }
}

extension ConditionNode {
  /// Returns the condition with tests of rows of a class in place of tests of identities.
  func resolvingIdentities(of classID: KeyspaceID?) -> ConditionNode {
    switch self {
    case .always, .never: return self
    case .all(let nodes): return .all(nodes.map { $0.resolvingIdentities(of: classID) })
    case .any(let nodes): return .any(nodes.map { $0.resolvingIdentities(of: classID) })
    case .not(let node): return .not(node.resolvingIdentities(of: classID))
    case .test(let test):
      guard let test = test as? IdentityTest else { return self }
      return .test(test.rows(of: classID))
    }
  }

  /// Whether the condition tests identities.
  var testsIdentities: Bool {
    switch self {
    case .always, .never: false
    case .all(let nodes), .any(let nodes): nodes.contains { $0.testsIdentities }
    case .not(let node): node.testsIdentities
    case .test(let test): test.testsIdentity
    }
  }
}
