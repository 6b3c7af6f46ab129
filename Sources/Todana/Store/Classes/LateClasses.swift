import Synchronization

/// The classes that the stores of a backend have registered at their first use
/// (``StoredObject/isRegisteredAtFirstUse``), so that all of them obey the rules of their relationships.
final class LateClasses: Sendable {
  private let registered = Mutex<[StoredObject.Type]>([])
  private let registeredCount = Atomic<Int>(0)

  var count: Int { registeredCount.load(ordering: .acquiring) }

  var types: [StoredObject.Type] { registered.withLock { $0 } }

  func add(_ type: StoredObject.Type) {
    registered.withLock { types in
      if types.contains(where: { $0 == type }) { return }
      types.append(type)
      registeredCount.store(types.count, ordering: .releasing)
    }
  }
}

extension ClassRegistry {
  /// Returns the classes of the program that are registered at their first use, and that have rows or indexes in a
  /// store.
  static func lateTypes(storedIn keyspaces: [Keyspace]) -> [StoredObject.Type] {
    var names: Set<[UInt8]> = []
    // Names with a module contain a period.
    for keyspace in keyspaces where keyspace.name.contains(UInt8(ascii: ".")) {
      if keyspace.isOfClass { names.insert(keyspace.name) }
      if keyspace.kind == .tree, let className = ClassIndex.names(fromKeyspace: keyspace.name)?.className {
        names.insert(Array(className.utf8))
      }
    }
    return names.compactMap { lateType(storedAs: $0) }
  }

  /// Returns the class that is registered at its first use, and that has a stored name; nil if there is none.
  private static func lateType(storedAs name: [UInt8]) -> StoredObject.Type? {
    let parts = String(decoding: name, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
    let isIdentifier = { (part: Substring) in
      part.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "_") }
        && !part.isEmpty
    }
    guard parts.count == 2, parts.allSatisfy(isIdentifier) else { return nil }
    // The mangled name of a class at the top level of a module.
    let mangledName = parts.map { "\($0.utf8.count)\($0)" }.joined() + "C"
    guard let type = _typeByName(mangledName) as? StoredObject.Type, type.isRegisteredAtFirstUse,
      type.storedName.utf8.elementsEqual(name)
    else { return nil }
    return type
  }
}

// Classes that are registered after a store was opened.
extension Store {
  /// Registers a class that was not listed when the store was opened; does nothing if it is registered.
  ///
  /// Its indexes and relationships are prepared as at the opening of a store: an index that is new or has changed is
  /// built in the background if there are many objects. ``StoredObject/isRegisteredAtFirstUse`` lets a class be
  /// registered without a call.
  ///
  /// - Throws: The errors of ``init(_:classes:configuration:expecting:)``. The class is not registered then.
  public func register(_ type: StoredObject.Type) throws(StoreError) {
    try beginChange()
    if registry[type] != nil { return }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    try registry.register(type, store: self, nameByteLimit: sealing.nameByteLimit)
    do throws(StoreError) {
      let table = try registry.table(for: type)
      registry.adopt(keyspaces)
      try refuseClassesNamedAsCollections()
      try prepareContentLayouts(of: [table], keyspaces)
      try prepareIndexes(of: [table], keyspaces)
      try prepareTextIndexes(of: [table], keyspaces)
      try beginBuildingIndexes(of: [table])
      try beginMergingTexts(of: [table])
    } catch {
      if let table = registry[type] { withdrawIndexes(of: table) }
      registry.unregister(type)
      lastTable = nil
      // No table may refer to the relationships of the class any more.
      connectRelationships(keyspaces)
      throw error
    }
    if type.isRegisteredAtFirstUse { session.lateClasses.add(type) }
  }

  /// Registers a class at its first use, if it is to be; does nothing for other classes.
  func registerAtFirstUse(_ type: StoredObject.Type) throws(StoreError) {
    if type.isRegisteredAtFirstUse { try register(type) }
  }

  /// Registers the classes that other stores have registered at their first use, before objects are deleted to which
  /// their objects may refer.
  ///
  /// A store of another process counts from the time at which the backend reports its commit.
  ///
  /// - Complexity: O(1) if no store has registered a class, and no other process has committed.
  func registerLateClasses() throws(StoreError) {
    let (count, changeCount) = (session.lateClasses.count, session.collectionChangeCount)
    if count == lateClassCount, changeCount == lateChangeCount { return }
    var types = session.lateClasses.types
    if changeCount != lateChangeCount {
      let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
      types += ClassRegistry.lateTypes(storedIn: keyspaces)
    }
    for type in types { try register(type) }
    (lateClassCount, lateChangeCount) = (count, changeCount)
  }
}
