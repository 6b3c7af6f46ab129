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
