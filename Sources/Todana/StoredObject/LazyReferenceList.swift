/// What a ``LazyReferences`` holds, without its type.
struct LazyReferenceList {
  enum Entry {
    /// A row that was read, and not looked for yet.
    case row(RowID)
    /// What the program put there.
    case object(StoredObject)
  }

  var entries: [Entry] = []
  /// The table of the rows; nil as long as there are none.
  var table: ClassTable?

  /// The object of an entry, of this class: for a row the live one, or a new fault.
  func object(at index: Int, as type: StoredObject.Type) -> StoredObject {
    switch entries[index] {
    case .object(let object): return object
    case .row(let rowID):
      if let table, !table.isOrphan { return table.objectOrFault(rowID) }
      // The store is gone: as its other faults, this one says so when it is loaded.
      let object = type.init()
      object.state = .fault
      return object
    }
  }
}
