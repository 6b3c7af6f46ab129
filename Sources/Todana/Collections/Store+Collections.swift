// Collections: tables of a class that are made, described, renamed and dropped at run time.
extension Store {
  /// Returns the names of all collections of objects of a class, in the order of their bytes.
  ///
  /// - Parameter type: A class whose objects are in collections (``StoredObject/isInCollections``).
  /// - Returns: The names.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(*n* log *n*) in all collections.
  public func collectionNames(of type: StoredObject.Type) throws(StoreError) -> [String] {
    try begin()
    if isTracking { tracker.noteWhole() }
    try updateCollections(of: type)
    let names = registry.tables.compactMap { table in
      table.type == type && !table.isDropped ? table.collection.map(\.name) : nil
    }
    return names.filter { registry[collection: $0] != nil }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the description of a collection; nil if there is no such collection.
  ///
  /// - Throws: ``StoreError``; ``StoreError/Code/invalidCollection`` if its objects are of another class.
  public func collectionDescription(
    named name: String, of type: StoredObject.Type
  ) throws(StoreError) -> [UInt8]? {
    try begin()
    if isTracking { tracker.noteWhole() }
    return try knownTable(ofCollection: name, type)?.collection?.description
  }

  /// Makes a collection, or gives one another description, in a commit of its own.
  ///
  /// The description declares the indexes of the collection
  /// (``StoredObject/collectionIndexes(ofCollection:description:)``). All stores of the backend, also those of other
  /// processes, use the new description before they save anything else in the collection. New indexes are built as at
  /// the opening of a store: in the background if there are many objects (``StoreConfiguration/indexBuilding``).
  ///
  /// ```swift
  /// try store.describeCollection(named: "users", of: Record.self, Array("country".utf8))
  /// try store.insert(record, into: "users")
  /// let records = try store.fetch(Query<Record>(where: .always).in(collection: "users"))
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name: not empty, without NUL, and of at most 255 bytes of UTF-8. Names are compared by their bytes.
  ///   - type: The class of the objects, which is in collections.
  ///   - description: The new description; at most 1 MiB.
  ///   - former: The description that the collection must have at present, which ``SaveConflict`` is thrown for
  ///     otherwise; nil for any, or none.
  /// - Throws: ``StoreError``: ``StoreError/Code/invalidCollection``; ``StoreError/Code/invalidIndex``;
  ///   ``StoreError/Code/unsavedChanges`` if the collection has pending changes; ``StoreError/Code/withinSavepoint``.
  ///   ``SaveConflict`` if another store has changed the description since `former` was read. Nothing has changed then.
  public func describeCollection(
    named name: String, of type: StoredObject.Type, _ description: [UInt8], replacing former: [UInt8]? = nil
  ) throws {
    try checkCollection(name, description, of: type)
    try updateCollections(of: type, usingCollection: name)
    try changeDirectory(of: type) { directory throws in
      let collection = StoredCollection(name: name, description: description)
      if let position = directory.position(of: name) {
        let entry = directory.entries[position]
        try checkElement(of: entry, type)
        if let former, entry.collection.description != former {
          // The other store may not have reported its change yet.
          collections.forgetState()
          throw Self.descriptionConflict
        }
        if entry.collection.description != description { directory.entries[position].collection = collection }
        try checkIndexes(of: type, collection, tableName: entry.tableName)
      } else {
        if former != nil { throw Self.descriptionConflict }
        let tableName = try freeTableName(for: name, in: directory)
        try checkIndexes(of: type, collection, tableName: tableName)
        directory.entries.append(
          .init(
            elementName: type.collectionElementName, tableName: tableName, collection: collection))
      }
    }
  }

  /// Renames a collection, in a commit of its own.
  ///
  /// Its objects keep their identities. The file of its table keeps its name.
  ///
  /// - Throws: The errors of ``describeCollection(named:of:_:replacing:)``; ``StoreError/Code/unknownCollection``.
  public func renameCollection(named name: String, of type: StoredObject.Type, to newName: String) throws {
    try checkCollection(newName, [], of: type)
    try changeDirectory(of: type) { directory throws in
      guard let position = directory.position(of: name) else { throw unknownCollection(name) }
      try checkElement(of: directory.entries[position], type)
      if let other = directory.position(of: newName), other != position {
        throw StoreError(.invalidCollection, "There is a collection named \"\(newName)\" already.")
      }
      directory.entries[position].collection.name = newName
    }
  }

  /// Removes a collection with its objects, its indexes and its description, in a commit of its own.
  ///
  /// References to its objects lead nowhere then. Objects that are in memory can no longer be loaded or saved.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownCollection``, ``StoreError/Code/unsavedChanges`` if the
  ///   collection has pending changes, ``StoreError/Code/withinSavepoint``.
  /// - Complexity: O(1); the records are not read.
  public func dropCollection(named name: String, of type: StoredObject.Type) throws {
    var tableName = ""
    try changeDirectory(of: type) { directory throws in
      guard let position = directory.position(of: name) else { throw unknownCollection(name) }
      try checkElement(of: directory.entries[position], type)
      tableName = directory.entries.remove(at: position).tableName
    } also: { batch throws(StoreError) in
      try appendDrop(ofClassNamed: tableName, to: &batch)
    }
    session.changes.publish(.unknown)
  }

  /// Inserts an object into a collection; the next save writes it.
  ///
  /// - Returns: The object's identity, which is permanent once the object is saved.
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownCollection``, ``StoreError/Code/objectOfOtherStore``.
  @discardableResult
  public func insert<T: StoredObject>(_ object: T, into collection: String) throws(StoreError) -> ObjectID<T> {
    try beginChange()
    // The save compares the list of collections with the newest one, so that of another session may be older here.
    if collections.changeCount == session.collectionChangeCount, let table = tableOfKnownCollection(named: collection),
      table.type == type(of: object), table.collection?.problem == nil
    {
      return ObjectID(unchecked: try insertAny(object, into: table))
    }
    return ObjectID(unchecked: try insertAny(object, into: table(ofCollection: collection, type(of: object))))
  }

  // MARK: Tables

  /// Returns the class number of the objects of a collection, which is part of their ids.
  ///
  /// - Returns: The number; nil if there is no such collection, or if it never had an object.
  /// - Throws: ``StoreError``; ``StoreError/Code/invalidCollection`` if its objects are of another class.
  public func classID(ofCollection name: String, of type: StoredObject.Type) throws(StoreError) -> KeyspaceID? {
    try begin()
    return try knownTable(ofCollection: name, type)?.classIDForReading()
  }

  /// Returns the name and the description of an object's collection; nil if it is in none.
  ///
  /// - Complexity: O(1); the description is the one that this store has read last.
  public func collection(of object: StoredObject) -> (name: String, description: [UInt8])? {
    guard let table = object.table, table.store === self, let collection = table.collection else { return nil }
    return (collection.name, collection.description)
  }

  /// Returns the table of a collection, with its newest description.
  ///
  /// - Throws: ``StoreError/Code/unknownCollection``, ``StoreError/Code/invalidCollection``.
  func table(ofCollection name: String, _ type: StoredObject.Type) throws(StoreError) -> ClassTable {
    guard let table = try knownTable(ofCollection: name, type) else { throw unknownCollection(name) }
    noteUse(of: table)
    return table
  }

  /// Reads the list of collections again if it has changed, or if the class of a collection was not known.
  private func updateCollections(of type: StoredObject.Type, usingCollection name: String) throws(StoreError) {
    if registry[collection: name] == nil, collections.declare(type, ofCollection: name) { collections.forgetState() }
    try updateCollections(of: type)
  }

  private func knownTable(ofCollection name: String, _ type: StoredObject.Type) throws(StoreError) -> ClassTable? {
    try updateCollections(of: type, usingCollection: name)
    guard let table = tableOfKnownCollection(named: name) else { return nil }
    guard table.type == type else {
      throw StoreError(
        .invalidCollection, "The collection \"\(name)\" has objects of \(table.type), not of \(type).")
    }
    if let problem = table.collection?.problem { throw problem }
    return table
  }

  /// Returns the table of a collection in the list that was read last; the one used last is found without a search.
  private func tableOfKnownCollection(named name: String) -> ClassTable? {
    if let table = collections.lastTable, !table.isDropped, let known = table.collection?.name,
      String.isEqual(known, name)
    {
      return table
    }
    collections.lastTable = registry[collection: name]
    return collections.lastTable
  }

  private func unknownCollection(_ name: String) -> StoreError {
    StoreError(.unknownCollection, "The store has no collection named \"\(name)\".")
  }

  private static var descriptionConflict: SaveConflict {
    SaveConflict(objectIDs: [], bufferNames: [CollectionDirectory.bufferName])
  }

  // MARK: Checks

  private func checkCollection(
    _ name: String, _ description: [UInt8], of type: StoredObject.Type
  ) throws(StoreError) {
    func refusal(_ message: String) -> StoreError { StoreError(.invalidCollection, message) }
    guard type.isInCollections else { throw refusal("The class \(type) is not in collections.") }
    let count = name.utf8.count
    let limit = min(255, sealing.nameByteLimit)
    guard (1...limit).contains(count), !name.utf8.contains(0) else {
      throw refusal("A collection's name has 1 to \(limit) bytes, none of them NUL; this one has \(count).")
    }
    guard description.count <= 1 << 20 else {
      throw refusal("The description of the collection \"\(name)\" has \(description.count) bytes, over 1 MiB.")
    }
  }

  private func checkElement(of entry: CollectionDirectory.Entry, _ type: StoredObject.Type) throws(StoreError) {
    if String.isEqual(entry.elementName, type.collectionElementName) { return }
    throw StoreError(
      .invalidCollection,
      "The collection \"\(entry.collection.name)\" has objects of \(entry.elementName), not of \(type).")
  }

  /// Throws if the indexes that a description declares are invalid.
  private func checkIndexes(
    of type: StoredObject.Type, _ collection: StoredCollection, tableName: String
  ) throws(StoreError) {
    try ClassTable(store: self, type: type, name: tableName, collection: collection).declareIndexes()
  }

  /// Returns a name that no class and no other collection has for its table: that of the collection, or a longer one.
  private func freeTableName(for name: String, in directory: CollectionDirectory) throws(StoreError) -> String {
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    var taken = Set(keyspaces.filter { $0.kind == .rows }.map(\.name))
    for table in registry.tables { taken.insert(Array(table.name.utf8)) }
    for entry in directory.entries { taken.insert(Array(entry.tableName.utf8)) }
    if !taken.contains(Array(name.utf8)) { return name }
    var number = 2
    while true {
      let suffix = " \(number)"
      var start = Substring(name)
      while start.utf8.count + suffix.utf8.count > min(255, sealing.nameByteLimit) { start.removeLast() }
      if !taken.contains(Array(start.utf8) + Array(suffix.utf8)) { return start + suffix }
      number += 1
    }
  }
}
