internal import Todana

/// The description of a collection of documents: its indexes, and the salt of its keys (docs/formats/documents.md).
struct CollectionDescription: Sendable {
  private static let version: UInt8 = 1
  private static let headerByteCount = 9

  /// The random number from which keys of documents are made.
  var salt = DocumentKeys.randomSalt()
  var indexes: [PathIndex] = []

  init() {}

  /// Returns the salt of a description, without reading the rest.
  static func salt(of description: [UInt8]) -> UInt64? {
    guard description.count >= headerByteCount, description[0] == version else { return nil }
    return description[1..<headerByteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Bytes

  /// Reads a description.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``; the errors of ``PathIndex/init(_:unique:)``.
  init(decoding bytes: [UInt8]) throws(DocumentError) {
    guard let salt = Self.salt(of: bytes) else {
      throw DocumentError(.invalidBytes, "the description of a collection has an unknown version")
    }
    self.salt = salt
    let value = try EncodedValue(checking: Array(bytes.dropFirst(Self.headerByteCount))).value()
    for index in value["indexes"]?.array ?? [] {
      guard let text = index["text"]?.string, let isUnique = index["unique"]?.bool else {
        throw DocumentError(.invalidBytes, "an index in the description of a collection has no text")
      }
      indexes.append(try PathIndex(text, unique: isUnique))
    }
  }

  /// Returns the bytes of the description.
  ///
  /// - Throws: ``DocumentError/Code/tooLarge``.
  func bytes() throws(DocumentError) -> [UInt8] {
    let value: DocumentValue = [
      "indexes": DocumentValue(indexes.map { ["text": DocumentValue($0.text), "unique": DocumentValue($0.isUnique)] })
    ]
    var bytes = [Self.version]
    for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: salt >> UInt64(8 * byte))) }
    return bytes + (try EncodedValue(value, byteLimit: 1 << 19).bytes)
  }

  // MARK: Indexes

  /// The declarations for the library: the given keys, and all indexes on paths.
  func collectionIndexes() throws(DocumentError) -> CollectionIndexes {
    var declared = [Index(parts: [.each(Document.givenKey)], unique: true, name: "key")]
    for index in indexes { declared.append(index.index) }
    return CollectionIndexes(indexes: declared)
  }
}
