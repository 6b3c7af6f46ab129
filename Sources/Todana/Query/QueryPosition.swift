/// A place in the order of a query, behind which the next page begins.
///
/// It says nothing of whether there is, or ever was, an object. It can be handed to another program, and back.
public struct QueryPosition: Sendable, Codable, Hashable {
  /// The object's values of the sort keys, as they are compared.
  let keys: [[UInt8]]
  let rowID: RowID
}

extension Query {
  /// Where an object stands in the order of the query, by what it has in memory.
  ///
  /// - Returns: nil for an object in no store, and where a value is read through a reference that cannot be loaded.
  public func position(of object: T) -> QueryPosition? {
    guard let rowID = object.id?.rowID else { return nil }
    var keys: [[UInt8]] = []
    for key in specification.sortKeys {
      let arena = ByteArena()
      var writer = KeyWriter(arena: arena)
      key.write(object, &writer)
      if writer.failure != nil { return nil }
      keys.append(unsafe Array(arena.bytes))
    }
    return QueryPosition(keys: keys, rowID: rowID)
  }

  /// Only what comes behind an object in the order of the query: the next page after one that ended with it.
  ///
  /// Costs no more for later pages, which an offset does, and does not move when objects before it come or go. Sort
  /// first.
  public func after(_ object: T) -> Query {
    guard let position = position(of: object) else {
      var query = self
      query.specification.problem =
        "It is to begin after an object that is in no store, or refers to one that cannot be read."
      return query
    }
    return after(position)
  }

  /// Only what comes behind a position, of this query or one with the same sort keys.
  public func after(_ position: QueryPosition) -> Query {
    var query = self
    query.specification.start = position
    return query
  }
}
