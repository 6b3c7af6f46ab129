extension Store {
  /// Inserts a copy of an object, with an identity of its own.
  ///
  /// ```swift
  /// let copy = try store.copy(album, including: [\Album.songs])
  /// ```
  ///
  /// The copy has the content that `writeContent` writes. It refers to the same objects as the original, except those
  /// that are copied with it.
  ///
  /// If the class has a unique index, give the copy another value before saving it.
  ///
  /// - Parameters:
  ///   - object: An object of this store; a fault is loaded.
  ///   - relationships: References or lists of references whose objects are copied, too. Those of the class itself are
  ///     followed from the copied objects on, so that a whole tree or chain can be copied. Each object is copied once, and
  ///     references between copied objects lead to their copies.
  /// - Returns: The copy, whose insert is pending.
  /// - Throws: ``StoreError``: ``StoreError/Code/invalidRelationship`` for a property that holds no references,
  ///   ``StoreError/Code/cannotEncode``; errors of loading objects and of ``insert(_:)``. Nothing is inserted then.
  /// - Complexity: O(*n*) in the copied objects.
  @discardableResult
  public func copy<T: StoredObject>(
    _ object: T, including relationships: [PartialKeyPath<T>] = []
  ) throws(StoreError) -> T {
    try beginChange()
    _ = try table(of: object, to: "copy")
    for keyPath in relationships
    where !(type(of: keyPath).valueType is any ReferenceHolder.Type) || !KeyPathRoute.of(keyPath).hops.isEmpty {
      throw StoreError(
        .invalidRelationship, "A copy follows only own properties of \(T.self) that hold references.")
    }
    let originals = try objectsToCopy(from: object, relationships)
    let copies = originals.map { type(of: $0).init() }
    var replacements: [ObjectIdentifier: StoredObject] = [:]
    for (original, copy) in zip(originals, copies) { replacements[ObjectIdentifier(original)] = copy }
    let contents = ContentCopies()
    for (original, copy) in zip(originals, copies) {
      let isCopied = contents.transfer(from: original, to: copy) { replacements[ObjectIdentifier($0)] ?? $0 }
      if isCopied { continue }
      throw StoreError(
        .cannotEncode, "The object cannot be copied, because writeContent or readContent fails.",
        className: original.table?.name, rowID: original.anyID?.rowID)
    }
    try allOrNothing { () throws(StoreError) -> Void in
      for (original, copy) in zip(originals, copies) {
        let table = original.table
        if let table, table.collection != nil {
          _ = try insertAny(copy, into: table)
        } else {
          _ = try insertAny(copy)
        }
      }
    }
    // The first copy is that of the object, and of the same class.
    return unsafe unsafeDowncast(copies[0], to: T.self)
  }

  /// Returns an object and those that it leads to, loaded, each once.
  private func objectsToCopy<T: StoredObject>(
    from object: T, _ relationships: [PartialKeyPath<T>]
  ) throws(StoreError) -> [StoredObject] {
    var originals: [StoredObject] = [object]
    var found: Set<ObjectIdentifier> = [ObjectIdentifier(object)]
    var next = 0
    while next < originals.count {
      let level = next..<originals.count
      try load(originals[level].filter(\.isFault))
      for index in level {
        guard let owner = originals[index] as? T else { continue }
        for keyPath in relationships {
          (owner[keyPath: keyPath] as? any ReferenceHolder)?.forEachObject { target in
            if found.insert(ObjectIdentifier(target)).inserted { originals.append(target) }
          }
        }
      }
      next = level.upperBound
    }
    return originals
  }
}
