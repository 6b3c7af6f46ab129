internal import Todana

/// The ids of the values of a collection that are not saved yet, and of others that were used with them.
///
/// All instances of the collection in one store share it. An object enters when it is inserted, also by an undo.
final class PendingValues<Value: Codable & Sendable> {
  private let id: (Value) -> ValueID
  private var objects: [ValueID: ObjectID<StoredValue<Value>>] = [:]

  init(_ identity: ValueIdentity<Value>) { id = identity.id }

  /// Notes an object that is inserted.
  func note(_ object: StoredValue<Value>) {
    guard let value = object.value, let objectID = object.id else { return }
    objects[id(value)] = objectID
  }

  /// Forgets all objects once nothing is pending in the store.
  func removeSaved(in store: Store) { if !objects.isEmpty, !store.hasUnsavedChanges { objects = [:] } }

  /// Returns the object of an id; nil if the id is unknown, or its object was deleted.
  func object(_ id: ValueID, in store: Store) throws -> StoredValue<Value>? {
    guard let known = objects[id] else { return nil }
    guard let object = try store.fetch(known), let value = object.value, self.id(value) == id else {
      objects[id] = nil
      return nil
    }
    return object
  }
}
