internal import Todana

/// The description of a collection of documents: its indexes and settings, and the salt of its keys
/// (docs/formats/documents.md).
package struct CollectionDescription: Sendable {
  private static let version: UInt8 = 1
  private static let headerByteCount = 13

  /// The random number from which keys of documents are made.
  var salt = DocumentKeys.randomSalt()
  /// The maximum number of bytes of a document in its binary form.
  var byteLimit = UInt32(BinaryForm.defaultByteLimit)
  var indexes: [PathIndex] = []
  /// Whether there is an index of all values at any depth.
  var indexesEverything = false
  var textIndexes: [DocumentTextIndex] = []
  /// The values that count in queries for missing ones, by path.
  var defaults: [String: DocumentValue] = [:]
  /// The words that stand for parts of the texts of queries.
  var aliases: [String: String] = [:]
  /// Values that the program keeps for the collection, by key.
  var metadata: [String: DocumentValue] = [:]

  package init() {}

  /// Returns the salt of a description, without reading the rest.
  static func salt(of description: [UInt8]) -> UInt64? {
    guard description.count >= headerByteCount, description[0] == version else { return nil }
    return number(description[1..<9])
  }

  /// Returns the maximum number of bytes of a document, without reading the rest.
  static func byteLimit(of description: [UInt8]) -> Int? {
    guard description.count >= headerByteCount, description[0] == version else { return nil }
    return Int(number(description[9..<13]))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Adds a text index, in the place of one with the same path.
  mutating func add(_ index: DocumentTextIndex) {
    if let position = textIndexes.firstIndex(where: { $0.path.hasSameBytes(as: index.path) }) {
      textIndexes[position] = index
    } else {
      textIndexes.append(index)
    }
  }

  var querySettings: QuerySettings {
    var settings = QuerySettings(indexesEverything: indexesEverything)
    for (path, value) in defaults { settings.defaults[DocumentPath(path)] = value }
    for index in textIndexes where index.hasRulesForWords { settings.textIndexes[DocumentPath(index.path)] = index }
    return settings
  }

  // MARK: Bytes

  /// Reads a description.
  ///
  /// - Throws: ``DocumentError/Code/invalidBytes``; the errors of ``PathIndex/init(_:unique:)``.
  package init(decoding bytes: [UInt8]) throws(DocumentError) {
    guard let salt = Self.salt(of: bytes) else {
      throw DocumentError(.invalidBytes, "the description of a collection has an unknown version")
    }
    self.salt = salt
    byteLimit = UInt32(truncatingIfNeeded: Self.byteLimit(of: bytes) ?? BinaryForm.defaultByteLimit)
    let value = try EncodedValue(checking: Array(bytes.dropFirst(Self.headerByteCount))).value()
    for index in value["indexes"]?.array ?? [] {
      guard let text = index["text"]?.string, let isUnique = index["unique"]?.bool else {
        throw DocumentError(.invalidBytes, "an index in the description of a collection has no text")
      }
      indexes.append(try PathIndex(text, unique: isUnique))
    }
    indexesEverything = value["everything"]?.bool ?? false
    for index in value["texts"]?.array ?? [] { textIndexes.append(try index.decode()) }
    defaults = value["defaults"]?.dictionary ?? [:]
    aliases = value["aliases"]?.dictionary?.compactMapValues(\.string) ?? [:]
    metadata = value["metadata"]?.dictionary ?? [:]
  }

  /// Returns the bytes of the description.
  ///
  /// - Throws: ``DocumentError/Code/tooLarge``, ``DocumentError/Code/tooDeep``.
  package func bytes() throws(DocumentError) -> [UInt8] {
    var texts: [DocumentValue] = []
    for index in textIndexes { texts.append(try DocumentValue(encoding: index)) }
    let value: DocumentValue = [
      "indexes": DocumentValue(indexes.map { ["text": DocumentValue($0.text), "unique": DocumentValue($0.isUnique)] }),
      "everything": DocumentValue(indexesEverything), "texts": DocumentValue(texts),
      "defaults": DocumentValue(defaults),
      "aliases": DocumentValue(aliases.mapValues { DocumentValue($0) }), "metadata": DocumentValue(metadata),
    ]
    var bytes = [Self.version]
    for byte in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: salt >> UInt64(8 * byte))) }
    for byte in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: byteLimit >> UInt32(8 * byte))) }
    return bytes + (try EncodedValue(value, byteLimit: 1 << 19).bytes)
  }

  // MARK: Indexes

  /// The declarations for the library: the given keys, all indexes on paths, and those of everything.
  func collectionIndexes() -> CollectionIndexes {
    var declared = [Index(parts: [.each(Document.givenKey)], unique: true, name: "key")]
    let settings = querySettings
    for index in indexes { declared.append(index.index(settings)) }
    if indexesEverything {
      declared.append(Index(parts: [.each(Document.namedScalars)], name: "all values by name"))
      declared.append(Index(parts: [.each(Document.bareScalars)], name: "all values"))
    }
    let textIndexes = textIndexes.map { DocumentProperty(DocumentPath($0.path), settings).declaration(of: $0) }
    return CollectionIndexes(indexes: declared, textIndexes: textIndexes)
  }
}
