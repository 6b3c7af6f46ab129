extension Store {
  /// Removes a class that is no longer in use from the store: its records, its indexes, and its declared fields.
  ///
  /// The class is given by its stored name, as in ``catalog``; the program need not have it. Everything is removed
  /// immediately, in one commit, without ``saveChanges(durability:)``, and its file is deleted. Row ids of the class are
  /// not remembered: if the name is used again, it gets a new class number, and references to the old objects lead
  /// nowhere. Objects of other classes keep their references; ``verify(progress:)`` reports them.
  ///
  /// ```swift
  /// if try store.catalog[named: "Legacy"] != nil { try store.dropClass(named: "Legacy") }
  /// ```
  ///
  /// Open snapshots still show the class. To remove all objects of a class in use, call
  /// ``removeAll(_:includingSubclasses:)``.
  ///
  /// - Parameter name: The stored name of a class that no open store of the backend has registered.
  /// - Throws: ``StoreError``: ``StoreError/Code/unknownClass`` if the store has no such class,
  ///   ``StoreError/Code/classInUse``, ``StoreError/Code/readOnly``, ``StoreError/Code/withinSavepoint``. Nothing is
  ///   removed then.
  /// - Complexity: O(1); the records are not read.
  public func dropClass(named name: String) throws(StoreError) {
    _ = try keyspace(ofClassNamed: name)
    try beginChange()
    try refuseWithinSavepoint("drop a class")
    if session.indexes.isDeclared(class: name) {
      throw StoreError(
        .classInUse, "A store has the class open. Open the store without the class to drop it.", className: name)
    }
    var batch = WriteBatch()
    try appendDrop(ofClassNamed: name, to: &batch)
    batch.sort()
    do throws(BackendError) {
      noteCommit(try sealing.commit(batch, durability: .full), durability: .full)
    } catch {
      throw translate(error)
    }
    session.changes.publish(.unknown)
  }

  /// Adds the changes that remove the records, the indexes and the fields of a class or of a collection's table.
  func appendDrop(ofClassNamed name: String, to batch: inout WriteBatch) throws(StoreError) {
    let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
    let prefix = ClassIndex.keyspacePrefix(ofClass: name)
    for rows in keyspaces where rows.isOfClass && rows.name.elementsEqual(name.utf8) { batch.appendDrop(of: rows.id) }
    for tree in keyspaces where tree.kind == .tree && tree.name.starts(with: prefix) {
      session.indexes[tree.id] = nil
      batch.appendDrop(of: tree.id)
    }
    for keyspace in keyspaces where keyspace.textName?.className.utf8.elementsEqual(name.utf8) == true {
      session.textIndexes.note(nil, of: keyspace.id)
      batch.appendDrop(of: keyspace.id)
    }
    guard let layouts = Self.layoutKeyspace(in: keyspaces) else { return }
    let key = batch.arena.append(Array(name.utf8))
    batch.append(.init(keyspace: layouts, kind: .erase, expectation: .anything, key: .bytes(key), value: 0..<0))
  }
}
