/// The classes of a store: those that the program registered, and those that have records.
public struct ClassCatalog: Sequence {
  /// In the order of registration, then those that are not registered, in the order of their numbers.
  public let entries: [Entry]

  public struct Entry {
    /// The stored name.
    public let name: String
    /// The number that the backend gave the class; nil if nothing of it was ever inserted.
    public let id: ClassID?
    /// The Swift class; nil if it is not registered.
    public let type: StoredObject.Type?
    /// Records that are saved.
    public let recordCount: Int
  }

  /// The entry of a registered class.
  public subscript(type: StoredObject.Type) -> Entry? { entries.first { $0.type == type } }

  /// The entry of a stored name.
  public subscript(named name: String) -> Entry? { entries.first { $0.name == name } }

  /// The entry of a number.
  public subscript(id: ClassID) -> Entry? { entries.first { $0.id == id } }

  public func makeIterator() -> IndexingIterator<[Entry]> { entries.makeIterator() }
}

extension Store {
  /// The classes as they are now: names, numbers, Swift types, counts.
  public var catalog: ClassCatalog {
    get throws(StoreError) {
      try begin()
      let structures = try onBackend { backend throws(BackendError) in try backend.structures() }
      registry.adopt(structures)
      var unregistered: [ClassCatalog.Entry] = []
      var counts: [ClassID: Int] = [:]
      for structure in structures where structure.kind == .rows {
        counts[structure.id] = structure.count
        if registry[structure.id] == nil {
          unregistered.append(
            .init(
              name: String(decoding: structure.name, as: UTF8.self), id: structure.id, type: nil,
              recordCount: structure.count))
        }
      }
      let registered = registry.tables.map { table in
        ClassCatalog.Entry(
          name: table.name, id: table.classID, type: table.type,
          recordCount: table.classID.flatMap { counts[$0] } ?? 0)
      }
      return ClassCatalog(entries: registered + unregistered)
    }
  }
}
