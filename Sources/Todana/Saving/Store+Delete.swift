extension Store {
  /// Deletes an object with the next save; an insert that was never saved is only forgotten.
  ///
  /// Loads the object if it is a fault. The order is:
  ///
  /// 1. The hooks ``StoredObject/willDelete(from:)`` and ``StoreDelegate/store(_:willDelete:)`` of all objects that are
  ///    deleted, also of those that are deleted by the rules of relationships (``Relationship``).
  /// 2. The check that no rule forbids the delete.
  /// 3. The removal of references to the objects, where a rule demands it.
  /// 4. ``StoredObject/prepareForDelete(in:)`` of each object, which may delete further objects.
  ///
  /// Deleting an object that is already being deleted does nothing. The object keeps its identity until the save.
  ///
  /// If anything throws, nothing is deleted and all changes of the call are undone, as by ``savepoint(_:)``. The hooks
  /// must therefore not save.
  ///
  /// - Throws: Errors of the hooks; ``StoreError``: ``StoreError/Code/deleteDenied`` if a rule forbids the delete,
  ///   ``StoreError/Code/rowNotFound`` for a fault without a row, ``StoreError/Code/notInserted``,
  ///   ``StoreError/Code/indexNotReady``.
  /// - Complexity: O(*n*) in the objects that are deleted, and in the pending objects of classes that may refer to them.
  public func delete(_ object: StoredObject) throws {
    let isWithinSavepoint = savepointDepth > 0
    try delete(object) { object throws in
      guard object.table?.hooks.contains(.prepareForDelete) == true else {
        if isWithinSavepoint { journal?.note(object, copiesContent: object.state.isPending) }
        return try callHooks(beforeDeleting: object)
      }
      // The saved content of a clean object can be read again.
      let isClean = !object.state.isPending
      try allOrNothing { () throws -> Void in
        if isWithinSavepoint || !isClean { journal?.note(object, copiesContent: !isClean, isReread: isClean) }
        do {
          try callHooks(beforeDeleting: object)
          try object.prepareForDelete(in: self)
        } catch {
          if isClean { journal?.note(object, copiesContent: false, isReread: true) }
          throw error
        }
      }
    }
  }

  /// Deletes an object within a savepoint that is undone entirely if this throws.
  private func deleteWithinSavepoint(_ object: StoredObject) throws {
    try delete(object) { object throws in
      let isClean = !object.state.isPending
      journal?.note(object, copiesContent: !isClean, isReread: isClean)
      try callHooks(beforeDeleting: object)
      try object.prepareForDelete(in: self)
    }
  }

  private func callHooks(beforeDeleting object: StoredObject) throws {
    guard let table = object.table else { return }
    if hasDelegate || table.hooks.contains(.willDelete) { try callWillDelete(of: object, in: table) }
  }

  /// Makes the delete of an object pending.
  ///
  /// - Parameters:
  ///   - object: An object of this store.
  ///   - prepare: Calls the object's `prepareForDelete`, after noting the object for a savepoint around this call.
  /// - Throws: The errors of ``delete(_:)-(StoredObject)``.
  @inline(__always)
  private func delete(_ object: StoredObject, _ prepare: (StoredObject) throws -> Void) throws {
    try beginChange()
    let table = try table(of: object, to: "delete")
    guard object.state.isDisjoint(with: [.deleted, .deleting]) else { return }
    try load(object)
    try registerLateClasses()
    if table.hasDeleteRules {
      _ = try allOrNothing { () throws -> Int in try Deletion(in: self).delete([object], byID: false) }
      return
    }
    let mark = hasUndoStack ? undoStack?.mark : nil
    noteForUndo(object)
    do {
      object.state.insert(.deleting)
      defer { object.state.remove(.deleting) }
      try prepare(object)
    } catch {
      if let mark { undoStack?.removeChange(of: object, since: mark) }
      throw error
    }
    guard object.table === table, !object.state.contains(.deleted) else { return }
    if object.state.contains(.inserted) {
      forget(object, of: table)
    } else if object.state.contains(.updated) {
      table.pending.change(object, to: .deleted)
    } else {
      table.pending.add(object, as: .deleted)
      adjustPendingCount(by: 1)
    }
  }

  /// Deletes objects with the next save, all or none, loading the faults among them together.
  ///
  /// - Parameters:
  ///   - objects: Objects of this store.
  ///   - onDamage: The policy for objects that cannot be loaded, including those that no longer exist
  ///     (``StoreError/Code/rowNotFound``). They are not deleted; ``delete(_:)-([ObjectID<T>])`` deletes by identities.
  /// - Throws: The errors of ``delete(_:)-(StoredObject)``. After an error, neither the objects nor their dependents
  ///   are deleted.
  public func delete<Objects: Sequence>(
    _ objects: Objects, onDamage: DamagePolicy = .fail
  ) throws where Objects.Element: StoredObject {
    let objects = objects.filter { !$0.state.contains(.deleted) }
    try load(objects, onDamage: onDamage)
    try registerLateClasses()
    try allOrNothing { () throws -> Void in
      if objects.contains(where: { $0.table?.hasDeleteRules == true }) {
        return try deleteByRules(objects, onDamage: onDamage)
      }
      for object in objects where !(object.isFault && onDamage.isReporting) {
        try deleteWithinSavepoint(object)
      }
    }
  }

  /// Deletes loaded objects, some of which have rules, within a savepoint.
  private func deleteByRules(_ objects: [StoredObject], onDamage: DamagePolicy) throws {
    try beginChange()
    for object in objects { _ = try table(of: object, to: "delete") }
    _ = try Deletion(in: self).delete(objects.filter { !($0.isFault && onDamage.isReporting) }, byID: false)
  }

  /// Releases an object whose delete was saved, if only its own references keep it alive.
  ///
  /// Closing the store would not release it, as it is no longer in the store.
  func release(deleted object: inout StoredObject, of table: ClassTable) {
    if isKnownUniquelyReferenced(&object) || object.isFault || object.table != nil { return }
    let content = ContentSnapshot(of: object)
    guard content.refersToItsObject else { return }
    table.clearContent(of: object)
    // The program holds the object too, so it keeps its content.
    if !isKnownUniquelyReferenced(&object) { content.restore(object) }
  }

  /// Cancels a pending insert.
  func forget(_ object: StoredObject, of table: ClassTable) {
    table.pending.remove(object)
    table.detach(object)
    adjustPendingCount(by: -1)
  }
}
