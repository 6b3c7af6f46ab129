/// An object that is notified of the changes and saves of a store.
///
/// Every method has a default that does nothing. The methods are called synchronously in the store's isolation domain.
/// A delegate must not change the store from within these calls.
public protocol StoreDelegate: AnyObject {
  /// Notifies the delegate that an object was inserted: it has its identity, and the next save writes it.
  func store(_ store: Store, willInsert object: StoredObject)
  /// Notifies the delegate of the first announced change since the last save, before the change.
  func store(_ store: Store, willUpdate object: StoredObject)
  /// Notifies the delegate that an object is about to be deleted, after its `prepareForDelete`.
  ///
  /// For a delete by identity, `prepareForDelete` is not called, and the object may be a fault.
  func store(_ store: Store, willDelete object: StoredObject)
  /// Notifies the delegate that the store changed the object's content or state, by a discard, a refresh, or an update
  /// that threw.
  func store(_ store: Store, didChange object: StoredObject)
  /// Notifies the delegate that a save was committed.
  func storeDidSave(_ store: Store)
}

extension StoreDelegate {
  public func store(_ store: Store, willInsert object: StoredObject) {}
  public func store(_ store: Store, willUpdate object: StoredObject) {}
  public func store(_ store: Store, willDelete object: StoredObject) {}
  public func store(_ store: Store, didChange object: StoredObject) {}
  public func storeDidSave(_ store: Store) {}
}
