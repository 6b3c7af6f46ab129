/// The classes of a store: the registered ones, and those that only have records.
public struct ClassCatalog: Sequence {
  /// The entries of registered classes in the order of registration, then those of other classes in the order of their
  /// numbers.
  public let entries: [Entry]

  public struct Entry {
    /// The stored name.
    public let name: String
    /// The number that the backend gave the class; nil if no object of it was ever inserted.
    public let id: KeyspaceID?
    /// The Swift class; nil if it is not registered.
    public let type: StoredObject.Type?
    /// The number of saved records; nil if the class's file is damaged.
    public let recordCount: Int?
    /// The version that the Swift class writes; nil if it is not registered.
    public let version: UInt8?
    /// A row id higher than the row ids of all records ever saved; nil if the backend does not know one.
    ///
    /// New objects get this row id or a higher one.
    public let nextRowID: RowID?
  }

  /// The entry of a registered class.
  public subscript(type: StoredObject.Type) -> Entry? { entries.first { $0.type == type } }

  /// The entry of a stored name.
  public subscript(named name: String) -> Entry? { entries.first { $0.name.utf8.elementsEqual(name.utf8) } }

  /// The entry of a number.
  public subscript(id: KeyspaceID) -> Entry? { entries.first { $0.id == id } }

  public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }
}

extension Store {
  /// The current classes with their names, numbers, Swift types and counts.
  public var catalog: ClassCatalog {
    get throws(StoreError) {
      try begin()
      if isTracking { tracker.noteWhole() }
      let keyspaces = try onRecords { sealing throws(BackendError) in try sealing.keyspaces() }
      registry.adopt(keyspaces)
      var unregistered: [ClassCatalog.Entry] = []
      for keyspace in keyspaces where keyspace.isOfClass && registry[keyspace.id] == nil {
        unregistered.append(
          .init(
            name: String(decoding: keyspace.name, as: UTF8.self), id: keyspace.id, type: nil,
            recordCount: try recordCount(of: keyspace.id), version: nil,
            nextRowID: try nextRowID(of: keyspace.id)))
      }
      var registered: [ClassCatalog.Entry] = []
      for table in registry.tables {
        registered.append(
          .init(
            name: table.name, id: table.classID, type: table.type, recordCount: try recordCount(of: table.classID),
            version: table.version, nextRowID: try nextRowID(of: table.classID)))
      }
      return ClassCatalog(entries: registered + unregistered)
    }
  }

  /// Returns a row id higher than all saved ones; nil if it is unknown or the class's file is damaged.
  private func nextRowID(of classID: KeyspaceID?) throws(StoreError) -> RowID? {
    guard let classID else { return nil }
    let snapshot = try snapshotForReading()
    do throws(BackendError) {
      return try snapshot.rowIDBound(of: classID)
    } catch {
      if error.code == .damaged { return nil }
      throw translate(error)
    }
  }

  /// Returns the number of saved records of a class; nil if its file is damaged.
  private func recordCount(of classID: KeyspaceID?) throws(StoreError) -> Int? {
    guard let classID else { return 0 }
    do throws(StoreError) {
      return try savedCount(of: classID)
    } catch {
      if error.code == .damagedRecord { return nil }
      throw error
    }
  }
}
