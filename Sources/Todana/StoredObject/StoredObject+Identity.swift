/// What gives ``StoredObject/id`` its type: a `Song` has an `ObjectID<Song>`.
///
/// Only ``StoredObject`` adopts it. (A protocol that inherited from the class would be a circular reference.)
public protocol StoreIdentifiable: AnyObject, SendableMetatype {}

extension StoreIdentifiable where Self: StoredObject {
  /// The identity within the store; nil before ``Store/insert(_:)``, and again after a delete was saved or an insert
  /// was discarded.
  public var id: ObjectID<Self>? {
    anyID.map { ObjectID(unchecked: $0) }
  }
}

extension StoredObject {
  /// The identity within the store without its type.
  public final var anyID: AnyObjectID? {
    guard let table, let classID = table.classID else { return nil }
    return AnyObjectID(classID: classID, rowID: rowID)
  }

  /// The store that the object was inserted into or fetched from; nil outside a store, and once the store is gone.
  public final var store: Store? { table?.store }

  /// Whether the content is not loaded, so that plain properties show their defaults.
  public final var isFault: Bool { state.contains(.fault) }
}
