/// A position in the order of a query, after which the next page begins.
///
/// It does not imply that there is, or was, an object at this position. A position can be sent to another program and
/// back.
public struct QueryPosition: Sendable, Codable, Hashable {
  /// The object's values of the sort keys, as the bytes by which they are compared.
  var keys: [[UInt8]]
  let rowID: RowID
  /// A hash of the query's class and sort keys, by which a position of another query is recognized.
  let order: UInt64
  /// The number of the object's class, which decides among equal keys if a query includes subclasses.
  var classNumber: UInt32?

  /// Returns the position in the part of the result with the objects of a class.
  func begin(ofClass classID: KeyspaceID?) -> QueryPosition {
    guard let classNumber, let classID, classID.rawValue != classNumber else { return self }
    return QueryPosition(keys: keys, rowID: classID.rawValue < classNumber ? .max : 0, order: order)
  }
}

extension Query {
  /// Returns the position of an object in the order of the query, from the values that it has in memory.
  ///
  /// Pending changes of the object count. For pages without pending changes use ``after(_:)-(T)``.
  ///
  /// - Returns: nil if the object is in no store, if a value is read through a reference that cannot be loaded, or if
  ///   the query is sorted by relevance.
  public func position(of object: T) -> QueryPosition? {
    guard let id = object.anyID, let keys = specification.keys(of: object) else { return nil }
    return QueryPosition(
      keys: keys, rowID: id.rowID, order: specification.orderHash(of: T.self), classNumber: id.classID.rawValue)
  }

  /// Returns the part of the query after an object: the next page, if the object was the last of a page.
  ///
  /// Unlike an offset, this takes no longer for later pages, and is not affected by insertions and deletions before the
  /// object. If a fetch leaves out pending changes, the object's saved values count. Add all sorts before this call. If ``position(of:)`` is nil for the object, the fetch throws
  /// ``StoreError/Code/invalidQuery``.
  public func after(_ object: T) -> Query {
    guard let position = position(of: object) else {
      var query = self
      query.specification.problem =
        specification.sortsByRelevance
        ? "A query sorted by relevance cannot start after an object: use an offset."
        : "The query cannot start after this object: it is in no store, or its sort keys cannot be read."
      return query
    }
    var query = after(position)
    query.specification.startsAfterPending = object.state.isPending
    return query
  }

  /// Returns the part of the query after a position, which must be of a query for the same class with the same sorts.
  ///
  /// Otherwise, the fetch throws ``StoreError/Code/invalidQuery``.
  public func after(_ position: QueryPosition) -> Query {
    var query = self
    query.specification.start = position
    if position.order != specification.orderHash(of: T.self) {
      query.specification.problem = "The start position is of a query for another class, or with other sorts."
    }
    return query
  }
}

extension QuerySpecification {
  /// Returns an object's values of the sort keys; nil if a value cannot be read.
  func keys(of object: StoredObject) -> [[UInt8]]? {
    var keys: [[UInt8]] = []
    for key in sortKeys {
      let arena = ByteArena()
      var writer = KeyWriter(arena: arena)
      key.write(object, &writer)
      if writer.failure != nil { return nil }
      keys.append(unsafe Array(arena.bytes))
    }
    return keys
  }

  /// Returns a hash of a class's name and of the sort keys, which is the same in every run of the program.
  fileprivate func orderHash(of type: StoredObject.Type) -> UInt64 {
    var text = type.storedName
    for key in sortKeys { text += "\0" + key.description }
    return unsafe Array(text.utf8).withUnsafeBytes { unsafe checksum(of: $0, seed: 0) }
  }
}
