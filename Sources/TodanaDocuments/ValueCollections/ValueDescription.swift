internal import Todana

/// The description of a collection of values: the names of its indexes (docs/formats/documents.md).
struct ValueDescription: Equatable {
  private static let version: UInt8 = 1

  struct IndexName: Equatable {
    let name: String
    let isUnique: Bool
  }

  var indexes: [IndexName]

  init(indexes: [IndexName]) { self.indexes = indexes }

  /// Reads a description.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``.
  init(decoding bytes: [UInt8]) throws(DocumentError) {
    guard bytes.first == Self.version else {
      throw DocumentError(.invalidBytes, "the description of a collection of values has an unknown version")
    }
    let value = try EncodedValue(checking: Array(bytes.dropFirst())).value()
    indexes = []
    for index in value["indexes"]?.array ?? [] {
      guard let name = index["name"]?.string, let isUnique = index["unique"]?.bool else {
        throw DocumentError(.invalidBytes, "an index in the description of a collection has no name")
      }
      indexes.append(IndexName(name: name, isUnique: isUnique))
    }
  }

  func bytes() throws(DocumentError) -> [UInt8] {
    let value: DocumentValue = [
      "indexes": DocumentValue(indexes.map { ["name": DocumentValue($0.name), "unique": DocumentValue($0.isUnique)] })
    ]
    return [Self.version] + (try EncodedValue(value, byteLimit: 1 << 19).bytes)
  }

  /// Returns the declarations for the library.
  ///
  /// - Throws: ``DocumentError/Code/invalidText`` if the program has not declared an index.
  func indexes(of type: Any.Type) throws(DocumentError) -> [Index] {
    var declared: [Index] = []
    for index in indexes {
      guard let found = DeclaredValueIndexes.index(named: index.name, isUnique: index.isUnique, of: type) else {
        throw DocumentError(
          .invalidText, "the collection has an index \"\(index.name)\" that the program has not declared for \(type)")
      }
      declared.append(found)
    }
    return declared
  }
}
