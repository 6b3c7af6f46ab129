/// The classes with which a store was opened, by Swift type, table, and number in the backend.
struct ClassRegistry {
  /// The tables in the order of registration.
  private(set) var tables: [ClassTable] = []
  /// The tables of classes; those of collections are found by name.
  private var tablesByType = SmallMap<ObjectIdentifier, ClassTable>()
  private var tablesByCollection = SmallMap<[UInt8], ClassTable>()
  private var tablesByID = SmallMap<KeyspaceID, ClassTable>()
  /// The Swift types by the bytes of their stored names.
  ///
  /// Stored names are compared by their bytes. Two Swift strings, however, are equal even if only their normalized
  /// forms are.
  private var typesByName = SmallMap<[UInt8], StoredObject.Type>()

  /// The table of exactly this class.
  subscript(type: StoredObject.Type) -> ClassTable? { tablesByType[ObjectIdentifier(type)] }

  subscript(classID: KeyspaceID) -> ClassTable? { tablesByID[classID] }

  /// Returns the stored name of the class whose rows, or entries of an index, a keyspace holds.
  func className(of keyspace: KeyspaceID) -> String? {
    self[keyspace]?.name ?? tables.first { $0.indexes.contains { $0.keyspace == keyspace } }?.name
  }

  /// Returns the index that is stored in a tree.
  func index(of tree: KeyspaceID) -> ClassIndex? {
    for table in tables { if let index = table.indexes.first(where: { $0.keyspace == tree }) { return index } }
    return nil
  }

  /// Returns the text index whose header is in a tree.
  func textIndex(of tree: KeyspaceID) -> ClassTextIndex? {
    for table in tables { if let index = table.textIndexes.first(where: { $0.tree == tree }) { return index } }
    return nil
  }

  /// Checks the names and the indexes of classes, as the opening of a store does.
  static func check(_ types: [StoredObject.Type]) throws(StoreError) {
    var registry = ClassRegistry()
    for type in types {
      let name = try registry.takeName(of: type, byteLimit: 255)
      try TextIndex.check(type, className: name)
      _ = try ClassIndex.all(of: type, className: name)
    }
  }

  mutating func register(_ type: StoredObject.Type, store: Store, nameByteLimit: Int) throws(StoreError) {
    let table = ClassTable(store: store, type: type, name: try takeName(of: type, byteLimit: nameByteLimit))
    tables.append(table)
    tablesByType[ObjectIdentifier(type)] = table
  }

  /// Removes a class that could not be registered completely.
  mutating func unregister(_ type: StoredObject.Type) {
    guard let table = tablesByType[ObjectIdentifier(type)] else { return }
    tables.removeAll { $0 === table }
    tablesByType[ObjectIdentifier(type)] = nil
    typesByName[Array(table.name.utf8)] = nil
    if let classID = table.classID { tablesByID[classID] = nil }
  }

  /// Returns the stored name of a class, which no other class may have.
  private mutating func takeName(of type: StoredObject.Type, byteLimit nameByteLimit: Int) throws(StoreError) -> String
  {
    let name = Self.storedName(of: type)
    try Self.check(name, of: type, nameByteLimit: nameByteLimit)
    let nameBytes = Array(name.utf8)
    if let other = typesByName[nameBytes] {
      throw StoreError(
        .duplicateClassName,
        other == type
          ? "The class \(type) is listed twice; list each class once."
          : "The classes \(other) and \(type) are both stored as \"\(name)\"; override storedName in one of them.",
        className: name)
    }
    typesByName[nameBytes] = type
    return name
  }

  // MARK: Collections

  /// The table of a collection.
  subscript(collection name: String) -> ClassTable? { tablesByCollection[Array(name.utf8)] }

  /// The table with a stored name.
  subscript(tableNamed name: String) -> ClassTable? {
    tables.first { !$0.isDropped && $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// Adds the table of a collection.
  mutating func register(_ collection: StoredCollection, _ type: StoredObject.Type, tableName: String, store: Store) {
    let table = ClassTable(store: store, type: type, name: tableName, collection: collection)
    tables.append(table)
    tablesByCollection[Array(collection.name.utf8)] = table
  }

  /// Gives a table the name and the description that its collection has now.
  mutating func update(_ table: ClassTable, to collection: StoredCollection) {
    if let former = table.collection, self[collection: former.name] === table {
      tablesByCollection[Array(former.name.utf8)] = nil
    }
    table.collection = collection
    tablesByCollection[Array(collection.name.utf8)] = table
  }

  /// Removes the name and the number of a collection that was dropped.
  ///
  /// Its table stays, because there may be objects of it.
  mutating func drop(_ table: ClassTable) {
    if let classID = table.classID { tablesByID[classID] = nil }
    table.drop()
    if let name = table.collection?.name, self[collection: name] === table {
      tablesByCollection[Array(name.utf8)] = nil
    }
  }

  /// The tables with pending objects, in the order of their numbers; a class with pending objects always has a number.
  var tablesWithChanges: [ClassTable] {
    tables.filter { !$0.pending.isEmpty }.sorted { ($0.classID?.rawValue ?? 0) < ($1.classID?.rawValue ?? 0) }
  }

  /// Assigns the class numbers that the backend knows.
  mutating func adopt(_ keyspaces: [Keyspace]) {
    var idsByName = SmallMap<[UInt8], KeyspaceID>()
    for keyspace in keyspaces where keyspace.isOfClass { idsByName[keyspace.name] = keyspace.id }
    for table in tables where !table.isDropped {
      if let id = idsByName[Array(table.name.utf8)] { give(id, to: table) }
    }
  }

  mutating func give(_ id: KeyspaceID, to table: ClassTable) {
    table.identify(as: id)
    tablesByID[id] = table
  }

  /// Returns the table of a class, with the tables of all registered subclasses if `includingSubclasses` is true.
  func tables(for type: StoredObject.Type, includingSubclasses: Bool) throws(StoreError) -> [ClassTable] {
    if !includingSubclasses { return [try table(for: type)] }
    let found = tables.filter { $0.collection == nil && $0.type.inherits(from: type) }
    if found.isEmpty { throw unknown(type) }
    return found
  }

  func table(for type: StoredObject.Type) throws(StoreError) -> ClassTable {
    guard let table = self[type] else { throw unknown(type) }
    return table
  }

  private func unknown(_ type: StoredObject.Type) -> StoreError {
    if type.isInCollections {
      return StoreError(
        .invalidQuery,
        "Objects of \(type) are in collections: say which collection, by Query.in(collection:), for example.")
    }
    return StoreError(
      .unknownClass, "The class \(type) is not registered; list it in `classes` when opening the store.")
  }

  /// Returns the stored name of a class; an inherited override does not count.
  private static func storedName(of type: StoredObject.Type) -> String {
    let name = type.storedName
    guard let superclass = _getSuperclass(type) as? StoredObject.Type, superclass != StoredObject.self,
      superclass.storedName == name
    else { return name }
    return StoredObject.unqualifiedName(of: type)
  }

  private static func check(_ name: String, of type: StoredObject.Type, nameByteLimit: Int) throws(StoreError) {
    let limit = min(255, nameByteLimit)
    if type.isInCollections {
      throw StoreError(
        .invalidClassName, "Objects of \(type) are in collections, which are made at run time: do not list the class.")
    }
    if type == StoredObject.self {
      throw StoreError(.invalidClassName, "StoredObject itself cannot be stored; list its subclasses.")
    }
    if name.isEmpty {
      throw StoreError(.invalidClassName, "The storedName of \(type) is empty.")
    }
    if name.utf8.count > limit {
      let message = "The storedName of \(type) has \(name.utf8.count) bytes; at most \(limit) fit."
      throw StoreError(.invalidClassName, message)
    }
    if name.utf8.contains(0) {
      throw StoreError(.invalidClassName, "The storedName of \(type) contains a NUL.")
    }
  }
}

extension Store {
  /// Returns the table of a class, with the tables of all registered subclasses if `includingSubclasses` is true.
  func tables(for type: StoredObject.Type, includingSubclasses: Bool) throws(StoreError) -> [ClassTable] {
    if registry[type] == nil { try registerAtFirstUse(type) }
    let tables = try registry.tables(for: type, includingSubclasses: includingSubclasses)
    if isTracking { for table in tables { noteUse(of: table) } }
    return tables
  }

  /// Returns the table of an object, which must be in this store.
  func table(of object: StoredObject, to action: String) throws(StoreError) -> ClassTable {
    guard let table = object.table else {
      throw StoreError(
        .notInserted, "Cannot \(action) an object that is in no store; insert it first.",
        className: registry[type(of: object)]?.name)
    }
    guard table.store === self else {
      throw StoreError(
        .objectOfOtherStore, "Cannot \(action) an object of another store; fetch it here by its id.",
        className: table.name, rowID: object.rowID)
    }
    return table
  }
}
