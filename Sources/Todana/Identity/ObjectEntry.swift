/// What one object was to its store, and what it contained: enough to make it so again.
struct ObjectEntry {
  let object: StoredObject
  /// Nil if it was in no store.
  ///
  /// Safe though unowned: the store that the entry is for owns the table.
  @safe unowned(unsafe) let table: ClassTable?
  let rowID: RowID
  let state: ObjectState
  let token: UInt64
  /// Whether a delete was pending that removes the row whatever its record is.
  let isDeletedByID: Bool
  var content: Content
  /// Whether its content, as saved, is to be read again: nobody announces what a `prepareForDelete` changes of the
  /// object itself.
  var isReread: Bool

  enum Content {
    /// It is not changed, as far as is known.
    case notCopied
    case copied(ContentCopies.Copy)
    /// `writeContent` cannot write it: it cannot be given back.
    case unwritable
  }

  init(_ object: StoredObject, content: Content, isReread: Bool = false) {
    self.object = object
    table = object.table
    rowID = object.rowID
    state = object.state
    token = object.token
    isDeletedByID = object.state.contains(.deleted) && table?.pending.deletedByID.contains(rowID) == true
    self.content = content
    self.isReread = isReread
  }
}

extension Store {
  /// Makes an object again what it was.
  ///
  /// - Parameters:
  ///   - entry: What it was.
  ///   - restoreContent: Gives an object the content of the entry.
  /// - Returns: By how much that changes the number of pending objects, which the caller has to adjust.
  func restore(_ entry: ObjectEntry, _ restoreContent: (StoredObject) -> Void) -> Int {
    var difference = 0
    var object = entry.object
    if let table = object.table, table.store !== self {
      // It was taken out of this store, and is in another one. What this one had is not lost.
      guard let table = entry.table else { return 0 }
      object = table.type.init()
    } else if object.state.isPending {
      object.table?.pending.remove(object)
      difference -= 1
    }
    guard let table = entry.table else {
      object.table?.detach(object)
      object.state.formUnion(entry.state.intersection(.gone))
      restoreContent(object)
      return difference
    }
    difference += place(object, at: entry.rowID, of: table)
    restoreContent(object)
    if entry.state.contains(.fault) {
      if !object.isFault { makeFault(object, of: table) }
    } else {
      object.state.remove(.fault)
    }
    object.token = entry.token
    if entry.state.isPending {
      table.pending.add(object, as: entry.state.intersection(.pending))
      if entry.isDeletedByID { table.pending.disregardRecord(of: object) }
      difference += 1
    } else if !object.isFault {
      noteFingerprint(object, of: table)
    }
    return difference
  }

  /// Puts an object at a row, from where one goes that stands there.
  ///
  /// - Returns: By how much that changes the number of pending objects.
  private func place(_ object: StoredObject, at rowID: RowID, of table: ClassTable) -> Int {
    if object.table === table, object.rowID == rowID { return 0 }
    object.table?.detach(object)
    var difference = 0
    if let other = table.identity[rowID] {
      // A fault of the row, which was never saved, made while the object was out of the store.
      if other.state.isPending {
        table.pending.remove(other)
        difference -= 1
      }
      table.detach(other)
    }
    table.attach(object, at: rowID)
    return difference
  }
}
