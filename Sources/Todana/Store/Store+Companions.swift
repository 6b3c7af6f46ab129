// Objects that other modules keep beside a store.
extension Store {
  /// Returns the object that a module keeps for this store under a name, which is made at the first call.
  ///
  /// It lives as long as the store, in the store's isolation domain. It must not hold the store strongly.
  ///
  /// - Parameters:
  ///   - name: A name that begins with that of the module.
  ///   - make: Makes the object.
  /// - Returns: The object; a new one if the known one has another type.
  public func companion<Companion: AnyObject>(named name: String, make: () -> Companion) -> Companion {
    if let known = companions[name] as? Companion { return known }
    let companion = make()
    companions[name] = companion
    return companion
  }
}
