extension Store {
  /// Returns all objects of a class, loaded, in the order of their row ids, which is the order of insertion.
  ///
  /// ```swift
  /// let songs = try store.fetch(Song.self)
  /// ```
  ///
  /// Reads the state of one commit, with the pending changes of this store. Objects that are already loaded keep their
  /// content. After ``refresh()`` objects that other stores changed are loaded again.
  ///
  /// - Parameters:
  ///   - type: The class; objects of its subclasses are not fetched by default.
  ///   - includingSubclasses: Whether objects of registered subclasses are fetched as well, class by class.
  ///   - includingPending: Whether objects with pending inserts are included and objects with pending deletes are not.
  ///   - onDamage: The policy for records that cannot be read.
  /// - Returns: The objects.
  /// - Throws: ``StoreError``, with class and row if a record cannot be read.
  /// - Complexity: O(*n*); all objects are in memory at once.
  ///   ``forEach(_:includingSubclasses:includingPending:onDamage:_:)`` needs less memory.
  public func fetch<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try begin()
    let tables = try tables(for: type, includingSubclasses: includingSubclasses)
    return try fetchAll(of: tables, type, includingPending: includingPending, onDamage: onDamage)
  }

  /// Returns all objects of some tables, whose classes are a class and its subclasses.
  func fetchAll<T: StoredObject>(
    of tables: [ClassTable], _ type: T.Type, includingPending: Bool, onDamage: DamagePolicy
  ) throws(StoreError) -> [T] {
    try begin()
    if tables.count > 1, !holdsSnapshot {
      return try readingOneState { () throws(StoreError) in
        try fetchAll(of: tables, type, includingPending: includingPending, onDamage: onDamage)
      }
    }
    let expectedCount = try count(of: tables, includingPending: includingPending)
    let isLarge = expectedCount >= 16 * IdentityPage.rowCount
    return try ObjectList.array(of: type, expectedCount: expectedCount) { list throws(StoreError) in
      for table in tables {
        list.beginClass()
        table.identity.isBeingFilled = isLarge
        defer { table.identity.isBeingFilled = false }
        try fetchAll(of: table, includingPending: includingPending, onDamage: onDamage, into: &list)
        list.orderClass()
      }
    }
  }

  /// Returns all objects of a class, and loads the objects that a list property of each refers to, with few reads.
  ///
  /// ```swift
  /// let playlists = try store.fetch(Playlist.self, loading: \.songs)
  /// ```
  ///
  /// `onDamage` is the policy for records that cannot be read, both of the class and of objects that the property
  /// refers to. It also applies to references to objects that no longer exist (``StoreError/Code/rowNotFound``): such a
  /// reference stays a fault in its object.
  public func fetch<T: StoredObject, Related: StoredObject>(
    _ type: T.Type, loading relation: KeyPath<T, [Related]>,
    includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try fetch(type, includingSubclasses, includingPending, onDamage) { objects, onDamage throws(StoreError) in
      try load(objects.lazy.flatMap { $0[keyPath: relation] }, onDamage: onDamage)
    }
  }

  /// Returns all objects of a class, and loads the object that a property of each refers to, with few reads.
  ///
  /// `onDamage` is the policy for records that cannot be read, both of the class and of objects that the property
  /// refers to. It also applies to references to objects that no longer exist (``StoreError/Code/rowNotFound``): such a
  /// reference stays a fault in its object.
  public func fetch<T: StoredObject, Related: StoredObject>(
    _ type: T.Type, loading relation: KeyPath<T, Related?>,
    includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> [T] {
    try fetch(type, includingSubclasses, includingPending, onDamage) { objects, onDamage throws(StoreError) in
      try load(objects.lazy.compactMap { $0[keyPath: relation] }, onDamage: onDamage)
    }
  }

  private func fetch<T: StoredObject>(
    _ type: T.Type, _ includingSubclasses: Bool, _ includingPending: Bool, _ onDamage: DamagePolicy,
    _ loadRelated: ([T], DamagePolicy) throws(StoreError) -> Void
  ) throws(StoreError) -> [T] {
    try begin()
    let onDamage = onDamage.reportingOnce
    // In one state, the objects that an object refers to exist even if other stores delete them concurrently.
    return try readingOneState { () throws(StoreError) in
      let objects = try fetch(
        type, includingSubclasses: includingSubclasses, includingPending: includingPending, onDamage: onDamage)
      try loadRelated(objects, onDamage)
      return objects
    }
  }

  private func fetchAll(
    of table: ClassTable, includingPending: Bool, onDamage: DamagePolicy, into list: inout ObjectList
  ) throws(StoreError) {
    if let classID = try table.classIDForReading() {
      let chunk = takeChunk()
      defer { giveBack(chunk) }
      var reader = makeReader()
      let scan = try scan(classID)
      while try next(of: scan, into: chunk, onDamage: onDamage) {
        for slice in chunk.slices {
          do throws(StoreError) {
            if let object = try object(
              for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
            {
              list.append(object, rowID: slice.rowID)
            }
          } catch {
            try onDamage.handle(error)
          }
        }
      }
    }
    guard includingPending, table.pending.insertCount > 0 else { return }
    for object in table.pending.objects where object.state.contains(.inserted) {
      list.append(object, rowID: object.rowID)
    }
  }

  /// Reads the next chunk of a scan; returns false at the end.
  func next(
    of scan: any BackendScan, into chunk: RecordChunk, onDamage: DamagePolicy = .fail
  ) throws(StoreError) -> Bool {
    while true {
      try checkForCancellationOfReader()
      do throws(BackendError) {
        try scan.next(into: chunk)
        return !chunk.slices.isEmpty
      } catch {
        try handle(scanError: error, onDamage)
      }
    }
  }

  /// Reports an error of a scan under the policy if the scan can continue, else throws it.
  func handle(scanError error: BackendError, _ onDamage: DamagePolicy) throws(StoreError) {
    guard error.leavesScanUsable else { throw translate(error) }
    try onDamage.handle(translate(error))
  }

  /// Returns the loaded object of a scanned record; nil if its delete is pending and pending changes are included.
  @inline(__always)
  func object(
    for slice: RecordChunk.Slice, of table: ClassTable, in chunk: RecordChunk, includingPending: Bool,
    reader: inout DataBuffer
  ) throws(StoreError) -> StoredObject? {
    if slice.status == .found,
      let object = unsafe freshObject(chunk.value(of: slice), rowID: slice.rowID, of: table, reader: &reader)
    {
      return object
    }
    return try liveOrDamagedObject(
      for: slice, of: table, in: chunk, includingPending: includingPending, reader: &reader)
  }

  /// Returns the object of a scanned row that has a live object already; throws the error of a record that cannot be
  /// read.
  @inline(never)
  private func liveOrDamagedObject(
    for slice: RecordChunk.Slice, of table: ClassTable, in chunk: RecordChunk, includingPending: Bool,
    reader: inout DataBuffer
  ) throws(StoreError) -> StoredObject? {
    if let object = table.identity[slice.rowID] {
      if includingPending, object.state.contains(.deleted) { return nil }
      if object.isFault { try fill(object, of: table, from: slice, in: chunk, reader: &reader) }
      return object
    }
    guard slice.status == .found else { throw damaged(slice.rowID, table) }
    let object = table.type.init()
    table.attach(object, at: slice.rowID)
    unsafe try decode(object, of: table, record: chunk.value(of: slice), reader: &reader)
    return object
  }
}
