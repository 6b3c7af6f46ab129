internal import Synchronization

/// The accesses to ``Loaded`` properties of objects that are faults of no store, noted on request.
enum LoadedAccesses {
  /// The key paths that were noted for each of the objects.
  private static let notes = Mutex<[ObjectIdentifier: Notes]>([:])

  /// Safe to share although key paths are not `Sendable`: they are only compared.
  @safe private struct Notes: @unchecked Sendable {
    var keyPaths: [AnyKeyPath] = []
  }

  /// Notes an access, if the accesses to the object are wanted.
  static func note(_ property: AnyKeyPath, of object: StoredObject) {
    let notes = Notes(keyPaths: [property])
    Self.notes.withLock { $0[ObjectIdentifier(object)]?.keyPaths += notes.keyPaths }
  }

  /// Returns the properties of an object that a closure accesses.
  static func properties(of object: StoredObject, during body: () -> Void) -> [AnyKeyPath] {
    let id = ObjectIdentifier(object)
    notes.withLock { $0[id] = Notes() }
    body()
    return notes.withLock { $0.removeValue(forKey: id) }?.keyPaths ?? []
  }
}
