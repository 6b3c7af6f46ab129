public import Foundation
public import Todana

// Documents by their keys.
extension DocumentCollection {
  /// Returns the document with a key; nil if there is none.
  ///
  /// - Complexity: One read of a record for a key that a document got when it was inserted; an additional search in an
  ///   index for a key that was given.
  public func document(for key: UUID) throws(StoreError) -> Document? {
    let found = try findDocument(for: key)
    if let found { cache.use(found) }
    return found
  }

  private func findDocument(for key: UUID) throws(StoreError) -> Document? {
    guard let description = try store.collectionDescription(named: name, of: Document.self),
      let salt = CollectionDescription.salt(of: description)
    else { return nil }
    if let row = DocumentKeys.row(of: key, salt: salt), let found = try document(inRow: row), found.storedKey == nil {
      return found
    }
    return try store.first(all.where { _ in Document.givenKey.property.contains(key) })
  }

  private func document(inRow row: RowID) throws(StoreError) -> Document? {
    guard let classID = try store.classID(ofCollection: name, of: Document.self) else { return nil }
    return try store.fetch(ObjectID<Document>(unchecked: AnyObjectID(classID: classID, rowID: row)))
  }

  /// Returns the documents with keys, in the same order; nil for a key without a document.
  public func documents(for keys: [UUID]) throws(StoreError) -> [Document?] {
    var found: [Document?] = []
    for key in keys { found.append(try document(for: key)) }
    return found
  }
}
