/// The state and content of an object at one time, from which the object can be restored.
struct ObjectEntry {
  let object: StoredObject
  /// The object's table; nil if the object was in no store.
  ///
  /// Safe although unowned: the store that the entry is made for owns the table.
  @safe unowned(unsafe) let table: ClassTable?
  let rowID: RowID
  let state: ObjectState
  let token: UInt64
  /// Whether a delete was pending that removes the row regardless of its record.
  let isDeletedByID: Bool
  var content: Content
  /// Whether undoing reads the saved content again instead of restoring a copy.
  ///
  /// Set for a clean object before its `prepareForDelete`, which may change it without announcing it.
  var isReread: Bool

  enum Content {
    /// No change of the content has been announced.
    case notCopied
    case copied(ContentCopies.Copy)
    /// `writeContent` cannot write the content, so it cannot be restored.
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
  /// Restores an object to the state of an entry.
  ///
  /// - Parameters:
  ///   - entry: The earlier state.
  ///   - restoreContent: Restores the content of the entry to an object.
  /// - Returns: The change in the number of pending objects, by which the caller must adjust its count.
  func restore(_ entry: ObjectEntry, _ restoreContent: (StoredObject) -> Void) -> Int {
    var difference = 0
    var object = entry.object
    if let table = object.table, table.store !== self {
      // The object has left this store, and belongs to another one. Its row in this store is restored with a new
      // object.
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

  /// Enters an object in the table at a row, and detaches any other object of that row.
  ///
  /// - Returns: The change in the number of pending objects.
  func place(_ object: StoredObject, at rowID: RowID, of table: ClassTable) -> Int {
    if object.table === table, object.rowID == rowID { return 0 }
    object.table?.detach(object)
    var difference = 0
    if let other = table.identity[rowID] {
      // The other object is a fault of the row, made while this object was outside the store. It was never saved.
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
