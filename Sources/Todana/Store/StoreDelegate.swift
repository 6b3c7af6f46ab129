/// Hears of what a store does.
///
/// Every method has a default that does nothing. They are called synchronously where the store lives. A delegate does not change the store from within these calls.
public protocol StoreDelegate: AnyObject {
  /// The object has its identity, and will be saved with the next save.
  func store(_ store: Store, willInsert object: StoredObject)
  /// Called at the first announced change since the last save, before the change.
  func store(_ store: Store, willUpdate object: StoredObject)
  /// Called after the object's `prepareForDelete`; for a delete by identity without it, with an object that may be a fault.
  func store(_ store: Store, willDelete object: StoredObject)
  /// The store itself changed the object's content or state: a discard, a refresh, an update that threw.
  func store(_ store: Store, didChange object: StoredObject)
  /// A save was committed.
  func storeDidSave(_ store: Store)
}

extension StoreDelegate {
  public func store(_ store: Store, willInsert object: StoredObject) {}
  public func store(_ store: Store, willUpdate object: StoredObject) {}
  public func store(_ store: Store, willDelete object: StoredObject) {}
  public func store(_ store: Store, didChange object: StoredObject) {}
  public func storeDidSave(_ store: Store) {}
}
