/// The protocol that gives ``StoredObject/id`` its type: a `Song` has an `ObjectID<Song>`.
///
/// Only ``StoredObject`` adopts it. The protocol does not inherit from the class, as that would be a circular
/// reference.
public protocol StoreIdentifiable: AnyObject, SendableMetatype {}

extension StoreIdentifiable where Self: StoredObject {
  /// The identity within the store.
  ///
  /// Nil before ``Store/insert(_:)``, and again after a delete was saved or an insert was discarded.
  public var id: ObjectID<Self>? {
    anyID.map { ObjectID(unchecked: $0) }
  }
}

extension StoredObject {
  /// The identity within the store, without its type; nil whenever `id` is nil.
  public final var anyID: AnyObjectID? {
    guard let page = place.page else { return nil }
    let rowID = page.firstRowID + RowID(place.slot)
    return page.withTable { table in table.classID.map { AnyObjectID(classID: $0, rowID: rowID) } }
  }

  /// The store that the object was inserted into or fetched from.
  ///
  /// Nil outside a store, and after the store was deinitialized.
  public final var store: Store? { table?.store }

  /// The identity of the data of the object's store.
  final var storeID: StoreID? { table?.store.backend.storeID }

  /// Whether the content is not loaded, so that plain properties have their default values.
  public final var isFault: Bool { state.contains(.fault) }

  /// Returns whether the class is another one or a subclass of it.
  static func inherits(from ancestor: AnyObject.Type) -> Bool {
    var current: AnyClass? = self
    while let candidate = current {
      if candidate == ancestor { return true }
      current = _getSuperclass(candidate)
    }
    return false
  }
}

extension StoredObject {
  /// Tests whether two variables hold the same object.
  public static func == (lhs: StoredObject, rhs: StoredObject) -> Bool { lhs === rhs }

  /// Hashes the identity of the instance, which does not change when the object is inserted, loaded or deleted.
  public final func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
