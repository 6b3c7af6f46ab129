package import Todana

/// The collection that takes the rows of an import.
package protocol ImportTarget {
  var store: Store { get }

  /// Makes the collection if it does not exist.
  ///
  /// - Returns: The name under which the position of an unfinished import is stored. It stays the same if the collection
  ///   is renamed, and belongs to no other collection.
  func prepareForImport() throws -> String

  /// Inserts a row; the next save writes it.
  ///
  /// - Throws: ``DocumentError`` if the row cannot be imported, but others may be.
  func insertRow(_ value: DocumentValue) throws
}

extension DocumentCollection: ImportTarget {
  package func prepareForImport() throws -> String {
    try make()
    let salt = try description()?.value.salt ?? 0
    return "documents \(String(salt, radix: 16))"
  }

  package func insertRow(_ value: DocumentValue) throws { try insert(value) }
}
