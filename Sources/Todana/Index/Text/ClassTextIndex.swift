/// A text index of a registered class, in one open store.
final class ClassTextIndex {
  let declaration: TextIndex
  let className: String
  let name: String
  let analyzer: TextAnalyzer
  /// The signature of the declaration; segments that were built with another one are not usable.
  let signature: String
  /// The tree with the index's header; nil if the store has none and cannot be written to.
  var tree: KeyspaceID?

  private init(
    _ declaration: TextIndex, name: String, analyzer: TextAnalyzer, className: String, classVersion: UInt8
  ) {
    self.declaration = declaration
    self.className = className
    self.name = name
    self.analyzer = analyzer
    signature = declaration.signature(classVersion: classVersion)
  }

  /// Returns the text indexes that a class declares, which were checked.
  static func all(
    of type: StoredObject.Type, _ declared: [TextIndex]? = nil, className: String
  ) -> [ClassTextIndex] {
    (declared ?? type.textIndexes).compactMap { declaration in
      guard let name = declaration.name, let analyzer = declaration.analyzer else { return nil }
      return ClassTextIndex(
        declaration, name: name, analyzer: analyzer, className: className, classVersion: type.version)
    }
  }

  /// The name of the tree, made of the names of the class and of the index, which have no NUL.
  var keyspaceName: TextKeyspaceName { TextKeyspaceName(className: className, indexName: name) }
  var treeName: [UInt8] { keyspaceName.bytes }

  /// Returns the name of a segment's keyspace.
  func segmentName(_ number: UInt64) -> [UInt8] {
    TextKeyspaceName(className: className, indexName: name, segment: number).bytes
  }

  /// Returns the texts of an object, by the number of the property.
  func texts(of object: StoredObject) throws(StoreError) -> [TextList] {
    var texts: [TextList] = []
    for column in declaration.columns { texts.append(try column.texts(of: object)) }
    return texts
  }
}

/// The name of a keyspace that belongs to a text index: its tree, or one of its segments.
struct TextKeyspaceName: Equatable {
  var className: String
  var indexName: String
  /// The number of the segment; nil for the tree.
  var segment: UInt64?

  private static let mark = Array("text".utf8)

  static func == (lhs: TextKeyspaceName, rhs: TextKeyspaceName) -> Bool { lhs.bytes == rhs.bytes }

  /// The name of the index's tree.
  var index: TextKeyspaceName { TextKeyspaceName(className: className, indexName: indexName) }

  init(className: String, indexName: String, segment: UInt64? = nil) {
    (self.className, self.indexName, self.segment) = (className, indexName, segment)
  }

  /// Parses the name of a keyspace; nil for a keyspace of another kind.
  init?(_ name: [UInt8]) {
    let parts = name.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 4, parts[0].elementsEqual(Self.mark) else { return nil }
    className = String(decoding: parts[1], as: UTF8.self)
    indexName = String(decoding: parts[2], as: UTF8.self)
    if parts.count == 4 {
      guard let number = UInt64(String(decoding: parts[3], as: UTF8.self)) else { return nil }
      segment = number
    }
  }

  var bytes: [UInt8] {
    Self.mark + [0] + className.utf8 + [0] + indexName.utf8 + (segment.map { [0] + "\($0)".utf8 } ?? [])
  }
}

extension Keyspace {
  /// The name if the keyspace belongs to a text index; nil otherwise.
  var textName: TextKeyspaceName? { TextKeyspaceName(name) }
  /// Whether the keyspace has the records of a class.
  var isOfClass: Bool { kind == .rows && textName == nil }
}
