/// The indexes of a collection (``StoredObject/collectionIndexes(ofCollection:description:)``).
public struct CollectionIndexes: Sendable {
  public var indexes: [Index]
  public var textIndexes: [TextIndex]

  public init(indexes: [Index] = [], textIndexes: [TextIndex] = []) {
    self.indexes = indexes
    self.textIndexes = textIndexes
  }
}

extension ClassTable {
  /// Reads the declarations of the table's indexes, checks them, and makes them the indexes of the table.
  ///
  /// - Throws: ``StoreError/Code/invalidIndex``, ``StoreError/Code/invalidCollection``.
  func declareIndexes() throws(StoreError) {
    let declared = try collectionIndexes()
    try TextIndex.check(type, declared?.textIndexes, className: name)
    indexes = try ClassIndex.all(of: type, declared?.indexes, className: name)
    textIndexes = ClassTextIndex.all(of: type, declared?.textIndexes, className: name)
  }

  /// Returns the indexes that the description of a collection declares; nil for the table of a class.
  private func collectionIndexes() throws(StoreError) -> CollectionIndexes? {
    guard let collection else { return nil }
    do {
      return try type.collectionIndexes(ofCollection: collection.name, description: collection.description)
    } catch {
      throw StoreError(
        .invalidCollection, "The description of the collection \"\(collection.name)\" cannot be read.",
        className: name, underlying: error)
    }
  }
}
