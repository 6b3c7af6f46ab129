/// An index of a registered class, in one open store.
final class ClassIndex {
  let declaration: Index
  let className: String
  let name: String
  /// The signature of the declaration; a tree that was built with another one is not usable.
  let signature: String
  /// Whether the index has references to objects that do not exist, so that queries about other objects cannot use it.
  var hasKeptReferences = false
  /// The index's tree; nil if the store has none and cannot be written to.
  var keyspace: KeyspaceID?

  init(_ declaration: Index, name: String, className: String, classVersion: UInt8) {
    self.declaration = declaration
    self.name = name
    self.className = className
    signature = declaration.signature(classVersion: classVersion)
  }

  /// The name of the index's tree, made of the names of the class and of the index, which have no NUL.
  var keyspaceName: [UInt8] { Self.keyspacePrefix(ofClass: className) + Array(name.utf8) }

  /// Returns the prefix of the names of all index trees of a class.
  static func keyspacePrefix(ofClass className: String) -> [UInt8] { Array("index".utf8) + [0] + className.utf8 + [0] }

  var parts: [IndexPart] { declaration.parts }
  var isUnique: Bool { declaration.isUnique }

  /// The maximum number of parts, whose keys always fit into a backend's key (``KeyWriter/indexTextByteLimit``).
  private static let partLimit = 6

  /// Returns indexes, after checking them: those that a class declares, or `declared` ones of a collection.
  ///
  /// - Throws: ``StoreError/Code/invalidIndex``.
  static func all(
    of type: StoredObject.Type, _ declared: [Index]? = nil, className: String
  ) throws(StoreError) -> [ClassIndex] {
    var declarations = declared ?? type.indexes
    declarations += try ClassRelationship.all(of: type, className: className).map(\.index)
    if declarations.isEmpty { return [] }
    func refusal(_ message: String) -> StoreError { StoreError(.invalidIndex, message, className: className) }
    var indexes: [ClassIndex] = []
    for (position, declaration) in declarations.enumerated() {
      let place = "Index \(position + 1) of \(className)"
      let name = declaration.name ?? ""
      if let problem = IndexRules.problem(
        withName: declaration.name, of: place, example: "Index(…, name: \"duration\")")
      {
        throw refusal(problem)
      }
      if indexes.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        throw refusal("Two indexes of \(className) have the name \"\(name)\". Pass another name to one: name: \"…\".")
      }
      if declaration.parts.isEmpty || declaration.parts.count > partLimit {
        throw refusal("\(place), \"\(name)\", has \(declaration.parts.count) parts, but 1 to \(partLimit) are allowed.")
      }
      if declaration.parts.filter({ $0.path.isEach }).count > 1 {
        throw refusal("\(place), \"\(name)\", has several parts with an entry for each element; only one is allowed.")
      }
      for part in declaration.parts {
        guard let problem = IndexRules.problem(with: part.path, of: part.root, in: type, className) else { continue }
        throw refusal("\(place), \"\(name)\", \(problem)")
      }
      if declaration.condition?.testsIdentities == true {
        throw refusal("The condition of \(place), \"\(name)\", tests ids, which do not belong to an object's content.")
      }
      if let condition = declaration.condition, !condition.namesItsProperties, declaration.givenName == nil {
        throw refusal("\(place), \"\(name)\", has a condition on a property without a name. Pass a name for the index.")
      }
      if let problem = declaration.condition?.paths.lazy.compactMap(\.problem).first {
        throw refusal("\(place), \"\(name)\", has a condition that cannot be used. \(problem)")
      }
      if declaration.condition?.looksAtOtherObjects == true {
        throw refusal("\(place), \"\(name)\", has a condition on other objects, which change independently.")
      }
      indexes.append(ClassIndex(declaration, name: name, className: className, classVersion: type.version))
    }
    return indexes
  }
}
