// Calls of the methods that classes and the delegate have for changes and saves.
extension Store {
  /// Calls the hooks of an insert, and takes the insert back if one throws.
  ///
  /// - Parameters:
  ///   - object: The object, whose insert is pending.
  ///   - table: Its class.
  ///   - mark: The position of the undo stack before the insert.
  /// - Throws: The error of a hook, as ``vetoable(_:)`` throws it.
  @inline(never)
  func callWillInsert(
    of object: StoredObject, in table: ClassTable, since mark: UndoStack.Mark?
  ) throws(StoreError) {
    do throws(StoreError) {
      try vetoable { () throws -> Void in
        if table.hooks.contains(.willInsert) { try object.willInsert(into: self) }
        try delegate?.store(self, willInsert: object)
      }
    } catch {
      if object.table === table, object.state.contains(.inserted) { forget(object, of: table) }
      if let mark { undoStack?.removeChange(of: object, since: mark) }
      throw error
    }
  }

  @inline(never)
  func callWillUpdate(of object: StoredObject, in table: ClassTable) throws {
    if table.hooks.contains(.willUpdate) { try object.willUpdate(in: self) }
    if hasDelegate { try delegate?.store(self, willUpdate: object) }
  }

  func callWillDelete(of object: StoredObject, in table: ClassTable) throws {
    if table.hooks.contains(.willDelete) { try object.willDelete(from: self) }
    if hasDelegate { try delegate?.store(self, willDelete: object) }
  }

  /// Calls the hooks before a save.
  func callWillSave() throws {
    for table in registry.tables where table.hooks.contains(.willSave) {
      for object in table.pending.objects where !object.state.contains(.deleted) { try object.willSave(in: self) }
    }
    if hasDelegate { try delegate?.storeWillSave(self) }
  }

  /// Carries out a closure that hooks may refuse, in a call that throws no other errors than ``StoreError``.
  func vetoable<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
      return try body()
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(
        .vetoed, "A method of the class or of the delegate has refused the change: \(error)", underlying: error)
    }
  }
}

/// The objects of a save whose hooks are called after it.
struct SavedObjects {
  private var inserted: [StoredObject] = []
  private var updated: [StoredObject] = []
  private var deleted: [StoredObject] = []

  /// Collects the pending objects for whose save hooks are called.
  init(pendingIn store: Store) {
    for table in store.registry.tables
    where !table.pending.isEmpty && (store.hasDelegate || !table.hooks.isDisjoint(with: .afterSaves)) {
      for object in table.pending.objects {
        if object.state.contains(.inserted) {
          inserted.append(object)
        } else if object.state.contains(.updated) {
          updated.append(object)
        } else {
          deleted.append(object)
        }
      }
    }
  }

  /// Calls the hooks after the save.
  mutating func callHooks(in store: Store) {
    let delegate = store.hasDelegate ? store.delegate : nil
    for object in inserted {
      object.didInsert(into: store)
      delegate?.store(store, didInsert: object)
      object.didSave(in: store)
    }
    for object in updated {
      object.didUpdate(in: store)
      delegate?.store(store, didUpdate: object)
      object.didSave(in: store)
    }
    for object in deleted {
      object.didDelete(from: store)
      delegate?.store(store, didDelete: object)
    }
    delegate?.storeDidSave(store)
    var released = inserted + updated
    (inserted, updated) = ([], [])
    while var object = deleted.popLast() {
      if object.table == nil, let table = store.registry[type(of: object)] {
        store.release(deleted: &object, of: table)
      }
      released.append(object)
    }
    ChainRelease.release(&released)
  }
}
