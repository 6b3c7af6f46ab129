/// The untyped storage of a ``LazyReferences``.
struct LazyReferenceList {
  enum Entry {
    /// The row of a reference that was read and has not been resolved.
    case row(RowID)
    /// An object that the program put into the list.
    case object(StoredObject)
  }

  var entries: [Entry] = []
  /// The table that the rows belong to; nil if the list has no rows.
  var table: ClassTable?

  /// Tests whether an entry leads to the object with an identity.
  func refers(to id: AnyObjectID) -> Bool {
    let rowsMatch = table.map { !$0.isOrphan && $0.classID == id.classID } ?? false
    return entries.contains { entry in
      switch entry {
      case .row(let rowID): rowsMatch && rowID == id.rowID
      case .object(let object): object.anyID == id
      }
    }
  }

  /// Returns the identity of an entry's object, without making one; nil if it is in no store.
  func id(at index: Int) -> AnyObjectID? {
    switch entries[index] {
    case .object(let object): return object.anyID
    case .row(let rowID):
      guard let table, !table.isOrphan, let classID = table.classID else { return nil }
      return AnyObjectID(classID: classID, rowID: rowID)
    }
  }

  /// Returns the object of an entry, which is of this class.
  ///
  /// For a row, it is the live object or a new fault.
  func object(at index: Int, as type: StoredObject.Type) -> StoredObject {
    switch entries[index] {
    case .object(let object): return object
    case .row(let rowID):
      if let table, !table.isOrphan { return table.objectOrFault(rowID) }
      // The store no longer exists. The object is a fault that reports this when it is loaded, as all other faults of
      // the store do.
      let object = type.init()
      object.state = .fault
      return object
    }
  }
}
