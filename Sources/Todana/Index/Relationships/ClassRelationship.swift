/// A relationship of a registered class, in one open store.
final class ClassRelationship {
  let declaration: Relationship
  let name: String
  /// The class with the property.
  ///
  /// Safe though unowned: the store owns its tables, and a table its relationships.
  @safe unowned(unsafe) let owners: ClassTable
  /// The index of the references.
  let index: ClassIndex

  init(_ declaration: Relationship, name: String, of owners: ClassTable, index: ClassIndex) {
    self.declaration = declaration
    self.name = name
    self.owners = owners
    self.index = index
  }

  /// Whether owners change, or forbid the delete, when a target is deleted.
  var isRuledByTargets: Bool { declaration.onTargetDelete != .keep }

  /// A declaration with its name.
  struct Named {
    let name: String
    let declaration: Relationship

    /// The index of the references.
    var index: Index { declaration.index(named: name) }
  }

  /// Returns the relationships that a class declares, with their names, after checking them.
  ///
  /// - Throws: ``StoreError/Code/invalidRelationship``.
  static func all(
    of type: StoredObject.Type, className: String
  ) throws(StoreError) -> [Named] {
    let declarations = type.relationships
    if declarations.isEmpty { return [] }
    func refusal(_ message: String) -> StoreError { StoreError(.invalidRelationship, message, className: className) }
    var all: [Named] = []
    for (position, declaration) in declarations.enumerated() {
      let place = "Relationship \(position + 1) of \(className)"
      let name = declaration.name ?? ""
      if let problem = IndexRules.problem(
        withName: declaration.name, of: place, example: "Relationship(…, name: \"songs\")")
      {
        throw refusal(problem)
      }
      if all.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
        throw refusal(
          "Two relationships of \(className) have the name \"\(name)\". Declare each property once, "
            + "and pass a name: \"…\" if two properties have equal names.")
      }
      if let problem = IndexRules.problem(with: declaration.path, of: declaration.root, in: type, className) {
        throw refusal("\(place), \"\(name)\", \(problem)")
      }
      all.append(Named(name: name, declaration: declaration))
    }
    return all
  }

  /// The form of the index's keys.
  var key: ReferenceKey { ReferenceKey(isOptional: declaration.isOptional) }

  /// Returns the target of an entry of the index; nil for an entry of nil.
  func target(of key: UnsafeRawBufferPointer) -> AnyObjectID? {
    guard let rows = unsafe self.key.rows(of: key) else { return nil }
    return AnyObjectID(classID: unsafe self.key.classID(of: key), rowID: rows.target)
  }

  /// Returns whether an index has references to objects that cannot be deleted without regard to their referrers.
  static func isIndexOfRuledReferences(named name: String) -> Bool {
    name.hasPrefix(Relationship.indexPrefix + "(")
  }
}
