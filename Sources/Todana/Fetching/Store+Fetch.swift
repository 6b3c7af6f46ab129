extension Store {
  /// Returns the object with this identity, loaded; nil if there is none, or its delete is pending.
  ///
  /// - Parameters:
  ///   - id: An identity of a row of this store's backend.
  ///   - includingPending: Whether objects with pending inserts are found and objects with pending deletes are not.
  /// - Returns: The object, or nil.
  /// - Throws: ``StoreError``: ``StoreError/Code/wrongClass``, ``StoreError/Code/unknownClass``, or an error of reading
  ///   the record.
  public func fetch<T: StoredObject>(_ id: ObjectID<T>, includingPending: Bool = true) throws(StoreError) -> T? {
    try begin()
    let table = try table(of: id)
    if let object = table.identity[id.rowID], !object.isFault {
      return includes(object, includingPending: includingPending) ? unsafe unsafeDowncast(object, to: T.self) : nil
    }
    let object = table.objectOrFault(id.rowID)
    guard includes(object, includingPending: includingPending) else { return nil }
    do throws(StoreError) {
      try load(object, of: table)
    } catch {
      if error.code == .rowNotFound { return nil }
      throw error
    }
    // The table's class is T or a subclass of it.
    return unsafe unsafeDowncast(object, to: T.self)
  }

  /// Returns the object with this identity, loaded; nil for the identity nil, which an object outside of stores has.
  ///
  /// - Throws: The errors of ``fetch(_:includingPending:)-(ObjectID<T>,_)``.
  @_disfavoredOverload
  public func fetch<T: StoredObject>(_ id: ObjectID<T>?, includingPending: Bool = true) throws(StoreError) -> T? {
    guard let id else { return nil }
    return try fetch(id, includingPending: includingPending)
  }

  /// Returns the object of any class with this identity, loaded; nil if there is none, or its delete is pending.
  public func fetch(_ id: AnyObjectID, includingPending: Bool = true) throws(StoreError) -> StoredObject? {
    try fetch(ObjectID<StoredObject>(unchecked: id), includingPending: includingPending)
  }

  /// Returns the objects with these identities, loaded, in the same order; nil for an identity without an object.
  ///
  /// Records of objects that are not in memory are read together.
  ///
  /// - Parameters:
  ///   - ids: Identities of rows of this store's backend.
  ///   - includingPending: Whether objects with pending inserts are found and objects with pending deletes are not.
  ///   - onDamage: The policy for records that cannot be read. If it does not throw, their objects are nil.
  /// - Returns: The objects.
  /// - Throws: The errors of ``fetch(_:includingPending:)-(ObjectID<T>,_)``.
  public func fetch<T: StoredObject>(
    _ ids: [ObjectID<T>], includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T?] {
    try begin()
    let onDamage = onDamage.reportingOnce
    var objects = [T?](repeating: nil, count: ids.count)
    var missing: [Int] = []
    var missingTable: ClassTable?
    for index in ids.indices {
      let id = ids[index]
      let table = try table(of: id)
      if let object = table.identity[id.rowID] {
        guard includes(object, includingPending: includingPending) else { continue }
        if !object.isFault {
          objects[index] = unsafe unsafeDowncast(object, to: T.self)
          continue
        }
      }
      if let missingTable, missingTable !== table {
        try fetch(missing, of: ids, table: missingTable, onDamage, into: &objects)
        missing.removeAll(keepingCapacity: true)
      }
      missingTable = table
      missing.append(index)
    }
    if let missingTable { try fetch(missing, of: ids, table: missingTable, onDamage, into: &objects) }
    return objects
  }

  /// Returns the objects of any classes with these identities, loaded, in the same order.
  ///
  /// See ``fetch(_:includingPending:onDamage:)-([ObjectID<T>],_,_)``.
  public func fetch(
    _ ids: [AnyObjectID], includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [StoredObject?] {
    try fetch(
      ids.map { ObjectID<StoredObject>(unchecked: $0) }, includingPending: includingPending, onDamage: onDamage)
  }

  private func fetch<T: StoredObject>(
    _ indexes: [Int], of ids: [ObjectID<T>], table: ClassTable, _ onDamage: DamagePolicy, into objects: inout [T?]
  ) throws(StoreError) {
    guard let classID = try table.classIDForReading() else { return }
    let rowIDs = indexes.map { ids[$0].rowID }
    var reader = makeReader()
    try readRows(rowIDs, of: classID) { index, slice, chunk throws(StoreError) in
      guard slice.status != .absent else { return }
      let object = table.objectOrFault(rowIDs[index])
      do throws(StoreError) {
        if object.isFault { try fill(object, of: table, from: slice, in: chunk, reader: &reader) }
      } catch {
        return try onDamage.handle(error)
      }
      objects[indexes[index]] = unsafe unsafeDowncast(object, to: T.self)
    }
  }

  /// Returns the object with this identity without loading it: the live one, or a fault.
  ///
  /// The row may not exist. In this case loading the fault throws an error.
  ///
  /// - Throws: ``StoreError``: ``StoreError/Code/wrongClass``, ``StoreError/Code/unknownClass``.
  public func fault<T: StoredObject>(_ id: ObjectID<T>) throws(StoreError) -> T {
    try begin()
    return unsafe unsafeDowncast(try table(of: id).objectOrFault(id.rowID), to: T.self)
  }

  /// Returns the table of an identity; its class is `T` or a subclass.
  func table<T: StoredObject>(of id: ObjectID<T>) throws(StoreError) -> ClassTable {
    noteUse(of: id.untyped)
    if let table = lastTable, table.type == T.self, table.classID == id.classID { return table }
    let table = try knownTable(id)
    guard table.type.inherits(from: T.self) else {
      throw StoreError(
        .wrongClass, "The object \(id) is not of class \(T.self).", className: table.name, rowID: id.rowID)
    }
    if table.type == T.self { lastTable = table }
    return table
  }

  /// Returns the table of an identity's class number, which another store of the backend may have assigned.
  private func knownTable<T: StoredObject>(_ id: ObjectID<T>) throws(StoreError) -> ClassTable {
    if let table = registry[id.classID] { return table }
    if T.isInCollections { try updateCollections(of: T.self) } else { try updateCollections() }
    if let table = registry[id.classID] { return table }
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    registry.adopt(keyspaces)
    if let table = registry[id.classID] { return table }
    guard let keyspace = keyspaces.first(where: { $0.kind == .rows && $0.id == id.classID }) else {
      throw StoreError(
        .unknownClass, "There is no object \(id): the store has no class of this number. Was the object ever saved?",
        rowID: id.rowID)
    }
    throw StoreError(
      .unknownClass, "The class of object \(id) is not registered; list it in `classes` when opening the store.",
      className: String(decoding: keyspace.name, as: UTF8.self), rowID: id.rowID)
  }

  /// Returns whether a loaded object is included in the result of a fetch.
  @inline(__always)
  func includes(_ object: StoredObject, includingPending: Bool) -> Bool {
    object.state.isDisjoint(with: includingPending ? .deleted : .inserted)
  }
}
