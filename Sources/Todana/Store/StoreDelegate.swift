/// An object that is notified of the changes and saves of a store, and may refuse them.
///
/// Every method has a default that does nothing. The methods are called synchronously in the store's isolation domain.
/// A delegate must not change the store from within these calls. Classes can override methods for their own objects,
/// such as ``StoredObject/willInsert(into:)``, which are called before those of the delegate.
///
/// An error of a `will` method prevents the insert, update, delete or save. The call that would have made it throws the
/// error; calls that throw only ``StoreError`` throw ``StoreError/Code/vetoed``, with the error as its cause.
public protocol StoreDelegate: AnyObject {
  /// Notifies the delegate that an object was inserted: it has its identity, and the next save writes it.
  ///
  /// An error takes the insert back.
  func store(_ store: Store, willInsert object: StoredObject) throws
  /// Notifies the delegate of the first announced change since the last save, before the change.
  ///
  /// ``StoredObject/willUpdate(in:)`` describes the effect of an error.
  func store(_ store: Store, willUpdate object: StoredObject) throws
  /// Notifies the delegate that an object is about to be deleted, by the program or by the rule of a ``Relationship``.
  ///
  /// The object may be a fault. ``Store/delete(_:)-(StoredObject)`` describes the order of the calls.
  func store(_ store: Store, willDelete object: StoredObject) throws
  /// Notifies the delegate that the store changed the object's content or state, by a discard, a refresh, or an update
  /// that threw.
  func store(_ store: Store, didChange object: StoredObject)
  /// Notifies the delegate that pending changes are about to be saved.
  func storeWillSave(_ store: Store) throws
  /// Notifies the delegate that a save has inserted an object.
  func store(_ store: Store, didInsert object: StoredObject)
  /// Notifies the delegate that a save has updated an object.
  func store(_ store: Store, didUpdate object: StoredObject)
  /// Notifies the delegate that a save has deleted an object, which is in no store then.
  func store(_ store: Store, didDelete object: StoredObject)
  /// Notifies the delegate that a save was committed, after all calls for its objects.
  func storeDidSave(_ store: Store)
}

extension StoreDelegate {
  public func store(_ store: Store, willInsert object: StoredObject) {}
  public func store(_ store: Store, willUpdate object: StoredObject) {}
  public func store(_ store: Store, willDelete object: StoredObject) {}
  public func store(_ store: Store, didChange object: StoredObject) {}
  public func storeWillSave(_ store: Store) {}
  public func store(_ store: Store, didInsert object: StoredObject) {}
  public func store(_ store: Store, didUpdate object: StoredObject) {}
  public func store(_ store: Store, didDelete object: StoredObject) {}
  public func storeDidSave(_ store: Store) {}
}
