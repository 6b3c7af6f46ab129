extension Store {
  /// Changes an object: loads it if it is a fault, announces the change, and runs the closure.
  ///
  /// ```swift
  /// try store.update(song) { $0.seconds = 337 }
  /// ```
  ///
  /// If the closure throws, the object gets back the content that it had before, and is pending no more than before.
  /// What counts as content is what `writeContent` writes. For a closure that cannot throw no copy of it is made.
  ///
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; ``StoreError`` if the object is in no store or another, or cannot be loaded.
  @discardableResult
  public func update<T: StoredObject, Result, Failure: Error>(
    _ object: T, _ change: (T) throws(Failure) -> Result
  ) throws -> Result {
    try beginChange()
    let table = try table(of: object, to: "update")
    try load(object)
    if Failure.self == Never.self {
      // Nothing has to be given back, so nothing is kept.
      willUpdate(object)
      return try change(object)
    }
    let wasPending = object.state.isPending
    // The closure may update other objects, so a snapshot is taken, not shared.
    var content = spareSnapshot.take() ?? ContentSnapshot()
    defer { spareSnapshot = content }
    content.take(of: object)
    defer { content.clear() }
    willUpdate(object)
    do {
      return try change(object)
    } catch {
      content.restore(object)
      if !wasPending, object.state.contains(.updated) {
        table.pending.remove(object)
        adjustPendingCount(by: -1)
      } else if !wasPending, !object.state.isPending, object.table === table {
        // Saved from within the closure: what was saved is not what the object shows again now.
        willUpdate(object)
      }
      if hasDelegate { delegate?.store(self, didChange: object) }
      throw error
    }
  }

  /// Announces that the object's content is about to change; ``StoredObject/willUpdate()`` says more.
  public func willUpdate(_ object: StoredObject) {
    guard let table = object.table, table.store === self, !isClosed else { return }
    if unresolvedSave != nil { object.state.insert(.changedAgain) }
    guard !object.state.isPending else { return }
    if isSaving {
      deferredError =
        deferredError
        ?? StoreError(
          .reentrant, "The store is being saved; writeContent must not change stored objects.",
          className: table.name, rowID: object.rowID)
      return
    }
    table.pending.add(object, as: .updated)
    adjustPendingCount(by: 1)
    if hasDelegate { delegate?.store(self, willUpdate: object) }
  }
}
