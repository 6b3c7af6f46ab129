// The owners of references to an object.
extension StoreIdentifiable where Self: StoredObject {
  /// Returns the objects whose list refers to this object.
  ///
  /// ```swift
  /// let albums = try song.referrers(\Album.songs)
  /// ```
  ///
  /// Pending changes count. For a property with a ``Relationship``, the objects are found by its index.
  ///
  /// - Parameter keyPath: The property. Objects of registered subclasses of its class are found, too.
  /// - Returns: The objects, loaded, in the order of their classes and row ids; none if this object is in no store.
  /// - Throws: The errors of a fetch.
  public func referrers<Source: StoredObject>(
    _ keyPath: any KeyPath<Source, [Self]> & Sendable
  ) throws(StoreError) -> [Source] {
    try store?.owners(of: keyPath, referringTo: self) ?? []
  }

  /// Returns the objects whose set refers to this object.
  ///
  /// The results and errors are those for a list.
  public func referrers<Source: StoredObject>(
    _ keyPath: any KeyPath<Source, Set<Self>> & Sendable
  ) throws(StoreError) -> [Source] {
    try store?.owners(of: keyPath, referringTo: self) ?? []
  }

  /// Returns the objects whose list of lazy references refers to this object.
  ///
  /// The results and errors are those for a list.
  public func referrers<Source: StoredObject>(
    _ keyPath: any KeyPath<Source, LazyReferences<Self>> & Sendable
  ) throws(StoreError) -> [Source] {
    try store?.owners(of: keyPath, referringTo: self) ?? []
  }

  /// Returns the objects whose property refers to this object.
  ///
  /// The results and errors are those for a list.
  public func referrers<Source: StoredObject>(
    _ keyPath: any KeyPath<Source, Self?> & Sendable
  ) throws(StoreError) -> [Source] {
    try store?.owners(of: keyPath, referringTo: self) ?? []
  }

  /// Returns the objects whose property refers to this object.
  ///
  /// The results and errors are those for a list.
  public func referrers<Source: StoredObject>(
    _ keyPath: any KeyPath<Source, Self> & Sendable
  ) throws(StoreError) -> [Source] {
    try store?.owners(of: keyPath, referringTo: self) ?? []
  }
}

extension Store {
  /// Returns the objects whose set of references to any class refers to an object.
  ///
  /// The results and errors are those of ``StoredObject/referrers(_:)-(KeyPath<Source,[Self]>Sendable)``.
  package func owners<Owner: StoredObject>(
    ofSet keyPath: any KeyPath<Owner, ReferenceSet> & Sendable, referringTo object: StoredObject
  ) throws(StoreError) -> [Owner] {
    try owners(of: keyPath, referringTo: object)
  }
}
