extension Store {
  /// Discards all pending changes.
  ///
  /// Updated and deleted objects get their saved content back and stay in the store. Inserted objects keep their
  /// content, but lose their id and store. Named buffers have their saved content again. An object that cannot be read
  /// now becomes a fault, and loading it throws the error.
  ///
  /// If this is called within a ``savepoint(_:)`` that throws, the discarded changes are pending again.
  public func discardChanges() {
    guard !isClosed, pendingCount > 0 else { return }
    unresolvedSave = nil
    undoStack?.removeUnsaved(saveCount: saveCount)
    for name in namedBuffers.pending.keys {
      noteChange(ofBuffer: name.string)
      adjustPendingCount(by: namedBuffers.setPending(nil, for: name.string))
    }
    for table in registry.tables where !table.pending.isEmpty { discardChanges(of: table) }
  }

  /// Gives an object with a pending update its newest saved content; other objects stay as they are.
  ///
  /// It can be undone, as a change can.
  package func discardUpdate(of object: StoredObject) throws(StoreError) {
    try beginChange()
    let table = try table(of: object, to: "discard the changes of")
    guard object.state.contains(.updated) else { return }
    noteChange(of: object)
    keepTheirs(object, of: table)
  }

  private func discardChanges(of table: ClassTable) {
    for object in table.pending.objects { noteForSavepoint(object) }
    var objects = table.pending.takeAll()
    var changed: [StoredObject] = []
    for object in objects {
      if object.state.contains(.inserted) {
        table.detach(object)
      } else {
        object.state.subtract([.pending, .changedAgain])
        // An object that was deleted by its identity may never have been loaded.
        if !object.isFault { changed.append(object) }
        object.state.insert(.fault)
      }
    }
    adjustPendingCount(by: -objects.count)
    reload(changed, of: table)
    if hasDelegate { for object in objects { delegate?.store(self, didChange: object) } }
    ChainRelease.release(&objects)
  }

  /// Loads the saved content of faults.
  ///
  /// Objects that cannot be read stay faults, and their properties are cleared.
  func reload(_ faults: [StoredObject], of table: ClassTable) {
    ChainRelease.releasingReferences(of: faults) {
      do throws(StoreError) {
        try load(faults)
      } catch {
        // One bad record must not keep the others from being read.
        for object in faults where object.isFault {
          do throws(StoreError) { try load(object) } catch { table.clearContent(of: object) }
        }
      }
    }
  }
}
