/// The value of a property with a ``Relationship``: an object, an optional object, or a list of objects.
protocol RelationshipValue: ReferenceHolder, SendableMetatype {
  /// Calls back with the identity of each object, without making objects; leaves out those in no store.
  func forEachID(_ body: (AnyObjectID) -> Void)

  /// Removes the objects whose identity a closure accepts.
  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool)

  /// Removes the objects whose delete is pending or was saved.
  mutating func removeDeleted()
}

extension StoredObject: RelationshipValue {
  final func forEachID(_ body: (AnyObjectID) -> Void) { if let anyID { body(anyID) } }

  /// Does nothing: a reference that cannot be nil stays.
  final func remove(_ isRemoved: (AnyObjectID) -> Bool) {}

  /// Does nothing: a reference that cannot be nil stays.
  final func removeDeleted() {}

  /// Whether the delete of the object is pending or was saved.
  fileprivate final var isDeleted: Bool { table == nil ? state.contains(.gone) : state.contains(.deleted) }
}

extension Optional: RelationshipValue where Wrapped: StoredObject {
  func forEachID(_ body: (AnyObjectID) -> Void) { self?.forEachID(body) }

  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool) {
    if let id = self?.anyID, isRemoved(id) { self = nil }
  }

  mutating func removeDeleted() { if self?.isDeleted == true { self = nil } }
}

extension Array: RelationshipValue where Element: StoredObject {
  func forEachID(_ body: (AnyObjectID) -> Void) { for object in self { object.forEachID(body) } }

  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool) { removeAll { $0.anyID.map(isRemoved) ?? false } }

  mutating func removeDeleted() { removeAll(where: \.isDeleted) }
}

extension Set: RelationshipValue where Element: StoredObject {
  func forEachID(_ body: (AnyObjectID) -> Void) { for object in self { object.forEachID(body) } }

  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool) { self = filter { !($0.anyID.map(isRemoved) ?? false) } }

  mutating func removeDeleted() { self = filter { !$0.isDeleted } }
}

extension LazyReferences: RelationshipValue {
  func forEachID(_ body: (AnyObjectID) -> Void) {
    for index in list.entries.indices { if let id = list.id(at: index) { body(id) } }
  }

  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool) {
    var kept = list
    kept.entries = list.entries.indices.filter { !(list.id(at: $0).map(isRemoved) ?? false) }.map { list.entries[$0] }
    list = kept
  }

  mutating func removeDeleted() {
    let isDeleted = { [list] (index: Int) in
      switch list.entries[index] {
      case .object(let object): object.isDeleted
      case .row(let rowID): list.table?.identity[rowID]?.isDeleted ?? false
      }
    }
    var kept = list
    kept.entries = list.entries.indices.filter { !isDeleted($0) }.map { list.entries[$0] }
    list = kept
  }
}

extension ReferenceSet: RelationshipValue {
  func forEachID(_ body: (AnyObjectID) -> Void) { for id in allIDs { body(id) } }

  mutating func remove(_ isRemoved: (AnyObjectID) -> Bool) { subtract(allIDs.filter(isRemoved)) }

  mutating func removeDeleted() { removeDeletedObjects() }
}

extension IndexPart {
  /// Creates a part with an entry for each object that a list refers to.
  init<Root: StoreIdentifiable, List: RelationshipValue>(referencesIn keyPath: any KeyPath<Root, List> & Sendable) {
    self.init(
      eachObjectOf: PropertyPath(keyPath), root: Root.self,
      describe: { owner in
        var ids: [String] = []
        unsafe unsafeDowncast(owner, to: Root.self)[keyPath: keyPath].forEachID { ids.append($0.description) }
        return "[" + ids.joined(separator: ", ") + "]"
      },
      write: .elements { owner, key, finish in
        // The class that declares the relationship was checked to be a Root. References that have no identity are
        // refused when the record is written.
        unsafe unsafeDowncast(owner, to: Root.self)[keyPath: keyPath].forEachID { id in
          id.writeKey(to: &key)
          finish(&key)
        }
      })
  }
}
